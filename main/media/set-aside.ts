import type { CacheBase } from './cache-base';
import type { Validators } from './stored-media';
import { afterStrike, isSetAsideForLong, type StruckFile, setAsideMs } from './strikes';

const DAY_MS = 86_400_000;

export type SetAside = ReturnType<typeof createSetAside>;

/**
 * Files that could not be shown and are set aside, by URL; stored across restarts (rule 11).
 * @param contentOf SHA-256 of the file that is stored for a URL, in hex
 */
export function createSetAside(
  { disk, paths, clock, log, background }: CacheBase,
  contentOf: (url: string) => string | undefined,
) {
  const strikes = new Map<string, StruckFile>();
  const watched = new Set<string>();

  /** Time until the file of a URL may play, ms; 0: now. */
  function msFor(url: string): number {
    const strike = strikes.get(url);
    const content = contentOf(url);
    if (!strike || (content !== undefined && content !== strike.content)) return 0;
    return setAsideMs(strike, clock.now());
  }

  function store(): void {
    const recent = [...strikes].filter(([, { lastAt }]) => clock.now() - lastAt < DAY_MS);
    const text = JSON.stringify(Object.fromEntries(recent));
    background.start('the strikes could not be stored', disk.replaceText(paths.strikes, text));
  }

  return {
    msFor,
    strikeOf: (url: string): StruckFile | undefined => strikes.get(url),
    urls: (): Iterable<string> => strikes.keys(),
    /** Returns a function that takes this strike back. */
    strike(url: string, version: Pick<StruckFile, 'content'> & Validators): () => void {
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
      watched.delete(url);
      store();
    },
    /** The listeners know that this URL may not play; `back` returns it once it may again. */
    watch: (url: string): void => void watched.add(url),
    /** Removes and returns the watched URLs that may play again. */
    back(): readonly string[] {
      const back = [...watched].filter((url) => msFor(url) === 0);
      for (const url of back) watched.delete(url);
      return back;
    },
    load(stored: ReadonlyMap<string, StruckFile>): void {
      for (const [url, strike] of stored) strikes.set(url, strike);
    },
    /** Forgets expired strikes of files that are not wanted. */
    keepOnly(wanted: { has(url: string): boolean }): void {
      const now = clock.now();
      for (const [url, { lastAt }] of strikes) {
        if (now - lastAt < DAY_MS || wanted.has(url)) continue;
        strikes.delete(url);
        watched.delete(url);
      }
    },
  };
}
