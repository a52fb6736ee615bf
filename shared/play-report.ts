import { z } from 'zod';
import { BeaconResults, MAX_PLAY_SCRIPTS, StoredScript } from './beacon';
import { plain } from './plain';
import { StoredPlay } from './play';

const count = plain.count;

/** Results of some plays, in numbers. A play has exactly one of the outcomes. */
export const PlayTotals = z.object({
  completed: count,
  interrupted: count,
  failed: count,
  /** Whether a frame was shown is unknown, because the process died; they count (rule 8). */
  unknown: count,
  /** On the screen at this moment. */
  reserved: count,
  /** No frame was shown: not a play, and in no other number. */
  givenBack: count,
  /** Time on the screen, ms. */
  viewedMs: z.number().min(0),
  beacons: BeaconResults,
});
export type PlayTotals = z.infer<typeof PlayTotals>;

/** The outcomes that are plays: all but void ones (rule 8). */
export const PLAY_COUNTS = ['completed', 'interrupted', 'failed', 'unknown', 'reserved'] as const;

export const playsIn = (totals: PlayTotals): number =>
  PLAY_COUNTS.reduce((sum, outcome) => sum + totals[outcome], 0);

/**
 * The plays of one hour (UTC); `hour` is its start, ms since the epoch, or the period's where that begins within it, as
 * days do in Kathmandu. Hours without any are left out.
 */
export const HourTotals = z.object({
  hour: plain.number,
  plays: count,
  completed: count,
  viewedMs: plain.number,
});
export type HourTotals = z.infer<typeof HourTotals>;

/** Most lines of a kind; the others are summed up. */
export const MAX_REPORT_LINES = 200;
export const MAX_REPORT_HOURS = 2_400;

const lines = <Key extends z.core.$ZodShape>(key: Key) =>
  z.object({
    /** Most plays first. */
    lines: z.array(z.object({ ...key, totals: PlayTotals })).max(MAX_REPORT_LINES),
    /** Lines left out, and what they sum up to. */
    more: z.object({ lines: count, totals: PlayTotals }),
  });

/** Plays of a period, counted. */
export const PlayReport = z.object({
  /** `from` ≤ a play's time < `to`, ms since the epoch. */
  from: plain.number,
  to: plain.number,
  totals: PlayTotals,
  /** Ascending; the newest ones when the period has more than `MAX_REPORT_HOURS` with plays. */
  hours: z.array(HourTotals).max(MAX_REPORT_HOURS),
  flights: lines({ flightId: plain.textOrNull, campaignId: plain.textOrNull }),
  campaigns: lines({ campaignId: plain.textOrNull }),
  sources: lines({ sourceId: plain.textOrNull, source: plain.textOrNull }),
});
export type PlayReport = z.infer<typeof PlayReport>;

/** Where a listing of plays goes on: after this one. Plays of the same time are in the order of their ids. */
export const PlayCursor = z.object({ at: plain.number, id: plain.text });
export type PlayCursor = z.infer<typeof PlayCursor>;

/** A play with the results of its beacons; null: it has none, or they are no longer stored. */
export const ProvenPlay = z.object({
  play: StoredPlay,
  beacons: BeaconResults.nullable(),
  /** Results of its JavaScript beacons, which the sums include; absent where it has none. */
  scripts: z.array(StoredScript).max(MAX_PLAY_SCRIPTS).optional(),
});
export type ProvenPlay = z.infer<typeof ProvenPlay>;
