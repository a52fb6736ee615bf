import { z } from 'zod';
import type { CacheBase } from './cache-base';
import { readJson } from './stored-media';
import { afterStrike, isSetAsideForLong, StruckFile, setAsideMs } from './strikes';

const DAY_MS = 86_400_000;

export type SetAside = ReturnType<typeof createSetAside>;

/**
 * Files that could not be shown and are set aside, by URL; stored across restarts (rule 11).
 * @param contentOf SHA-256 of the file that is stored for a URL, in hex
 */
export function createSetAside(
  { disk, paths, problems, clock, log, background }: CacheBase,
  contentOf: (url: string) => string | undefined,
) {
  const strikes = new Map<string, StruckFile>();
  /** Whether the strikes of earlier runs were read; before that their file is not replaced. */
  let isRead = false;

  /** Time until the file of a URL may play, ms; 0: now. */
  function msFor(url: string): number {
    const strike = strikes.get(url);
    const content = contentOf(url);
    if (!strike || (content !== undefined && content !== strike.content)) return 0;
    return setAsideMs(strike, clock.now());
  }

  function store(): void {
    if (!isRead) return;
    const recent = [...strikes].filter(([, { lastAt }]) => clock.now() - lastAt < DAY_MS);
    const text = JSON.stringify(Object.fromEntries(recent));
    background.start('the strikes could not be stored', disk.replaceText(paths.strikes, text));
  }

  return {
    msFor,
    strikeOf: (url: string): StruckFile | undefined => strikes.get(url),
    /** The strike in force against another version than the stored one; its server may still send that one. */
    strikeOnAnother(url: string): StruckFile | undefined {
      const strike = strikes.get(url);
      const isInForce = strike !== undefined && setAsideMs(strike, clock.now()) > 0;
      return isInForce && strike.content !== contentOf(url) ? strike : undefined;
    },
    urls: (): Iterable<string> => strikes.keys(),
    /** Returns a function that takes this strike back. */
    strike(url: string, version: Pick<StruckFile, 'content' | 'etag' | 'lastModified'>): () => void {
      const before = strikes.get(url);
      const strike = afterStrike(before, version, clock.now());
      strikes.set(url, strike);
      if (isSetAsideForLong(strike)) log.warn('creative set aside until it changes, or for a day', { url });
      store();
      return () => {
        if (strikes.get(url) !== strike) return;
        if (before) strikes.set(url, before);
        else strikes.delete(url);
        store();
      };
    },
    /** Forgets the strikes if the new content of this URL is another one. */
    replacedBy(url: string, content: string): void {
      const strike = strikes.get(url);
      if (!strike || strike.content === content) return;
      strikes.delete(url);
      store();
    },
    /**
     * Takes over the strikes of earlier runs, and reports the files that are still set aside. Rejects when they cannot be
     * read now. Does nothing once they were read.
     */
    async load(): Promise<void> {
      if (isRead) return;
      const earlier = await readJson(disk, paths.strikes, z.record(z.string(), StruckFile));
      isRead = true;
      const hasNew = strikes.size > 0;
      for (const [url, strike] of Object.entries(earlier ?? {})) {
        const since = strikes.get(url);
        if (since && (since.content !== strike.content || since.count > strike.count)) continue;
        strikes.set(url, strike);
        const ms = setAsideMs(strike, clock.now());
        const detail = `set aside after ${strike.count} strikes, for ${Math.ceil(ms / 60_000)} minutes or until it changes`;
        if (ms > 0) problems.note(url, 'corrupt', detail);
      }
      if (hasNew) store();
    },
    /**
     * Forgets expired strikes of files that are not wanted. A strike later than now, of a clock that was ahead, gets
     * the present time.
     */
    keepOnly(wanted: { has(url: string): boolean }): void {
      const now = clock.now();
      const early = [...strikes].filter(([, { lastAt }]) => lastAt > now);
      for (const [url, strike] of early) strikes.set(url, { ...strike, lastAt: now });
      if (early.length > 0) store();
      for (const [url, { lastAt }] of strikes)
        if (now - lastAt >= DAY_MS && !wanted.has(url)) strikes.delete(url);
    },
  };
}
