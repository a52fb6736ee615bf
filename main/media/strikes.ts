import { z } from 'zod';

/** Strikes after which a file is set aside for a day (rule 11). */
const STRIKES = 3;
/** First pause after a strike, ms; the pause after the second strike is four times as long. */
const FIRST_PAUSE_MS = 30_000;
const DAY_MS = 86_400_000;

/** A file that could not be shown. Times are ms since the epoch, UTC. */
export const StruckFile = z.object({
  /** SHA-256 of its bytes in hex, or another text that identifies this version. */
  content: z.string(),
  count: z.int().positive(),
  lastAt: z.number(),
  /** Validators of this version; null: the server gave none. */
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});
export type StruckFile = z.infer<typeof StruckFile>;

/** Adds a strike. The count starts again for another content, or if the last strike is a day old. */
export function afterStrike(
  before: StruckFile | undefined,
  file: Pick<StruckFile, 'content' | 'etag' | 'lastModified'>,
  now: number,
): StruckFile {
  const counts = before !== undefined && before.content === file.content && now - before.lastAt < DAY_MS;
  const { content, etag, lastModified } = file;
  return { content, etag, lastModified, count: counts ? before.count + 1 : 1, lastAt: now };
}

/**
 * How much longer a struck file is set aside, ms; 0: it may be tried again. At most a day, even after a clock
 * change.
 */
export function setAsideMs({ count, lastAt }: StruckFile, now: number): number {
  const pause = count >= STRIKES ? DAY_MS : FIRST_PAUSE_MS * 4 ** (count - 1);
  return Math.max(0, Math.min(pause, lastAt + pause - now));
}

export const isSetAsideForLong = ({ count }: StruckFile) => count >= STRIKES;
