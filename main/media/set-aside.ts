import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { BackgroundWork } from './background-work';
import type { Disk } from './disk';
import type { CachePaths, Validators } from './stored-media';
import { asideMs, isSetAsideForLong, type StruckFile, struck } from './strikes';

const DAY_MS = 86_400_000;

export interface SetAsideParts {
  readonly disk: Pick<Disk, 'replaceText'>;
  readonly paths: Pick<CachePaths, 'strikes'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly background: BackgroundWork;
  /** SHA-256 of the file that is stored for a URL, in hex. */
  readonly contentOf: (url: string) => string | undefined;
}

/** Quarantine: files that could not be shown, by URL, kept across restarts (rule 11). */
export interface SetAside {
  /** How much longer the file of a URL stays aside, ms; 0: it may play. */
  msFor(url: string): number;
  strikeOf(url: string): StruckFile | undefined;
  urls(): Iterable<string>;
  strike(url: string, version: Pick<StruckFile, 'content'> & Validators): void;
  /** Another content came: what was struck is not there any more. */
  replacedBy(url: string, content: string): void;
  /** Its users were told that it may not play: `back` names it once it may. */
  watch(url: string): void;
  /** Those watched whose time aside is over, each once. */
  back(): readonly string[];
  load(strikes: ReadonlyMap<string, StruckFile>): void;
  /** Forgets the strikes that count no more, of what nobody wants. */
  keepOnly(wanted: { has(url: string): boolean }): void;
}

export function createSetAside(parts: SetAsideParts): SetAside {
  const { clock } = parts;
  const strikes = new Map<string, StruckFile>();
  const watched = new Set<string>();

  function msFor(url: string): number {
    const strike = strikes.get(url);
    const content = parts.contentOf(url);
    if (!strike || (content !== undefined && content !== strike.content)) return 0;
    return asideMs(strike, clock.now());
  }

  function store(): void {
    const recent = [...strikes].filter(([, { lastAt }]) => clock.now() - lastAt < DAY_MS);
    const text = JSON.stringify(Object.fromEntries(recent));
    parts.background.start(
      'the strikes could not be stored',
      parts.disk.replaceText(parts.paths.strikes, text),
    );
  }

  return {
    msFor,
    strikeOf: (url) => strikes.get(url),
    urls: () => strikes.keys(),
    strike(url, version) {
      const strike = struck(strikes.get(url), version, clock.now());
      strikes.set(url, strike);
      if (isSetAsideForLong(strike))
        parts.log.warn('creative set aside until it changes, or for a day', { url });
      store();
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
