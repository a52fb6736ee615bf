import { DAY_MS } from '../../shared/clock';
import type { Validators } from './stored-media';

/** Strikes after which a file is set aside for a day (rule 11). */
const STRIKES = 3;
/** First pause after a strike, ms; the pause after the second strike is four times as long. */
const FIRST_PAUSE_MS = 30_000;

/** A file that could not be shown. */
export interface StruckFile extends Validators {
  /** SHA-256 of its bytes in hex, or another text that identifies this version. */
  readonly content: string;
  readonly count: number;
  /** Monotonic, ms. */
  readonly lastAt: number;
}

/** Adds a strike. The count starts again for another content, or if the last strike is a day old. */
export function afterStrike(
  before: StruckFile | undefined,
  file: Pick<StruckFile, 'content' | 'etag' | 'lastModified'>,
  now: number,
): StruckFile {
  const counts = before !== undefined && before.content === file.content && now - before.lastAt < DAY_MS;
  return { ...file, count: counts ? before.count + 1 : 1, lastAt: now };
}

/** How much longer a struck file is set aside, ms; 0: it may be tried again. */
export function setAsideMs({ count, lastAt }: StruckFile, now: number): number {
  const pause = count >= STRIKES ? DAY_MS : FIRST_PAUSE_MS * 4 ** (count - 1);
  return Math.max(0, lastAt + pause - now);
}

export const isSetAsideForLong = ({ count }: StruckFile) => count >= STRIKES;
