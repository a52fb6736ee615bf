/** How many values of a list are spelled out before "and N more". */
const LISTED_AT_MOST = 5;
/** Longest text of the service's that is repeated to a person, in characters. */
const QUOTED_AT_MOST = 60;

/** A value that the service wrote, cut to a readable length and without control characters. */
export function quoted(value: string): string {
  const plain = value.replace(/\p{C}+/gu, ' ');
  return plain.length > QUOTED_AT_MOST ? `${plain.slice(0, QUOTED_AT_MOST)}…` : plain;
}

/** The first few values, joined, and how many more there are. */
export function listed(values: readonly string[], separator: string): string {
  const more = values.length - LISTED_AT_MOST;
  const shown = values.slice(0, LISTED_AT_MOST).join(separator);
  return more > 0 ? `${shown}${separator}${more} more` : shown;
}

/** A time (ms since the epoch) as RFC 3339 in UTC; whole seconds without a fraction. */
export function instant(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'a time beyond the calendar';
  return date.toISOString().replace('.000Z', 'Z');
}
