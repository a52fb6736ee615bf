import { DAY_MS } from '../../shared/clock';
import type { CacheBase } from './cache-base';
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

export type SetAside = ReturnType<typeof createSetAside>;

/**
 * Files that could not be shown and are set aside, by URL (rule 11). After a restart they are tried again (decision 101).
 * @param contentOf SHA-256 of the file that is stored for a URL, in hex
 */
export function createSetAside(
  { clock, log }: Pick<CacheBase, 'clock' | 'log'>,
  contentOf: (url: string) => string | undefined,
) {
  const strikes = new Map<string, StruckFile>();

  /** Time until the file of a URL may play, ms; 0: now. */
  function msFor(url: string): number {
    const strike = strikes.get(url);
    const content = contentOf(url);
    if (!strike || (content !== undefined && content !== strike.content)) return 0;
    return setAsideMs(strike, clock.monotonic());
  }

  return {
    msFor,
    strikeOf: (url: string): StruckFile | undefined => strikes.get(url),
    /** The strike in force against another version than the stored one; its server may still send that one. */
    strikeOnAnother(url: string): StruckFile | undefined {
      const strike = strikes.get(url);
      const isInForce = strike !== undefined && setAsideMs(strike, clock.monotonic()) > 0;
      return isInForce && strike.content !== contentOf(url) ? strike : undefined;
    },
    urls: (): Iterable<string> => strikes.keys(),
    /** Returns a function that takes this strike back. */
    strike(url: string, version: Pick<StruckFile, 'content' | 'etag' | 'lastModified'>): () => void {
      const before = strikes.get(url);
      const strike = afterStrike(before, version, clock.monotonic());
      strikes.set(url, strike);
      if (isSetAsideForLong(strike)) log.warn('creative set aside until it changes, or for a day', { url });
      return () => {
        if (strikes.get(url) !== strike) return;
        if (before) strikes.set(url, before);
        else strikes.delete(url);
      };
    },
    /** Forgets the strikes if the new content of this URL is another one. */
    replacedBy(url: string, content: string): void {
      if (strikes.get(url)?.content !== content) strikes.delete(url);
    },
    /** Forgets the strikes against this content, because it was shown from its first frame to its end. Returns its URLs. */
    shownWhole(content: string): readonly string[] {
      const urls = [...strikes].flatMap(([url, strike]) => (strike.content === content ? [url] : []));
      for (const url of urls) strikes.delete(url);
      return urls;
    },
    /** Forgets expired strikes of files that are not wanted. */
    keepOnly(wanted: { has(url: string): boolean }): void {
      const now = clock.monotonic();
      for (const [url, { lastAt }] of strikes)
        if (now - lastAt >= DAY_MS && !wanted.has(url)) strikes.delete(url);
    },
  };
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
