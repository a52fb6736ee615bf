import { z } from 'zod';

/**
 * How often a beacon may be sent. `at-least-once`: the server counts a repeat
 * once, so what is in doubt is repeated (rule 15, with an event-time parameter).
 * `at-most-once`: a try whose outcome is unknown is not repeated (rule 15,
 * without one). `once`: the same for an ad instance's confirmation, in real time
 * or not at all (rule 16).
 */
export const BeaconPolicy = z.enum(['at-least-once', 'at-most-once', 'once']);
export type BeaconPolicy = z.infer<typeof BeaconPolicy>;

/**
 * A beacon's life: `waiting`, for its first try or the next; `sending`, stored
 * before a try that must not be repeated blindly; then one of the ends. `sent`:
 * accepted. `unknown`: it may have arrived, and is not repeated. `refused`: the
 * server or the egress policy will never take it. `expired`: its time ran out before.
 */
export const BeaconState = z.enum(['waiting', 'sending', 'sent', 'unknown', 'refused', 'expired']);
export type BeaconState = z.infer<typeof BeaconState>;

/**
 * What became of a JavaScript beacon (rule 17): `ran` through; `threw`; said nothing in time (`timed-out`);
 * its process died (`crashed`); what it did was held, in part or whole (`blocked`); no guest
 * could be opened for it (`refused`). `running` until that is known, and `interrupted` where it
 * never will be: the kiosk died meanwhile.
 */
export const ScriptResult = z.enum([
  'running',
  'ran',
  'threw',
  'timed-out',
  'crashed',
  'blocked',
  'refused',
  'interrupted',
]);
export type ScriptResult = z.infer<typeof ScriptResult>;

const ScriptOutcome = z.object({
  result: ScriptResult,
  /** In the script's own words, or the kiosk's; null where the result says it all. */
  detail: z.string().max(200).nullable(),
});

/** What a try changes of a beacon. Times are ms since the epoch, UTC. */
export const BeaconProgress = z.object({
  state: BeaconState,
  /** Tries that may have reached the server. */
  attempts: z.int().min(0),
  /** Not before this time; before its first try the time of its event, so that the oldest go first. */
  dueAt: z.number(),
  /** Why the last try failed, in a word; null while none has. */
  lastError: z.string().max(100).nullable(),
  /** When it came to its end; null before. */
  finishedAt: z.number().nullable(),
  /** Of a JavaScript beacon only. */
  script: ScriptOutcome.optional(),
});
export type BeaconProgress = z.infer<typeof BeaconProgress>;

/**
 * One GET that an ad asked for, as it is kept until its end; or one script, which
 * is `sending` from the start, because it never runs twice, and has no address.
 */
export const Beacon = BeaconProgress.extend({
  id: z.string().min(1),
  /** Whose books it belongs to; an outbox is finished after a change of environment too (rule 26). */
  environment: z.string(),
  policy: BeaconPolicy,
  /** Final: macros and event time were filled in at the event. */
  url: z.string(),
  /** The URL's origin, the unit that an outage is seen for; empty where it has none. */
  host: z.string(),
  /** `impression`, `start`, `click`, … */
  event: z.string(),
  eventAt: z.number(),
  expiresAt: z.number(),
  /** The play that it is a proof of, or null. */
  playId: z.string().nullable(),
  /** The native ad instance that it confirms, or null. */
  instance: z.string().nullable(),
  /** Its place in the ad's list of beacons. */
  position: z.int().min(0),
});
export type Beacon = z.infer<typeof Beacon>;

/** A play keeps the results of so many scripts one by one; those beyond are in its sums only. */
export const MAX_PLAY_SCRIPTS = 50;

/** A JavaScript beacon of a play, by its place in the ad's list. */
export const PlayScript = ScriptOutcome.extend({ position: z.int().min(0) });
export type PlayScript = z.infer<typeof PlayScript>;

/** What became of a play's beacons; their sum is the number of its beacons, scripts among them. */
export const PlayBeacons = z.object({
  playId: z.string(),
  sent: z.int().min(0),
  unknown: z.int().min(0),
  /** Refused or expired. */
  failed: z.int().min(0),
  pending: z.int().min(0),
  /** Absent where none of them is a script. */
  scripts: z.array(PlayScript).max(MAX_PLAY_SCRIPTS).optional(),
});
export type PlayBeacons = z.infer<typeof PlayBeacons>;

/** What a beacon takes up besides its URL: its other fields and its entries in the indexes, bytes. */
const BEACON_OVERHEAD_BYTES = 512;

/** What a beacon takes up in the books, bytes: an estimate, because URLs are ASCII almost always. */
export function beaconBytes(url: string): number {
  return BEACON_OVERHEAD_BYTES + url.length;
}
