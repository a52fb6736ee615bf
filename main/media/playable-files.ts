import type { CacheBase } from './cache-base';
import { unpaced } from './checksum';
import { createFileChecks } from './file-checks';
import type { MediaProblem } from './media-problem';
import type { Quarantine } from './quarantine-store';
import { watchQuarantined } from './quarantined-files';
import { createSetAside } from './set-aside';
import { createStoredFiles } from './stored-files';
import type { StoredMedia } from './stored-media';

export type PlayableFiles = ReturnType<typeof createPlayableFiles>;

/**
 * The files on disk, and which of them may play: not those set aside, unchecked or quarantined (rule 11).
 * @param verifyMs longest wait for a checksum, ms
 */
export function createPlayableFiles(
  base: CacheBase,
  quarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'>,
  verifyMs: number,
) {
  const { clock, log, background, problems } = base;
  const listeners = new Set<(url: string, ready: boolean) => void>();
  let tellGone = () => {};
  const tell = (url: string, ready: boolean) => {
    for (const listener of listeners) listener(url, ready);
  };
  const stored = createStoredFiles(base, {
    onDropped: (url) => tell(url, false),
    onErased: (key) => checks.forget(key),
  });
  const aside = createSetAside(base, (url) => stored.byUrl.get(url)?.sha256);
  const checks = createFileChecks(base, verifyMs, {
    async onGone(file, code, detail) {
      problems.note(file.url, code, detail);
      log.warn('a stored creative cannot be used and is fetched again', { url: file.url, code, detail });
      await stored.drop(file);
      tellGone();
    },
    async onIntact(file, stamp, wasUnchecked) {
      if (wasUnchecked && stored.byUrl.get(file.url)?.key === file.key && mayPlay(file)) tell(file.url, true);
      await stored.note(file.url, { verifiedAt: clock.now(), stamp }, file.key);
    },
    onUnchecked: ({ url }) => tell(url, false),
  });
  const isQuarantined = ({ sha256 }: StoredMedia) => quarantine.msFor(sha256) > 0;
  const mayPlay = (file: StoredMedia) =>
    aside.msFor(file.url) === 0 && !checks.isUnchecked(file.key) && !isQuarantined(file);
  /** The file of a URL that may play. */
  const find = (url: string): StoredMedia | null => {
    const file = stored.byUrl.get(url);
    return file && mayPlay(file) ? file : null;
  };

  /** Reports files that may play again after they were set aside. */
  function tellThoseBack(): void {
    for (const url of aside.back()) {
      problems.solved(url);
      if (find(url)) tell(url, true);
    }
  }

  const quarantined = watchQuarantined(quarantine, stored, mayPlay, tell);

  /** See `MediaCache.verified`. */
  async function verified(url: string): Promise<StoredMedia | null> {
    const file = find(url);
    if (!file || !(await checks.isGoodToPlay(file))) {
      stored.takeBack(url);
      return null;
    }
    stored.handOut(file);
    return file;
  }

  /**
   * See `MediaCache.strike`. Returns false, without a strike, if the stored file is not the one handed out
   * last. A strike against a file that was deleted is taken back.
   */
  function strike(url: string, detail: string): boolean {
    const file = stored.byUrl.get(url);
    if (!file || stored.handedOutLast(url) !== file.key) return false;
    const { sha256: content, etag, lastModified } = file;
    const takeBack = aside.strike(url, { content, etag, lastModified });
    aside.watch(url);
    problems.note(url, 'corrupt', detail);
    tell(url, false);
    background.start('a struck creative could not be read', checkStruck(file, takeBack));
    return true;
  }

  /** Has a file that the disk damaged or lost downloaded again, and a lost one at once. */
  async function checkStruck(file: StoredMedia, takeBack: () => void): Promise<void> {
    if ((await checks.check(file, unpaced)) !== 'lost') return;
    takeBack();
    tellGone();
  }

  /** Problems of single files; quarantined files only if they are needed. */
  function problemsOf(needs: { has(url: string): boolean }): readonly MediaProblem[] {
    const harmful = quarantined.problems(needs);
    const urls = new Set(harmful.map(({ url }) => url));
    return [...harmful, ...problems.all().filter(({ url }) => !urls.has(url))];
  }

  return {
    stored,
    aside,
    checks,
    find,
    onChange: (listener: (url: string, ready: boolean) => void): void => void listeners.add(listener),
    /** Sets what is called when a stored file was found damaged or missing and has been removed. */
    onGone(listener: () => void): void {
      tellGone = listener;
    },
    tell,
    /** Reports all files that may play to the listeners. */
    tellAll(): void {
      for (const file of stored.byUrl.values()) if (mayPlay(file)) tell(file.url, true);
      quarantined.look();
    },
    tellThoseBack,
    /** Reports files whose quarantine began or ended. */
    lookAtQuarantine: quarantined.look,
    verified,
    strike,
    /** See `MediaCache.clear`. */
    async clear(): Promise<{ readonly files: number; readonly bytes: number }> {
      const cleared = [...stored.byUrl.values()].filter((file) => !stored.isInUse(file));
      for (const file of cleared) await stored.drop(file);
      return { files: cleared.length, bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    problemsOf,
  };
}
