const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,60}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/**
 * Parses an RFC 3339 date-time: any offset, up to 60 fraction digits, `T` and `Z` in either case. Returns ms
 * since the epoch (UTC), truncated; null for all other texts and for impossible dates (30 February, 24:00). A
 * leap second is accepted only at the end of a month (UTC) and, as in POSIX time, becomes the second after
 * it.
 */
export function readInstant(text: string): number | null {
  const parts = RFC_3339.exec(text);
  if (parts === null) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [hour, minute, second] = [Number(parts[4]), Number(parts[5]), Number(parts[6])];
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;
  const offset = (offsetHour * 60 + offsetMinute) * 60_000 * (parts[8] === '-' ? -1 : 1);
  const date = new Date(0);
  // Unlike `Date.UTC`, it does not read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const whole = date.setUTCHours(hour, minute, Math.min(second, 59)) - offset;
  const fraction = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 3).padEnd(3, '0'));
  if (second < 60) return whole + fraction;
  return endsMonth(whole) ? whole + 1_000 + fraction : null;
}

function endsMonth(ms: number): boolean {
  const next = new Date(ms + 1_000);
  return next.getUTCDate() === 1 && next.getTime() % 86_400_000 === 0;
}
