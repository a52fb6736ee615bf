import { z } from 'zod';

/** Strikes after which a file is set aside (rule 11). */
const STRIKES = 3;
/** Pause after the first strike, ms; four times as long after the second. */
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

/** One strike more. Another content, or a strike a day ago, starts the count again. */
export function struck(
  before: StruckFile | undefined,
  file: Pick<StruckFile, 'content' | 'etag' | 'lastModified'>,
  now: number,
): StruckFile {
  const counts = before !== undefined && before.content === file.content && now - before.lastAt < DAY_MS;
  const { content, etag, lastModified } = file;
  return { content, etag, lastModified, count: counts ? before.count + 1 : 1, lastAt: now };
}

/** How much longer a struck file stays aside, ms; 0: it may be tried again. Never more than a day, wherever the clock went. */
export function asideMs({ count, lastAt }: StruckFile, now: number): number {
  const pause = count >= STRIKES ? DAY_MS : FIRST_PAUSE_MS * 4 ** (count - 1);
  return Math.max(0, Math.min(pause, lastAt + pause - now));
}

export const isSetAsideForLong = ({ count }: StruckFile) => count >= STRIKES;
