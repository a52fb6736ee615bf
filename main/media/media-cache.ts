import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { backOffMs } from '../service/back-off';
import { cacheConditions } from './cache-conditions';
import { createCacheRoom, type NoRoom } from './cache-room';
import { atOnce, pacedAt } from './checksum';
import { type Disk, realDisk } from './disk';
import { type DownloadResult, download } from './download';
import { createFileChecks } from './file-checks';
import {
  type CacheCondition,
  type DiskCode,
  diskCode,
  type MediaProblem,
  type MediaProblemCode,
  words,
} from './media-problem';
import {
  cachePaths,
  type PartNote,
  readCacheFolder,
  type StoredMedia,
  storePart,
  type Validators,
} from './stored-media';
import { asideMs, isSetAsideForLong, type StruckFile, struck } from './strikes';
import { isNeeded, type Need, needsOf, type WantedMedia, type Wisher } from './want-list';

export type { CacheCondition, MediaProblem } from './media-problem';
export type { WantedMedia, Wisher } from './want-list';

/** A file on disk that was downloaded whole; `sha256` in hex, `bytes` its length. */
export type CachedMedia = Pick<StoredMedia, 'key' | 'url' | 'type' | 'bytes' | 'sha256' | 'storedAt'>;

export interface CacheUsage {
  readonly files: number;
  readonly bytes: number;
  readonly quotaBytes: number;
  /** Of the disk, as seen within the last minute; null: not known. */
  readonly freeBytes: number | null;
}

export interface MediaCache {
  /**
   * Finds what earlier runs stored; removes what is not whole. Call once, before
   * anything else. Never rejects: without a usable folder the cache is empty, says
   * so in `conditions`, and tries again.
   */
  open(): Promise<void>;
  /** The file of a URL that may play, or null while there is none. */
  lookup(url: string): CachedMedia | null;
  /**
   * The file of a URL, looked at again before it plays: its length and dates each
   * time, its checksum once a run, and whenever the file was touched. Answers
   * within `verifyMs`: a file too large to be read in that time, untouched since
   * its checksum was right, is answered, and read on. Null: it cannot play; its
   * URL is told to be gone.
   */
  verified(url: string): Promise<CachedMedia | null>;
  /** By the key in a `media:` address, also when its successor is there already. */
  byKey(key: string): CachedMedia | null;
  pathOf(media: Pick<CachedMedia, 'key'>): string;
  /**
   * All that `who` needs, most urgent first; it replaces what they wanted before.
   * What is missing is fetched, two files at a time, in the order of need; what
   * nobody wants may be evicted.
   */
  want(who: Wisher, media: readonly WantedMedia[]): void;
  /** The URLs of what plays now and next: the files handed out for them stay, even when newer ones are there. */
  inUse(urls: Iterable<string>): void;
  /** A good moment to ask whether files changed on the server (the network is up); each at most once an hour. */
  revalidate(): void;
  /** Called with each URL that became playable (true), or failed or stopped being so (false). */
  onChange(listener: (url: string, ready: boolean) => void): void;
  /**
   * The screen could not show the file that `verified` handed out last. It is set
   * aside: shortly at first, after three strikes until it changes or a day has
   * passed (rule 11).
   */
  strike(url: string, detail: string): void;
  /** What is wrong with single files that somebody wants. */
  problems(): readonly MediaProblem[];
  /** Removes every file but those in use; what is wanted is fetched again. Answers what was removed. */
  clear(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** What is wrong with the cache as a whole. */
  conditions(): readonly CacheCondition[];
  usage(): CacheUsage;
  /** Stops downloading, so that it can be continued; what is whole stays. */
  close(): Promise<void>;
}

export interface MediaCacheOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Bytes of the disk that stay free. */
  readonly minFreeBytes: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Numbers in [0, 1), so that a thousand kiosks do not come back together. */
  readonly random: () => number;
  readonly disk?: Disk;
  readonly maxFileBytes?: number;
  /** How long a server may send next to nothing, ms. */
  readonly idleMs?: number;
  /** First pause after a failed download, ms; doubles up to an hour. */
  readonly retryMs?: number;
  /** Longest wait of `verified` for a checksum, ms. */
  readonly verifyMs?: number;
  /** All downloads together. */
  readonly bytesPerSecond?: number;
}

