import type { FlightCounters, RecencyEntry } from '../../shared/books';
import { MOST_MOVED_AT_ONCE } from '../../shared/records';

/** Counters and recency as one message takes them: at most `MOST_MOVED_AT_ONCE` of each. */
export interface MovedPart {
  readonly flights: FlightCounters[];
  readonly recency: RecencyEntry[];
}

/**
 * Splits what a change of the clock moved, because copying 10,000 counters into one message
 * holds main for too long (rule 31). The last part goes with the command that stores them all.
 */
export function movedInParts(moved: {
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}): { readonly before: readonly MovedPart[]; readonly last: MovedPart } {
  const { flights, recency } = moved;
  const longest = Math.max(flights.length, recency.length);
  const part = (from: number): MovedPart => ({
    flights: flights.slice(from, from + MOST_MOVED_AT_ONCE),
    recency: recency.slice(from, from + MOST_MOVED_AT_ONCE),
  });
  const before: MovedPart[] = [];
  let from = 0;
  for (; from + MOST_MOVED_AT_ONCE < longest; from += MOST_MOVED_AT_ONCE) before.push(part(from));
  return { before, last: part(from) };
}
