/** Parses a duration, ms; null: not a time, or zero, which is no duration. */
export const durationMs = (text: string): number | null => timeMs(text) || null;

/** Parses `HH:MM:SS` or `HH:MM:SS.mmm`, ms; null: anything else. */
export function timeMs(text: string): number | null {
  const parts = /^(\d{1,4}):([0-5]?\d):([0-5]?\d)(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null) return null;
  const [, hours, minutes, seconds, fraction = ''] = parts;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

export function positiveInteger(value: string | undefined): number | null {
  const number = positiveNumber(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

export function positiveNumber(value: string | undefined): number | null {
  if (value === undefined || !/^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(value)) return null;
  const number = Number(value);
  return number > 0 ? number : null;
}

export function flag(value: string | undefined, otherwise: boolean): boolean {
  const text = value?.trim().toLowerCase() ?? '';
  return ['true', '1'].includes(text) || (otherwise && !['false', '0'].includes(text));
}

/** An address that begins with `//` takes the scheme of the page that names it; here that is https. */
export const withScheme = (address: string): string =>
  address.startsWith('//') ? `https:${address}` : address;
