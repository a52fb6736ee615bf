import { HOUR_MS } from '../../shared/clock';
import { createCacheBase, type MediaCacheOptions } from './cache-base';
import { cacheConditions } from './cache-conditions';
import { createCacheRounds } from './cache-rounds';
import { createDownloadLine, type DownloadLine } from './download-line';
import { createFetchMedia } from './fetch-media';
import { createRoomMaker } from './make-room';
import { mediaIdentity } from './media-identity';
import type { CacheCondition, MediaProblem } from './media-problem';
import { createPlayableFiles } from './playable-files';
import type { StoredMedia } from './stored-media';
import { type MediaUser, type Need, needsOf, type WantedMedia } from './want-list';

/** A completely downloaded file on disk. `sha256`: in hex; `bytes`: its length. */
export type CachedMedia = Pick<StoredMedia, 'key' | 'url' | 'type' | 'bytes' | 'sha256' | 'storedAt'>;

export type MediaCache = ReturnType<typeof createMediaCache>;

/**
 * Creatives on disk, by URL: either complete, checked and put in place atomically, or absent (rule 13). All URLs of one
 * file that differ only in their signature are one URL; the cache itself names the file by its identity (`mediaIdentity`).
 * Composes stored files, strikes, downloads, room and upkeep.
 */