const DOWNLOADS_AT_ONCE = 2;
/**
 * 100 Mbit/s. Hashing and handing a piece to the disk costs this thread 0.1 ms (p99
 * 0.2 ms), less than posting it to a worker would (p99 0.3 to 1.3 ms): so it is done
 * here, and the rate is bounded instead. Reading the network is what costs.
 */
const DOWNLOAD_BYTES_PER_SECOND = 12_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_CEILING_MS = HOUR_MS;
/** How often the disk is looked at, ms. */
const ROUND_MS = 60_000;
/** Pause after a fault of the disk before anything is written again, ms; doubles up to a quarter of an hour. */
const DISK_PAUSE_MS = 10_000;
const DISK_PAUSE_CEILING_MS = 900_000;
/** Reading the whole cache again, a file at a time, takes this share of the disk, bytes a second. */
const REREAD_BYTES_PER_SECOND = 8_000_000;

/** A download under way, or what it keeps of the disk. */
interface Job {
  readonly url: string;
  readonly need: Need;
  /** `refresh`: a file is there, and the server is asked for a newer one. */
  readonly purpose: 'fetch' | 'refresh';
  readonly abort: AbortController;
  reservedBytes: number;
  writtenBytes: number;
}

/** Creatives on disk, by URL: complete, checked and atomically in place, or not there (rule 13). */
export function createMediaCache(options: MediaCacheOptions): MediaCache {
  const { directory, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;
  const maxFileBytes = options.maxFileBytes ?? 512 * 1024 * 1024;
  const retryMs = options.retryMs ?? 2_000;
  const paths = cachePaths(directory);
  const closing = new AbortController();
  const downloadPace = pacedAt(
    options.bytesPerSecond ?? DOWNLOAD_BYTES_PER_SECOND,
    clock.monotonic,
    schedule,
  );
  const rereadPace = pacedAt(REREAD_BYTES_PER_SECOND, clock.monotonic, schedule);

  /** The file of each URL, and every file on disk by key: also those whose URL has a newer one, while they play. */
  const files = new Map<string, StoredMedia>();
  const onDisk = new Map<string, StoredMedia>();
  const parts = new Map<string, PartNote>();
  const strikes = new Map<string, StruckFile>();
  const problems = new Map<string, MediaProblem>();
  /** Failed transfers in a row, and when to try again (monotonic ms). */
  const failures = new Map<string, { readonly count: number; readonly until: number }>();
  /** Bytes each file needs that found no room, and why. */
  const noRoom = new Map<string, NoRoom>();
  /** URLs whose server is to be asked whether the file changed, and when each was last asked (ms since the epoch). */
  const stale = new Set<string>();
  const askedAt = new Map<string, number>();
  const jobs = new Map<string, Job>();
  const listeners = new Set<(url: string, ready: boolean) => void>();
  /** The versions of each URL handed out last, at most two: one plays, the other may come next. */
  const handedOut = new Map<string, readonly string[]>();
  const wishes: Record<Wisher, readonly WantedMedia[]> = {
    online: [],
    native: [],
    upcoming: [],
    playlist: [],
  };
  const work = new Set<Promise<unknown>>();

  let needs: ReadonlyMap<string, Need> = new Map();
  let urlsInUse: ReadonlySet<string> = new Set();
  let isOpen = false;
  let freeBytes: number | null = null;
  let diskTrouble: { code: DiskCode; detail: string; count: number; until: number } | null = null;
  let cancelWake: (() => void) | null = null;
  let cancelRound: (() => void) | null = null;
  let reading = false;
  let reserving: Promise<unknown> = Promise.resolve();

  const tell = (url: string, ready: boolean) => {
    for (const listener of listeners) listener(url, ready);
  };
  const inBackground = (what: string, task: Promise<unknown>) => {
    const kept = task
      .catch((fault: unknown) => log.warn(what, { fault: words(fault) }))
      .finally(() => work.delete(kept));
    work.add(kept);
  };

  const asideFor = (url: string): number => {
    const strike = strikes.get(url);
    const file = files.get(url);
    if (!strike || (file && file.sha256 !== strike.content)) return 0;
    return asideMs(strike, clock.now());
  };
  const checks = createFileChecks({
    disk,
    paths,
    schedule,
    verifyMs: options.verifyMs ?? 1_000,
    closing: closing.signal,
    inBackground,
    onGone: gone,
    async onIntact(file, stamp, wasDoubtful) {
      if (wasDoubtful && files.get(file.url)?.key === file.key && mayPlay(file)) tell(file.url, true);
      await note(file.url, { verifiedAt: clock.now(), stamp }, file.key);
    },
    onDoubtful: ({ url }) => tell(url, false),
  });
  const mayPlay = (file: StoredMedia) => asideFor(file.url) === 0 && !checks.isDoubtful(file.key);
  const isInUse = ({ url, key }: StoredMedia) =>
    urlsInUse.has(url) && (files.get(url)?.key === key || handedOut.get(url)?.includes(key) === true);

  const room = createCacheRoom({
    quotaBytes: options.quotaBytes,
    minFreeBytes: options.minFreeBytes,
    clock,
    files,
    storedBytes,
    partBytes: () => [...parts.values()].reduce((sum, part) => sum + part.safeBytes, 0),
    downloads: () => jobs.values(),
    needs: () => needs,
    freeBytes: () => freeBytes,
    isInUse,
    isSetAside: (url) => asideFor(url) > HOUR_MS,
  });

  // ── What is fetched, and when ────────────────────────────────────────────────

  function next(): void {
    if (closing.signal.aborted || !isOpen) return;
    const now = clock.now();
    const monotonic = clock.monotonic();
    let wakeIn = Number.POSITIVE_INFINITY;
    if (diskTrouble && diskTrouble.until > monotonic) {
      wakeLater(diskTrouble.until - monotonic);
      return;
    }

    for (const need of needs.values()) {
      const { url } = need;
      if (files.has(url) || jobs.has(url) || !isNeeded(need, now)) continue;
      const waitMs = Math.max(asideFor(url), (failures.get(url)?.until ?? 0) - monotonic);
      if (waitMs > 0) wakeIn = Math.min(wakeIn, waitMs);
      if (waitMs > 0 && !isWorthAsking(url)) continue;
      const tight = noRoom.get(url);
      if (tight && room.isTooTight(tight.bytes, need)) continue;
      if (jobs.size >= DOWNLOADS_AT_ONCE) {
        makeWayFor(need);
        break;
      }
      start(need, 'fetch');
    }
    for (const url of stale) {
      if (jobs.size >= DOWNLOADS_AT_ONCE) break;
      const need = needs.get(url);
      if (!isNeeded(need, now) || !files.has(url)) {
        if (!jobs.has(url) && !strikes.has(url)) stale.delete(url);
        continue;
      }
      if (!jobs.has(url)) start(need, 'refresh');
    }
    for (const url of strikes.keys()) {
      const waitMs = asideFor(url);
      if (waitMs > 0 && files.has(url)) wakeIn = Math.min(wakeIn, waitMs);
    }
    wakeLater(wakeIn);
  }

  function wakeLater(ms: number): void {
    cancelWake?.();
    cancelWake = Number.isFinite(ms)
      ? schedule(ms, () => {
          cancelWake = null;
          tellThoseBack();
          next();
        })
      : null;
  }

  /** Files whose time aside is over may play again. */
  const asideTold = new Set<string>();
  function tellThoseBack(): void {
    for (const url of asideTold) {
      if (asideFor(url) > 0) continue;
      asideTold.delete(url);
      problems.delete(url);
      const file = files.get(url);
      if (file && mayPlay(file)) tell(url, true);
    }
  }

  /** A file set aside may have changed meanwhile: its server can be asked, where it knows its own file. */
  function isWorthAsking(url: string): boolean {
    const strike = strikes.get(url);
    return stale.has(url) && strike !== undefined && (strike.etag !== null || strike.lastModified !== null);
  }

  /** What the next slot waits for does not queue behind the playlist: the least urgent download is put off. */
  function makeWayFor(need: Need): void {
    if (need.by !== 'online' && need.by !== 'native') return;
    const running = [...jobs.values()];
    if (running.some((job) => job.abort.signal.aborted)) return;
    running
      .findLast(
        (job) => job.purpose === 'refresh' || job.need.by === 'playlist' || job.need.by === 'upcoming',
      )
      ?.abort.abort();
  }

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    stale.delete(url);
    const job: Job = {
      url,
      need,
      purpose,
      abort: new AbortController(),
      // Known from an earlier try: two that start together do not count on the same room.
      reservedBytes: noRoom.get(url)?.bytes ?? 0,
      writtenBytes: 0,
    };
    jobs.set(url, job);
    inBackground('a download ended in a fault', run(job));
  }

  async function run(job: Job): Promise<void> {
    const { url } = job;
    const part = parts.get(url) ?? null;
    parts.delete(url);
    const file = files.get(url);
    const strike = strikes.get(url);
    const known = file
      ? { etag: file.etag, lastModified: file.lastModified, bytes: file.bytes }
      : strike && asideFor(url) > 0
        ? { etag: strike.etag, lastModified: strike.lastModified, bytes: null }
        : null;
    try {
      const result = await download(
        {
          fetch: options.fetch,
          disk,
          clock,
          schedule,
          pace: downloadPace,
          maxFileBytes,
          windowMs: options.idleMs ?? 30_000,
        },
        {
          url,
          form: job.need.form,
          partPath: paths.part(url),
          partNotePath: paths.partNote(url),
          part,
          known,
          reserve: (bytes) => reserve(job, bytes),
          onProgress: (bytes) => {
            job.writtenBytes = bytes;
          },
          signal: AbortSignal.any([job.abort.signal, closing.signal]),
        },
      );
      await take(job, result);
    } finally {
      jobs.delete(url);
      next();
    }
  }

  async function take(job: Job, result: DownloadResult): Promise<void> {
    const { url } = job;
    switch (result.kind) {
      case 'downloaded':
        return put(job, result);
      case 'unchanged':
        askedAt.set(url, clock.now());
        failures.delete(url);
        if (job.purpose === 'refresh') problems.delete(url);
        return note(url, { checkedAt: clock.now() });
      case 'cancelled':
        if (result.part) parts.set(url, result.part);
        return;
      case 'no-room': {
        const code = noRoom.get(url)?.code ?? 'cache-too-small';
        noRoom.set(url, { bytes: result.bytes, code });
        if (job.purpose === 'fetch')
          report(url, 'no-room', `no room for its ${result.bytes} bytes (${code})`);
        return;
      }
      case 'refused': {
        askedAt.set(url, clock.now());
        addStrike(url, { content: result.content, ...result.validators });
        transferFailed(url, null);
        report(url, result.code, result.detail);
        return;
      }
      case 'failed': {
        if (result.part) parts.set(url, result.part);
        if (result.disk) return diskFailed(url, result.code, result.detail);
        // A file is there: that its server cannot be asked at the moment changes nothing.
        if (job.purpose === 'refresh') {
          askedAt.set(url, clock.now());
          return log.debug('a creative could not be revalidated', { url, code: result.code });
        }
        transferFailed(url, result.retryAfterMs);
        report(url, result.code, result.detail);
      }
    }
  }

  function transferFailed(url: string, retryAfterMs: number | null): void {
    const count = (failures.get(url)?.count ?? 0) + 1;
    const pause = backOffMs(count, { minMs: retryMs, maxMs: RETRY_CEILING_MS }, options.random);
    failures.set(url, { count, until: clock.monotonic() + Math.max(pause, retryAfterMs ?? 0) });
  }

  function report(url: string, code: MediaProblemCode, detail: string): void {
    problems.set(url, { url, code, detail, at: clock.now() });
    log.warn('creative not stored', { url, code, detail });
    if (!files.has(url)) tell(url, false);
  }

  /** The new file takes its place in one step; the old one goes once it does not play any more. */
  async function put(job: Job, result: Extract<DownloadResult, { kind: 'downloaded' }>): Promise<void> {
    const { url } = job;
    const now = clock.now();
    const before = files.get(url);
    const { type, bytes, sha256, validators } = result;
    try {
      const file = await storePart(disk, paths, {
        url,
        type,
        bytes,
        sha256,
        ...validators,
        storedAt: now,
        checkedAt: now,
        verifiedAt: now,
        usedAt: before?.usedAt ?? now,
      });
      files.set(url, file);
      onDisk.set(file.key, file);
      checks.knownIntact(file);
    } catch (fault) {
      await disk.remove(paths.part(url)).catch(() => {});
      return diskFailed(url, diskCode(fault), words(fault));
    }
    const file = files.get(url);
    if (!file) return;
    askedAt.set(url, now);
    failures.delete(url);
    noRoom.delete(url);
    diskTrouble = null;
    if (asideFor(url) === 0) problems.delete(url);
    if (strikes.has(url) && strikes.get(url)?.content !== sha256) {
      strikes.delete(url);
      asideTold.delete(url);
      storeStrikes();
    }
    log.info(before ? 'creative replaced by its new version' : 'creative stored', { url, bytes, type });
    if (before && before.key !== file.key) release(before);
    tell(url, mayPlay(file));
  }

  // ── Room ─────────────────────────────────────────────────────────────────────

  function storedBytes(): number {
    return [...onDisk.values()].reduce((sum, file) => sum + file.bytes, 0);
  }

  /** One after the other: two that look at the same room would both take it. */
  function reserve(job: Job, bytes: number): Promise<boolean> {
    const turn = reserving.then(async () => {
      await lookAtDisk();
      let short = room.shortage(bytes, job, job.need);
      for (const [url] of [...parts]) {
        if (Math.max(short.quota, short.disk) <= 0) break;
        if (needs.has(url) && isNeeded(needs.get(url), clock.now())) continue;
        await dropPart(url);
        short = room.shortage(bytes, job, job.need);
      }
      const evicted = room.evictable(Math.max(short.quota, short.disk), job.need);
      if (evicted === null) {
        noRoom.set(job.url, { bytes, code: short.quota > 0 ? 'cache-too-small' : 'disk-low' });
        return false;
      }
      for (const { url, key, bytes: freed } of evicted) {
        // Its size is known: it need not be asked for again just to learn that it does not fit.
        if (needs.has(url)) noRoom.set(url, { bytes: freed, code: 'cache-too-small' });
        const file = onDisk.get(key);
        if (file) await drop(file);
        log.info('creative evicted', { url, bytes: freed, for: job.url });
      }
      noRoom.delete(job.url);
      job.reservedBytes = bytes;
      return true;
    });
    reserving = turn.catch(() => {});
    return turn;
  }

  async function lookAtDisk(): Promise<void> {
    freeBytes = await disk.freeBytes(directory).catch(() => null);
  }

  async function dropPart(url: string): Promise<void> {
    parts.delete(url);
    await disk.remove(paths.partNote(url)).catch(() => {});
    await disk.remove(paths.part(url)).catch(() => {});
  }

  /** The URL has this file no more; the bytes go at once, or when they do not play any more. */
  async function drop(file: StoredMedia): Promise<void> {
    if (files.get(file.url)?.key === file.key) {
      files.delete(file.url);
      tell(file.url, false);
      await disk
        .remove(paths.note(file.url))
        .catch((fault: unknown) => log.warn('a note could not be removed', { fault: words(fault) }));
    }
    if (!isInUse(file)) await erase(file);
  }

  function release(file: StoredMedia): void {
    if (!isInUse(file)) inBackground('an old file could not be removed', erase(file));
  }

  /** Files whose URL has a newer one, or none, and that do not play any more. */
  function releaseOldVersions(): void {
    for (const file of onDisk.values()) if (files.get(file.url)?.key !== file.key) release(file);
  }

  async function erase(file: StoredMedia): Promise<void> {
    onDisk.delete(file.key);
    checks.forget(file.key);
    await disk
      .remove(paths.file(file.key))
      .catch((fault: unknown) =>
        log.warn('a file could not be removed', { url: file.url, fault: words(fault) }),
      );
  }

  // ── Faults ───────────────────────────────────────────────────────────────────

  async function diskFailed(url: string, code: MediaProblemCode, detail: string): Promise<void> {
    const known = code === 'disk-full' || code === 'disk-read-only' || code === 'folder-gone' ? code : 'disk';
    const count = (diskTrouble?.count ?? 0) + 1;
    const pause = Math.min(DISK_PAUSE_CEILING_MS, DISK_PAUSE_MS * 2 ** (count - 1));
    diskTrouble = { code: known, detail, count, until: clock.monotonic() + pause };
    report(url, known, detail);
    if (known !== 'folder-gone') return;
    await lookForFiles();
    // The folder is there again: as many as found it gone at the same time go on at once.
    if (diskTrouble && count <= DOWNLOADS_AT_ONCE) diskTrouble = { ...diskTrouble, until: clock.monotonic() };
  }

  /** Makes the folder again if it vanished, and gives up what is not in it any more. */
  async function lookForFiles(): Promise<void> {
    await disk.makeFolder(directory);
    const names = new Set(await disk.list(directory));
    for (const file of [...onDisk.values()]) {
      if (names.has(`${file.key}.bin`)) continue;
      problems.set(file.url, {
        url: file.url,
        code: 'lost',
        detail: 'its file vanished from the cache folder',
        at: clock.now(),
      });
      log.warn('a stored creative vanished', { url: file.url });
      await drop(file);
    }
    for (const [url] of [...parts]) {
      const there = names.has(paths.part(url).slice(directory.length + 1));
      if (!there) parts.delete(url);
    }
  }

  function addStrike(url: string, version: Pick<StruckFile, 'content'> & Validators): void {
    const strike = struck(strikes.get(url), version, clock.now());
    strikes.set(url, strike);
    if (isSetAsideForLong(strike)) log.warn('creative set aside until it changes, or for a day', { url });
    storeStrikes();
  }

  function storeStrikes(): void {
    const recent = [...strikes].filter(([, { lastAt }]) => clock.now() - lastAt < DAY_MS);
    const text = JSON.stringify(Object.fromEntries(recent));
    inBackground('the strikes could not be stored', disk.replaceText(paths.strikes, text));
  }

  async function gone(file: StoredMedia, code: 'corrupt' | 'lost', detail: string): Promise<void> {
    problems.set(file.url, { url: file.url, code, detail, at: clock.now() });
    log.warn('a stored creative cannot be used and is fetched again', { url: file.url, code, detail });
    await drop(file);
    next();
  }

  async function verified(url: string): Promise<CachedMedia | null> {
    const file = files.get(url);
    const good = file && mayPlay(file) ? await checks.isGoodToPlay(file) : false;
    if (!file || !good) {
      handedOut.delete(url);
      return null;
    }
    const older = handedOut.get(url)?.at(-1);
    handedOut.set(url, older === undefined || older === file.key ? [file.key] : [older, file.key]);
    used(file);
    return file;
  }

  function used(file: StoredMedia): void {
    const now = clock.now();
    const current = files.get(file.url);
    if (current?.key === file.key) {
      const isWorthWriting = Math.abs(now - current.usedAt) >= HOUR_MS;
      const touched = { ...current, usedAt: now };
      files.set(file.url, touched);
      onDisk.set(file.key, touched);
      if (isWorthWriting) inBackground('a note could not be written', writeNote(touched));
    }
  }

  async function note(url: string, changes: Partial<StoredMedia>, key = files.get(url)?.key): Promise<void> {
    const file = files.get(url);
    if (!file || file.key !== key) return;
    const changed = { ...file, ...changes };
    files.set(url, changed);
    onDisk.set(changed.key, changed);
    await writeNote(changed).catch((fault: unknown) =>
      log.debug('a note could not be written', { url, fault: words(fault) }),
    );
  }

  const writeNote = (file: StoredMedia) => disk.replaceText(paths.note(file.url), JSON.stringify(file));

  // ── Once a minute ────────────────────────────────────────────────────────────

  function roundLater(): void {
    cancelRound?.();
    if (!closing.signal.aborted)
      cancelRound = schedule(ROUND_MS, () => inBackground('a look at the cache failed', round()));
  }

  /** Looks whether folder and files are there, clears what nobody continues, and reads old files again in idle time. */
  async function round(): Promise<void> {
    try {
      if (!isOpen) {
        await load();
        if (!isOpen) return;
      }
      await lookAtDisk();
      await lookForFiles();
      for (const [url] of [...parts]) if (!needs.has(url)) await dropPart(url);
      for (const url of [...problems.keys()]) if (!needs.has(url)) problems.delete(url);
      tellThoseBack();
      next();
      if (!reading) inBackground('a stored creative could not be read again', readOldest());
    } finally {
      roundLater();
    }
  }

  /** Every file once a day, gently, while nothing is downloaded. */
  async function readOldest(): Promise<void> {
    reading = true;
    try {
      while (!closing.signal.aborted && jobs.size === 0) {
        const now = clock.now();
        const due = [...files.values()]
          .filter(({ verifiedAt }) => now - verifiedAt >= DAY_MS || verifiedAt > now)
          .sort((a, b) => a.verifiedAt - b.verifiedAt)[0];
        if (!due) return;
        await checks.check(due, rereadPace);
      }
    } finally {
      reading = false;
    }
  }

  async function load(): Promise<void> {
    try {
      const contents = await readCacheFolder(disk, directory, log);
      for (const file of contents.files) {
        files.set(file.url, file);
        onDisk.set(file.key, file);
        askedAt.set(file.url, file.checkedAt);
      }
      for (const part of contents.parts) parts.set(part.url, part);
      for (const [url, strike] of contents.strikes) {
        strikes.set(url, strike);
        const ms = asideMs(strike, clock.now());
        if (ms === 0) continue;
        asideTold.add(url);
        const detail = `set aside after ${strike.count} strikes, for ${Math.ceil(ms / 60_000)} minutes or until it changes`;
        problems.set(url, { url, code: 'corrupt', detail, at: strike.lastAt });
      }
      isOpen = true;
      diskTrouble = null;
    } catch (fault) {
      const detail = words(fault);
      diskTrouble = { code: diskCode(fault), detail, count: 1, until: clock.monotonic() };
      log.error('the media folder cannot be used', { folder: directory, fault: detail });
      return;
    }
    for (const file of files.values()) if (mayPlay(file)) tell(file.url, true);
    await lookAtDisk();
    next();
  }

  return {
    async open() {
      await load();
      roundLater();
    },
    lookup(url) {
      const file = files.get(url);
      return file && mayPlay(file) ? file : null;
    },
    verified,
    byKey: (key) => onDisk.get(key) ?? null,
    pathOf: (media) => paths.file(media.key),
    want(who, media) {
      wishes[who] = media;
      needs = needsOf(wishes);
      for (const job of jobs.values()) if (!needs.has(job.url)) job.abort.abort();
      next();
    },
    inUse(urls) {
      const before = urlsInUse;
      urlsInUse = new Set(urls);
      for (const url of before) if (!urlsInUse.has(url)) handedOut.delete(url);
      releaseOldVersions();
    },
    revalidate() {
      const now = clock.now();
      for (const url of needs.keys()) {
        const asked = askedAt.get(url);
        // In the future: the clock was put back since.
        if (asked !== undefined && (now - asked >= HOUR_MS || asked > now)) stale.add(url);
      }
      next();
    },
    onChange: (listener) => void listeners.add(listener),
    strike(url, detail) {
      const file = files.get(url);
      if (!file || handedOut.get(url)?.at(-1) !== file.key) return;
      addStrike(file.url, { content: file.sha256, etag: file.etag, lastModified: file.lastModified });
      asideTold.add(file.url);
      problems.set(file.url, { url: file.url, code: 'corrupt', detail, at: clock.now() });
      tell(file.url, false);
      // If the disk is to blame, a fresh copy helps.
      inBackground('a struck creative could not be read', checks.check(file, atOnce));
      next();
    },
    problems: () => [...problems.values()],
    async clear() {
      const cleared = [...files.values()].filter((file) => !isInUse(file));
      for (const file of cleared) await drop(file);
      next();
      return { files: cleared.length, bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    conditions: () =>
      cacheConditions({
        diskTrouble,
        noRoom: [...noRoom].flatMap(([url, why]) => (needs.has(url) && !files.has(url) ? [why] : [])),
        wanted: needs.size,
        quotaBytes: options.quotaBytes,
        freeBytes,
        minFreeBytes: options.minFreeBytes,
      }),
    usage: () => ({
      files: files.size,
      bytes: storedBytes(),
      quotaBytes: options.quotaBytes,
      freeBytes,
    }),
    async close() {
      closing.abort();
      cancelWake?.();
      cancelRound?.();
      while (work.size > 0) await Promise.all(work);
    },
  };
}
