import { z } from 'zod';
import { plain } from './plain';

/**
 * How often a beacon may be sent. `at-least-once`: the server counts repeats once, so a try whose outcome is unknown is
 * repeated (rule 15, with an event-time parameter). `at-most-once`: such a try is not repeated (rule 15, without one).
 * `once`: the same, for an ad instance's confirmation, in real time or not at all (rule 16).
 */
export const BeaconPolicy = z.enum(['at-least-once', 'at-most-once', 'once']);
export type BeaconPolicy = z.infer<typeof BeaconPolicy>;

/**
 * The states of a beacon: `waiting`, for its first try or the next; `sending`, stored before a try that must not be
 * repeated blindly; then one of the final ones. `sent`: accepted. `unknown`: it may have arrived, and is not repeated.
 * `refused`: the server or the egress policy will never accept it. `expired`: its time ran out before.
 */
export const BeaconState = z.enum(['waiting', 'sending', 'sent', 'unknown', 'refused', 'expired']);
export type BeaconState = z.infer<typeof BeaconState>;

/**
 * The result of a JavaScript beacon (rule 17): it `ran` through or `threw`; it reported nothing in time (`timed-out`);
 * its process died (`crashed`); some or all of what it did was prevented (`blocked`); no guest could be opened for it
 * (`refused`). Before that it is `running`; it is `interrupted` when the kiosk died meanwhile.
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
  /** A message of the script or of the kiosk; null where the result says enough. */
  detail: z.string().max(200).nullable(),
});

/** The fields of a beacon that a try changes. Times are ms since the epoch, UTC. */
export const BeaconProgress = z.object({
  state: BeaconState,
  /** Tries that may have reached the server. */
  attempts: plain.count,
  /** Not before this time; before its first try the time of its event, so that the oldest go first. */
  dueAt: plain.number,
  /** Code of the last error; null while there was none. */
  lastError: z.string().max(100).nullable(),
  /** When it reached its final state; null before. */
  finishedAt: plain.numberOrNull,
  /** Of a JavaScript beacon only. */
  script: ScriptOutcome.optional(),
});
export type BeaconProgress = z.infer<typeof BeaconProgress>;

/**
 * One GET that an ad asked for, as it is stored until its end; or one script, which is `sending` from the start,
 * because it never runs twice, and has no address.
 */
export const Beacon = BeaconProgress.extend({
  id: z.string().min(1),
  /** The books it belongs to; after a change of environment, the outbox of the former one is finished too (rule 26). */
  environment: plain.text,
  policy: BeaconPolicy,
  /** Final: macros and event time were filled in at the event. */
  url: plain.text,
  /** The URL's origin, the unit for which outages are detected; empty where it has none. */
  host: plain.text,
  /** `impression`, `start`, `click`, … */
  event: plain.text,
  eventAt: plain.number,
  expiresAt: plain.number,
  /** The play whose proof it belongs to, or null. */
  playId: plain.textOrNull,
  /** The native ad instance that it confirms, or null. */
  instance: plain.textOrNull,
  /** Its place in the ad's list of beacons. */
  position: plain.count,
  /** The run of the kiosk that confirmed it; only where the policy is `once`, and not in rows of older versions. */
  run: plain.text.exactOptional(),
});
export type Beacon = z.infer<typeof Beacon>;

/** Most scripts of a play whose results are stored one by one; further ones are only in its sums. */
export const MAX_PLAY_SCRIPTS = 50;

/** A JavaScript beacon of a play, by its place in the ad's list. */
export const PlayScript = ScriptOutcome.extend({ position: plain.count });
export type PlayScript = z.infer<typeof PlayScript>;
/** The same as it is read back: a result that only a newer version knows is kept. */
export const StoredScript = PlayScript.extend({ result: plain.text });
export type StoredScript = z.infer<typeof StoredScript>;

/** How many beacons, scripts included, have each result. */
export const BeaconResults = z.object({
  sent: plain.count,
  unknown: plain.count,
  /** Refused or expired. */
  failed: plain.count,
  pending: plain.count,
});
export type BeaconResults = z.infer<typeof BeaconResults>;

/** Results of a play's beacons. */
export const PlayBeacons = BeaconResults.extend({
  playId: plain.text,
  /** Absent where none of them is a script. */
  scripts: z.array(PlayScript).max(MAX_PLAY_SCRIPTS).optional(),
});
export type PlayBeacons = z.infer<typeof PlayBeacons>;

/** What a beacon takes up besides its URL: its other fields and its entries in the indexes, bytes. */
const BEACON_OVERHEAD_BYTES = 512;

/** What a beacon takes up in the books, bytes: an estimate, which takes URLs as ASCII. */
export function beaconBytes(url: string): number {
  return BEACON_OVERHEAD_BYTES + url.length;
}
