import { messageOf } from '../describe-error';
import type { CacheBase } from './cache-base';
import { unpaced } from './checksum';
import { createFileChecks } from './file-checks';
import { type MediaProblem, quarantineWords, unreadableWords } from './media-problem';
import { PAGE_TYPE } from './media-type';
import type { Quarantine } from './quarantine-store';
import { createSetAside } from './set-aside';
import { createStoredFiles, type StoredFiles } from './stored-files';
import type { StoredMedia } from './stored-media';

/** Longest time that pages are passed over, ms: a place that was lost for good must not keep them away for ever. */
const MAX_WITHOUT_PAGES_MS = 60_000;

const NO_GUEST = 'expected a process of its own to show this page in within 10 seconds, got none';

type FileListener = (url: string, ready: boolean) => void;
type Changes = ReadonlyArray<Readonly<Parameters<FileListener>>>;

export type PlayableFiles = ReturnType<typeof createPlayableFiles>;

/**
 * The files on disk, and which of them may play: not those set aside, unchecked or quarantined (rule 11).
 * @param onGone called when files have been removed that may be needed again
 */
export function createPlayableFiles(
  base: CacheBase,
  quarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'>,
  onGone: () => void,
) {
  const { clock, schedule, log, background, problems } = base;
  const listeners = createListeners();
  /** The place that pages wait for; null: they do not wait. */
  let missingPlace: Promise<unknown> | null = null;
  const tell = (url: string, ready: boolean) => listeners.tell([[url, ready]]);

  const stored = createStoredFiles(base, (url) => tell(url, false));
  const aside = createSetAside(base, (url) => stored.byUrl.get(url)?.sha256);
  const checks = createFileChecks(base, {
    async onGone(file, code, detail) {
      problems.set(file.url, { url: file.url, code, detail });
      log.warn('a stored creative cannot be used and is fetched again', { url: file.url, code, detail });
      await stored.drop(file);
      onGone();
    },
    onIntact: (file, stamp) => stored.note(file.url, { verifiedAt: clock.now(), stamp }, file.key),
    onChange: tellChanges,
  });

  /** The file of a URL that may play. */
  function find(url: string): StoredMedia | null {
    const file = stored.byUrl.get(url);
    const mayPlay =
      file &&
      aside.msFor(url) === 0 &&
      !checks.isUnchecked(file.key) &&
      quarantine.msFor(file.sha256) === 0 &&
      (missingPlace === null || file.type !== PAGE_TYPE);
    return mayPlay ? file : null;
  }

  /** Reports the files that may play again, or no longer: strikes and quarantines end by time alone. */
  function tellChanges(): void {
    const changes: Array<Changes[number]> = [];
    for (const { url, sha256 } of stored.byUrl.values()) {
      const isReady = find(url) !== null;
      if (isReady === listeners.known.has(url)) continue;
      if (isReady && aside.strikeOf(url)?.content === sha256) problems.delete(url);
      changes.push([url, isReady]);
    }
    listeners.tell(changes);
  }
  quarantine.onChange(tellChanges);

  /** Has a file that the disk damaged or lost downloaded again, and a lost one at once. */
  async function checkStruck(file: StoredMedia, takeBack: () => void): Promise<void> {
    if ((await checks.check(file, unpaced)) !== 'lost') return;
    takeBack();
    onGone();
  }

  /** See `MediaCache.verified`. */
  async function verified(url: string): Promise<StoredMedia | null> {
    const file = find(url);
    if (!file) return null;
    const isGood = await checks.isGoodToPlay(file);
    // While it was read, its new version may have replaced it on the disk.
    if (!stored.onDisk.has(file.key)) return verified(url);
    if (!isGood) return null;
    stored.handOut(file);
    return file;
  }

  return {
    stored,
    aside,
    checks,
    find,
    /** See `MediaCache.onChange`. */
    onChange: listeners.add,
    tell,
    tellChanges,
    verified,
    /**
     * See `MediaCache.strike`. Returns false, without a strike, if another version is stored. A strike against a file
     * that was deleted is taken back.
     */
    strike(url: string, content: string | undefined, detail: string): boolean {
      const file = stored.byUrl.get(url);
      if (!file || file.sha256 !== content) return false;
      const { etag, lastModified } = file;
      const takeBack = aside.strike(url, { content, etag, lastModified });
      problems.set(url, { url, code: 'not-shown', detail });
      tell(url, false);
      background.start('a struck creative could not be read', checkStruck(file, takeBack));
      return true;
    },
    /** See `MediaCache.shownWhole`. */
    shownWhole(files: ReadonlyArray<Pick<StoredMedia, 'sha256'>>): void {
      const urls = files.flatMap(({ sha256 }) => aside.shownWhole(sha256));
      for (const url of urls) if (problems.get(url)?.code === 'not-shown') problems.delete(url);
      if (urls.length > 0) tellChanges();
    },
    /** See `MediaCache.passOverPages`. */
    passOverPages(place: Promise<unknown>): void {
      missingPlace = place;
      log.warn('there is no place to show a page; pages are passed over');
      const pages = [...stored.byUrl.values()].filter(({ type }) => type === PAGE_TYPE);
      for (const { url } of pages) problems.set(url, { url, code: 'no-guest', detail: NO_GUEST });
      const goOn = () => {
        if (missingPlace !== place) return;
        missingPlace = null;
        for (const { url } of pages) if (problems.get(url)?.code === 'no-guest') problems.delete(url);
        tellChanges();
      };
      schedule(MAX_WITHOUT_PAGES_MS, goOn);
      // After a rejection the pages wait for the timer: the next try would fail, too.
      place.then(goOn, () => {});
      tellChanges();
    },
    /** Size of the stored files of these URLs. */
    bytesOf: (urls: { has(url: string): boolean }): number =>
      [...stored.byUrl.values()].reduce((sum, { url, bytes }) => (urls.has(url) ? sum + bytes : sum), 0),
    /** See `MediaCache.forget`. */
    forget(urls: Iterable<string>): void {
      for (const url of urls) {
        const file = stored.byUrl.get(url);
        if (file) background.start('a file could not be removed', stored.drop(file));
      }
    },
    /** See `MediaCache.clear`. */
    async clear(): Promise<{ readonly files: number; readonly bytes: number }> {
      const cleared = await clearUnused(base, stored);
      onGone();
      return { files: cleared.length, bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    ...createProblems(base, quarantine, stored, checks),
  };
}

/**
 * Removes the files that are not in use, and returns those that are gone. What the disk keeps stays; rejects with its
 * error where it keeps them all.
 */
async function clearUnused({ disk, paths, log }: CacheBase, stored: StoredFiles): Promise<StoredMedia[]> {
  const cleared: StoredMedia[] = [];
  let diskError: unknown = null;
  for (const file of [...stored.byUrl.values()]) {
    if (stored.isInUse(file)) continue;
    try {
      // Before it is dropped, which forgets a file that the disk keeps, too.
      await disk.remove(paths.file(file.key));
      await stored.drop(file);
      cleared.push(file);
    } catch (error) {
      diskError = error;
      log.warn('a file could not be cleared', { url: file.url, error: messageOf(error) });
    }
  }
  if (cleared.length === 0 && diskError !== null) throw diskError;
  return cleared;
}

/** What is wrong with files. */
function createProblems(
  { problems }: CacheBase,
  quarantine: Pick<Quarantine, 'msFor' | 'all'>,
  stored: Pick<StoredFiles, 'byUrl'>,
  checks: Pick<ReturnType<typeof createFileChecks>, 'readError'>,
) {
  /** Of a file that is needed, its quarantine, and that it cannot be read, come before its other problem. */
  function problemOf(url: string, needs: { has(url: string): boolean }): MediaProblem | null {
    const file = needs.has(url) ? stored.byUrl.get(url) : undefined;
    if (file === undefined) return problems.get(url) ?? null;
    const { key, sha256 } = file;
    const one = quarantine.msFor(sha256) > 0 && quarantine.all().find((each) => each.sha256 === sha256);
    if (one) return { url, code: 'harmful', detail: quarantineWords(one) };
    const error = checks.readError(key);
    if (error !== null) return { url, code: 'unreadable', detail: unreadableWords(error) };
    return problems.get(url) ?? null;
  }

  return {
    problemOf,
    problemsOf: (needs: { has(url: string): boolean }): readonly MediaProblem[] =>
      [...new Set([...stored.byUrl.keys(), ...problems.keys()])].flatMap(
        (url) => problemOf(url, needs) ?? [],
      ),
  };
}

/** Those who hear which files may play now, or no longer. */
function createListeners() {
  const listeners = new Set<{ readonly listener: FileListener; readonly afterwards: () => void }>();
  /** URLs that may play, as the listeners know. */
  const known = new Set<string>();
  return {
    known: known as ReadonlySet<string>,
    add: (listener: FileListener, afterwards = () => {}): void =>
      void listeners.add({ listener, afterwards }),
    tell(changes: Changes): void {
      for (const [url, ready] of changes) {
        if (ready) known.add(url);
        else known.delete(url);
        for (const { listener } of listeners) listener(url, ready);
      }
      if (changes.length > 0) for (const { afterwards } of listeners) afterwards();
    },
  };
}
