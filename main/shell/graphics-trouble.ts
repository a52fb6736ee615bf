import { z } from 'zod';

/**
 * What is known of crashes of the graphics process, kept across starts: drivers
 * that fail keep failing, and Chromium itself gives up after a few (rule 25).
 */
export const GraphicsTrouble = z.object({
  /** Of which Endcap; another one tries the hardware again. */
  version: z.string(),
  /** Crashes not long ago, ms since the epoch. */
  crashes: z.array(z.number()).max(20),
  /** Since when pictures are drawn without the graphics hardware; null: they are not. */
  softwareSince: z.number().nullable(),
});
export type GraphicsTrouble = z.infer<typeof GraphicsTrouble>;

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
export function troubleAtStart(stored: GraphicsTrouble, version: string, now: number): GraphicsTrouble {
  const { softwareSince } = stored;
  const isStale = softwareSince !== null && Math.abs(now - softwareSince) >= RETRY_MS;
  return stored.version !== version || isStale ? noGraphicsTrouble(version) : stored;
}

/**
 * After one more crash at `now`. `startOver`: from the next start on pictures are
 * drawn without the hardware, and that start is due at once; `giveUp`: they
 * already are, and it crashes all the same.
 */
export function afterGraphicsCrash(
  before: GraphicsTrouble,
  now: number,
): { readonly trouble: GraphicsTrouble; readonly remedy: 'none' | 'startOver' | 'giveUp' } {
  const recent = before.crashes.filter((at) => Math.abs(now - at) < CRASHES_WITHIN_MS);
  const crashes = [...recent, now].slice(-MOST_CRASHES);
  if (crashes.length < MOST_CRASHES) return { trouble: { ...before, crashes }, remedy: 'none' };
  const remedy = before.softwareSince === null ? 'startOver' : 'giveUp';
  return { trouble: { ...before, crashes: [], softwareSince: before.softwareSince ?? now }, remedy };
}
