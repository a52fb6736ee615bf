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
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;
  const offset = (offsetHour * 60 + offsetMinute) * 60_000 * (parts[8] === '-' ? -1 : 1);
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999. Shift by 400 years, which are a whole number of days.
  const shifted = Date.UTC(year + 400, month - 1, day, hour, minute, Math.min(second, 59));
  const whole = shifted - FOUR_CENTURIES - offset;
  const fraction = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 3).padEnd(3, '0'));
  if (second < 60) return whole + fraction;
  return endsMonth(whole) ? whole + 1_000 + fraction : null;
}

const FOUR_CENTURIES = 146_097 * 86_400_000;

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whether the second after this one is the first of a month. */
function endsMonth(ms: number): boolean {
  const next = new Date(ms + 1_000);
  return next.getUTCDate() === 1 && next.getTime() % 86_400_000 === 0;
}
