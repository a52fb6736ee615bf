/**
 * What is known of trouble with the graphics hardware, kept across starts. Drivers
 * that fail keep failing, and Chromium itself gives up after a few crashes (rule 25).
 */
export interface GraphicsTrouble {
  /** Of which Endcap; another one tries the hardware again. */
  readonly version: string;
  /** Crashes of the graphics process not long ago, ms since the epoch. */
  readonly crashes: readonly number[];
  /** Since when pictures are drawn without hardware that crashed; null: they are not. */
  readonly softwareSince: number | null;
}

/** The trouble that was stored as this text; null when it is none. No library's: what comes before a start's windows has none. */
export function readTrouble(text: string): GraphicsTrouble | null {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(stored)) return null;
  const { version, crashes, softwareSince } = stored;
  if (typeof version !== 'string' || !Array.isArray(crashes) || !crashes.every(isTime)) return null;
  if (softwareSince !== null && !isTime(softwareSince)) return null;
  return { version, crashes, softwareSince };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** So many crashes within this time, and the hardware is given up for a day. */
export const MOST_CRASHES = 3;
export const CRASHES_WITHIN_MS = 10 * 60_000;
const RETRY_MS = 86_400_000;

export const noGraphicsTrouble = (version: string): GraphicsTrouble => ({
  version,
  crashes: [],
  softwareSince: null,
});

/**
 * The trouble as a start at `now` (ms since the epoch) has to take it: of another
 * version, a day old, or of a time to come (the clock was wrong), it is forgotten.
 */
export function troubleAtStart(
  stored: GraphicsTrouble,
  { version, now }: { readonly version: string; readonly now: number },
): GraphicsTrouble {
  const { softwareSince } = stored;
  const isOld = softwareSince !== null && Math.abs(now - softwareSince) >= RETRY_MS;
  return stored.version !== version || isOld ? noGraphicsTrouble(version) : stored;
}

/**
 * After one more crash at `now`. `startOver`: from the next start on pictures are
 * drawn without the hardware, and that start is due at once; `giveUp`: they
 * already are (`isSoftware`), and it crashes all the same.
 */
export function afterGraphicsCrash(
  before: GraphicsTrouble,
  now: number,
  isSoftware: boolean,
): { readonly trouble: GraphicsTrouble; readonly remedy: 'none' | 'startOver' | 'giveUp' } {
  const recent = before.crashes.filter((at) => Math.abs(now - at) < CRASHES_WITHIN_MS);
  const crashes = [...recent, now].slice(-MOST_CRASHES);
  if (crashes.length < MOST_CRASHES) return { trouble: { ...before, crashes }, remedy: 'none' };
  if (isSoftware) return { trouble: { ...before, crashes: [] }, remedy: 'giveUp' };
  return { trouble: { ...before, crashes: [], softwareSince: now }, remedy: 'startOver' };
}
