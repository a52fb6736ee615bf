import { z } from 'zod';

const count = z.int().min(0);

/**
 * A list of numbers, `whole` or not, none below `least`. Looked through by one plain loop: a start reads forty
 * thousand of them, and an item's own schema for each would take longer than all else it does.
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
export const CarriedCounts = z.object({
  /** How long the kiosk had run in all at the jump, ms. */
  ran: z.number(),
  /** What the clock showed just after it, ms since the epoch. */
  from: z.number(),
  /** By window; their order: `main/decisions/carried-counts.ts`. */
  used: z.array(count),
});
export type CarriedCounts = z.infer<typeof CarriedCounts>;

/**
 * What frequency caps need of a flight's plays (rule 7), stored in the same
 * transaction as the play itself so that a start reads counters, not history.
 * Times are ms since the epoch, UTC. How it is kept: `main/decisions/flight-counters.ts`.
 */
export const FlightCounters = z.object({
  flightId: z.string(),
  /** Every play that counts, ever. */
  total: count,
  /** When the newest plays were, ascending; equal times repeat. */
  recent: times,
  /** The newest time dropped from `recent`, or null while none was: `recent` is complete after it. */
  recentDroppedTo: z.number().nullable(),
  /** Hours since the epoch in which plays were, ascending, and beside each how many. */
  hours,
  hourPlays,
  /** The newest hour dropped from `hours`, or null while none was: `hours` is complete after it. */
  hoursDroppedTo: z.int().nullable(),
  /** Absent: no jump of the clock matters any more. */
  carried: CarriedCounts.exactOptional(),
});
export type FlightCounters = z.infer<typeof FlightCounters>;

/** When something was last played (rule 9), kept by source, flight and media URL. */
export const RecencyEntry = z.object({
  /** From `recencyKey`. */
  key: z.string(),
  /** Orders entries: larger is more recent, whatever the clock did in between. */
  sequence: count,
  /** ms since the epoch, UTC; to tell what may be forgotten, never to order. */
  at: z.number(),
  /** The ad that had the turn; tells apart ads that share a key. */
  adId: z.string(),
});
export type RecencyEntry = z.infer<typeof RecencyEntry>;

/**
 * What each source is owed, in slots (rule 9): above zero it waits for its turn,
 * below zero it has had more than its share. The credits of all sources add up to zero.
 */
export const SourceMixState = z.object({
  credits: z.array(z.object({ sourceId: z.string(), credit: z.number() })),
});
export type SourceMixState = z.infer<typeof SourceMixState>;
