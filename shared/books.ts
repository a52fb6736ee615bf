import { z } from 'zod';
import { plain } from './plain';

const count = plain.count;

/**
 * A list of numbers, `whole` or not, none below `least`. Checked by one plain loop: a start reads forty thousand
 * numbers, and a schema for each item would take longer than everything else in it.
 */
const numbers = (each: string, whole: boolean, least: number) =>
  z.custom<number[]>((value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) {
      if (typeof item !== 'number' || !Number.isFinite(item) || item < least) return false;
      if (whole && !Number.isSafeInteger(item)) return false;
    }
    return true;
  }, `expected a list of ${each}`);
const times = numbers('times', false, Number.NEGATIVE_INFINITY);
const hours = numbers('whole hours', true, Number.NEGATIVE_INFINITY);
const hourPlays = numbers('counts above zero', true, 1);

/** What a flight's windows held when the clock jumped, and the plays since (rule 10). */
const CarriedCounts = z.object({
  /** How long the kiosk had run in all at the jump, ms. */
  ran: plain.number,
  /** The clock's time just after the jump, ms since the epoch. */
  from: plain.number,
  /** By window, in the order of `main/decisions/judge-caps.ts`. */
  used: z.array(count),
});

/**
 * The counts of a flight's plays that frequency caps need (rule 7), stored in the same transaction as the play itself
 * so that a start reads counters, not history. Times are ms since the epoch, UTC. See
 * `main/decisions/flight-counters.ts`.
 */
export const FlightCounters = z.object({
  flightId: plain.text,
  /** Every play that counts, ever. */
  total: count,
  /** The times of the newest plays, ascending; equal times repeat. */
  recent: times,
  /** The newest time dropped from `recent`, or null while none was: `recent` is complete after it. */
  recentDroppedTo: plain.numberOrNull,
  /** Hours since the epoch that have plays, ascending; `hourPlays` has the number of plays of each. */
  hours,
  hourPlays,
  /** The newest hour dropped from `hours`, or null while none was: `hours` is complete after it. */
  hoursDroppedTo: plain.whole.nullable(),
  /** Absent when no count from before a jump of the clock is in force. */
  carried: CarriedCounts.exactOptional(),
});
export type FlightCounters = z.infer<typeof FlightCounters>;

/** When something was last played (rule 9), by source, flight and media URL. */
export const RecencyEntry = z.object({
  /** From `recencyKey`. */
  key: plain.text,
  /** Orders entries: larger is more recent, whatever the clock did in between. */
  sequence: count,
  /** ms since the epoch, UTC, by the clock of that moment. Stored for older versions: nothing uses it. */
  at: plain.number,
  /** The ad that had the turn; distinguishes ads that share a key. */
  adId: plain.text,
});
export type RecencyEntry = z.infer<typeof RecencyEntry>;

/**
 * What each source is owed, in slots (rule 9): above zero it waits for its turn, below zero it has had more than its
 * share.
 */
export const SourceMixState = z.object({
  credits: z.array(z.object({ sourceId: plain.text, credit: plain.number })),
});
export type SourceMixState = z.infer<typeof SourceMixState>;

/** What decisions depend on besides the playlist. */
export const DecidingBooks = z.object({
  flights: z.array(FlightCounters),
  recency: z.array(RecencyEntry),
  sourceMix: SourceMixState.nullable(),
});
export type DecidingBooks = z.infer<typeof DecidingBooks>;
