import type { CacheBase } from './cache-base';
import type { Validators } from './stored-media';
import { afterStrike, isSetAsideForLong, type StruckFile, setAsideMs } from './strikes';

const DAY_MS = 86_400_000;

/** Files that could not be shown and are set aside, by URL; stored across restarts (rule 11). */
export interface SetAside {
  /** Time until the file of a URL may play, ms; 0: now. */
  msFor(url: string): number;
  strikeOf(url: string): StruckFile | undefined;
  urls(): Iterable<string>;
  /** Returns a function that takes this strike back. */
  strike(url: string, version: Pick<StruckFile, 'content'> & Validators): () => void;
  /** Forgets the strikes if the new content of this URL is another one. */
  replacedBy(url: string, content: string): void;
  /** The listeners know that this URL may not play; `back` returns it once it may again. */
  watch(url: string): void;
  /** Removes and returns the watched URLs that may play again. */
  back(): readonly string[];
  load(strikes: ReadonlyMap<string, StruckFile>): void;
  /** Forgets expired strikes of files that are not wanted. */
  keepOnly(wanted: { has(url: string): boolean }): void;
}

/** @param contentOf SHA-256 of the file that is stored for a URL, in hex */
export function createSetAside(
  { disk, paths, clock, log, background }: CacheBase,
  contentOf: (url: string) => string | undefined,
): SetAside {
  const strikes = new Map<string, StruckFile>();
  const watched = new Set<string>();

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
    strikeOf: (url) => strikes.get(url),
    urls: () => strikes.keys(),
    strike(url, version) {
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
    replacedBy(url, content) {
      const strike = strikes.get(url);
      if (!strike || strike.content === content) return;
      strikes.delete(url);
      watched.delete(url);
      store();
    },
    watch: (url) => void watched.add(url),
    back() {
      const back = [...watched].filter((url) => msFor(url) === 0);
      for (const url of back) watched.delete(url);
      return back;
    },
    load(stored) {
      for (const [url, strike] of stored) strikes.set(url, strike);
    },
    keepOnly(wanted) {
      const now = clock.now();
      for (const [url, { lastAt }] of strikes) {
        if (now - lastAt < DAY_MS || wanted.has(url)) continue;
        strikes.delete(url);
        watched.delete(url);
      }
    },
  };
}
