import { isObject } from '../settings/json-values';
import { jsonOf } from '../whole-file';

/** Crashes of the graphics process, stored across starts because a driver that fails keeps failing (rule 25). */
export interface GraphicsHistory {
  /** Version of Endcap; another version tries the hardware again. */
  readonly version: string;
  /** Recent crashes of the graphics process, ms since the epoch. */
  readonly crashes: readonly number[];
  /** Since when the kiosk draws without the hardware, because it crashed; null: it uses the hardware. */
  readonly softwareSince: number | null;
}

/** Reads a stored history; null if it is invalid. Checked by hand, because no library is loaded before the windows. */
export function readGraphicsHistory(text: string): GraphicsHistory | null {
  const stored = jsonOf(text);
  if (!isObject(stored)) return null;
  const { version, crashes, softwareSince } = stored;
  if (typeof version !== 'string' || !Array.isArray(crashes) || !crashes.every(isTime)) return null;
  if (softwareSince !== null && !isTime(softwareSince)) return null;
  return { version, crashes, softwareSince };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** After this many crashes within `CRASHES_WITHIN_MS`, the hardware is not used for a day. */
export const MAX_CRASHES = 3;
export const CRASHES_WITHIN_MS = 10 * 60_000;
const RETRY_MS = 86_400_000;

export const emptyHistory = (version: string): GraphicsHistory => ({
  version,
  crashes: [],
  softwareSince: null,
});

/**
 * The history for a start at `now` (ms since the epoch). It is dropped if it is of another version, or if
 * `softwareSince` is a day old or a day ahead (the clock was wrong).
 */
export function historyAtStart(
  stored: GraphicsHistory,
  { version, now }: { readonly version: string; readonly now: number },
): GraphicsHistory {
  const { softwareSince } = stored;
  const isOld = softwareSince !== null && Math.abs(now - softwareSince) >= RETRY_MS;
  return stored.version !== version || isOld ? emptyHistory(version) : stored;
}

/**
 * Adds a crash at `now` (ms since the epoch). `startOver`: start over at once and draw without the hardware from then
 * on; `giveUp`: it crashes even without the hardware (`isSoftware`).
 */
export function afterGraphicsCrash(
  before: GraphicsHistory,
  now: number,
  isSoftware: boolean,
): { readonly history: GraphicsHistory; readonly remedy: 'none' | 'startOver' | 'giveUp' } {
  const recent = before.crashes.filter((at) => Math.abs(now - at) < CRASHES_WITHIN_MS);
  const crashes = [...recent, now].slice(-MAX_CRASHES);
  if (crashes.length < MAX_CRASHES) return { history: { ...before, crashes }, remedy: 'none' };
  if (isSoftware) return { history: { ...before, crashes: [] }, remedy: 'giveUp' };
  return { history: { ...before, crashes: [], softwareSince: now }, remedy: 'startOver' };
}
