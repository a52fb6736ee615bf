import { z } from 'zod';

const DATE_TIME = z.iso.datetime({ offset: true });

/**
 * Parses an RFC 3339 date-time: any offset, any number of fraction digits, `T` and `Z` in either case. Returns ms since
 * the epoch (UTC), truncated; null for all other texts, for impossible dates (30 February, 24:00) and for leap seconds.
 */
export function readInstant(text: string): number | null {
  const inCapitals = text.toUpperCase();
  return DATE_TIME.safeParse(inCapitals).success ? Date.parse(inCapitals) : null;
}
