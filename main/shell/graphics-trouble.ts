/**
 * What is known of trouble with the graphics hardware, kept across starts. Drivers
 * that fail keep failing, and Chromium itself gives up after a few crashes (rule 25);
 * and where there is no hardware, looking for it takes a tenth of a start.
 */
export interface GraphicsTrouble {
  /** Of which Endcap; another one tries the hardware again. */
  readonly version: string;
  /** Crashes of the graphics process not long ago, ms since the epoch. */
  readonly crashes: readonly number[];
  /** Since when pictures are drawn without hardware that crashed; null: they are not. */
  readonly softwareSince: number | null;
  /** Since when it is known that there is none, with these devices in the machine; null: there is, or who knows. */
  readonly missing: { readonly since: number; readonly devices: string } | null;
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
  const { version, crashes, softwareSince, missing } = stored;
  if (typeof version !== 'string' || !Array.isArray(crashes) || !crashes.every(isTime)) return null;
  if (softwareSince !== null && !isTime(softwareSince)) return null;
  if (missing === null) return { version, crashes, softwareSince, missing };
  if (!isObject(missing) || !isTime(missing.since) || typeof missing.devices !== 'string') return null;
  return { version, crashes, softwareSince, missing: { since: missing.since, devices: missing.devices } };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** So many crashes within this time, and the hardware is given up for a day. */
export const MOST_CRASHES = 3;
export const CRASHES_WITHIN_MS = 10 * 60_000;
const RETRY_MS = 86_400_000;
/** Less than a day: a nightly restart looks for it again every night, ms. */
const LOOK_AGAIN_MS = 20 * 3_600_000;

export const noGraphicsTrouble = (version: string): GraphicsTrouble => ({
  version,
  crashes: [],
  softwareSince: null,
  missing: null,
});

/**
 * The trouble as a start at `now` (ms since the epoch) has to take it: of another
 * version, old, or of a time to come (the clock was wrong), it is forgotten; and so is
 * missing hardware after 20 hours, or once the machine's graphics devices are others.
 */
export function troubleAtStart(
  stored: GraphicsTrouble,
  { version, now, devices }: { readonly version: string; readonly now: number; readonly devices: string },
): GraphicsTrouble {
  const { softwareSince, missing } = stored;
  const isOlder = (since: number, ms: number) => Math.abs(now - since) >= ms;
  if (stored.version !== version || (softwareSince !== null && isOlder(softwareSince, RETRY_MS)))
    return noGraphicsTrouble(version);
  const stillMissing = missing?.devices === devices && !isOlder(missing.since, LOOK_AGAIN_MS);
  return { ...stored, missing: stillMissing ? missing : null };
}

/**
 * Whether hardware that Chromium did not find is missing for good, as far as one can
 * know. Where the kernel has a device that renders, it may only be late, or have
 * failed once; and other systems than Linux do not say.
 *
 * @param devices the names in `/dev/dri`
 */
export function isSurelyMissing(platform: string, devices: string): boolean {
  return platform === 'linux' && !/\brenderD/.test(devices);
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