export function createMediaCache(options: MediaCacheOptions) {
  const { directory, quotaBytes, minFreeBytes } = options;
  const closing = new AbortController();
  const base = createCacheBase(options, closing.signal);
  const { disk, paths, background, attempts, diskErrors } = base;
  const wishes: Partial<Record<MediaUser, readonly WantedMedia[]>> = {};
  let needs: ReadonlyMap<string, Need> = new Map();
  let freeBytes: number | null = null;

  const lookAtDisk = async () => {
    freeBytes = await disk.freeBytes(directory).catch(() => null);
  };
  const state = { needs: () => needs, freeBytes: () => freeBytes, lookAtDisk };
  const files = createPlayableFiles(base, options.quarantine, () => line.advance());
  const { stored, aside } = files;
  const room = createRoomMaker({
    ...base,
    ...state,
    quotaBytes,
    minFreeBytes,
    stored,
    downloads: () => line.underWay(),
    isSetAside: (url) => aside.msFor(url) > HOUR_MS,
  });
  const line: DownloadLine = createDownloadLine({
    ...base,
    ...state,
    stored,
    aside,
    room,
    isBegun: base.unfinished.has,
    isOpen: () => rounds.isOpen() && !closing.signal.aborted,
    run: createFetchMedia(base, options, files, room, () => rounds.lookForFiles()),
    onWake: files.tellChanges,
  });

  const isMissing = (url: string) => needs.has(url) && !stored.byUrl.has(url);

  const rounds = createCacheRounds(base, {
    files,
    room,
    ...state,
    isIdle: () => line.isIdle(),
    advance: () => line.advance(),
  });

  return {
    /**
     * Loads what earlier runs stored and removes incomplete files. Call once, before anything else. Never
     * rejects: without a usable folder the cache is empty, reports that in `conditions`, and tries again.
     */
    open: rounds.open,
    /** The file of a URL, if it may play now; otherwise null. */
    lookup: (url: string): CachedMedia | null => files.find(mediaIdentity(url)),
    /** Time until a missing file is tried next, ms; 0: now; Infinity: when there is room for it. */
    waitMs(url: string): number {
      const file = mediaIdentity(url);
      const need = needs.get(file);
      if (need && room.look()(need)) return Number.POSITIVE_INFINITY;
      return Math.max(aside.msFor(file), attempts.waitMs(file));
    },
    /** How many downloads of a file failed in a row, or were not taken by the disk; remembered for an hour. */
    failures: (url: string): number => attempts.failures(mediaIdentity(url)),
    /** See `Attempts`; remembered for an hour, also when the file is not wanted any more. */
    failedAs: (url: string) => attempts.failedAs(mediaIdentity(url)),
    /**
     * The file of a URL, checked before it plays: length and dates each time, the checksum once per run and
     * whenever the file was touched. Resolves within a second: a large file that was not touched since its
     * last check may play while its checksum is still being read. Null: it cannot play, and `onChange` reports
     * that.
     */
    verified: (url: string): Promise<CachedMedia | null> => files.verified(mediaIdentity(url)),
    /** The file with this key in a `media:` URL, even if a newer version of its URL is stored. */
    byKey: (key: string): CachedMedia | null => stored.onDisk.get(key) ?? null,
    pathOf: (media: Pick<CachedMedia, 'key'>): string => paths.file(media.key),
    /** The file of each URL, whether it may play or not. */
    files: (): StoredMedia[] => [...stored.byUrl.values()],
    /**
     * All files that `who` needs, most urgent first; replaces the previous list of `who`.
     * Missing files are fetched, two at a time, in the order of need; files that are in
     * no list may be evicted.
     */
    want(who: MediaUser, media: readonly WantedMedia[]): void {
      wishes[who] = media;
      needs = needsOf(wishes, needs);
      line.abortUnwanted();
      line.advance();
    },
    /** Removes the files of these URLs, for later runs, too. One that plays stays on disk until it ends. */
    forget: files.forget,
    /** What plays now and next: it stays on disk, even if newer versions are stored. */
    inUse: (urls: Iterable<string>, nowPlaying: Iterable<string>): void =>
      stored.inUse([...urls].map(mediaIdentity), nowPlaying),
    /**
     * Asks the servers whether files changed, at most once an hour for each file, and once a day for one whose server
     * sends the same bytes again. Call it when the network is up. House files are left out: a changed one has another URL.
     */
    revalidate(): void {
      const ofAds = [...needs.values()].filter(({ by }) => by !== 'house');
      attempts.revalidate(ofAds.map(({ url }) => url));
      line.advance();
    },
    /** To be called when the clock was set: quarantines that were over may count again, or be over. */
    clockSet(): void {
      files.tellChanges();
      line.advance();
    },
    /**
     * Calls `listener` with each URL that may play now (true), or that failed or may not play any more (false), and
     * `afterwards` once for all that changed at the same time: what depends on all files is too much work for each.
     */
    onChange: files.onChange,
    /**
     * The screen could not show this version of the file. Sets it aside: at first for 30 seconds, after three strikes
     * for a day or until it changes (rule 11).
     *
     * @param sha256 in hex; undefined: no file was there to be shown, so there is no strike
     */
    strike(url: string, sha256: string | undefined, detail: string): void {
      if (files.strike(mediaIdentity(url), sha256, detail)) line.advance();
    },
    /** These files were shown from their first frame to their end, which clears the strikes against them (rule 11). */
    shownWhole: files.shownWhole,
    /**
     * This kiosk has no place to show a page. No page may play until `place` resolves, or for a minute: if another
     * page were tried, it would wait for a place, too. Each is a problem (`no-guest`), but gets no strike: no file is at fault.
     */
    passOverPages: files.passOverPages,
    /** Problems of single files that are wanted. */
    problems: (): readonly MediaProblem[] => files.problemsOf(needs),
    problemOf: (url: string): MediaProblem | null => files.problemOf(mediaIdentity(url), needs),
    /**
     * Removes all files that are not in use; wanted files are downloaded again. Resolves to what was removed; rejects with
     * the disk's error where it removed nothing. What it could not remove stays.
     */
    clear: files.clear,
    /** Problems of the cache as a whole. */
    conditions: (): readonly CacheCondition[] =>
      cacheConditions({
        diskError: diskErrors.current(),
        noRoom: [...room.lacking].flatMap(([url, why]) => (isMissing(url) ? [why] : [])),
        wanted: needs.size,
        storedBytes: files.bytesOf(needs),
        quotaBytes,
        freeBytes,
        minFreeBytes,
      }),
    /** `freeBytes`: free space on the disk, measured within the last minute; null: not known. */
    usage: () => ({ files: stored.byUrl.size, bytes: stored.bytes(), quotaBytes, freeBytes }),
    /** Stops all downloads in a state from which they can continue. */
    async close(): Promise<void> {
      closing.abort();
      line.close();
      rounds.end();
      await background.finished();
    },
  };
}
