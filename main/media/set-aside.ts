import { DAY_MS } from '../../shared/clock';
import type { CacheBase } from './cache-base';
import { afterStrike, isSetAsideForLong, type StruckFile, setAsideMs } from './strikes';

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
    /** Forgets expired strikes of files that are not wanted. */
    keepOnly(wanted: { has(url: string): boolean }): void {
      const now = clock.monotonic();
      for (const [url, { lastAt }] of strikes)
        if (now - lastAt >= DAY_MS && !wanted.has(url)) strikes.delete(url);
    },
  };
}
