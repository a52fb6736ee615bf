import { DAY_MS, HOUR_MS } from '../../shared/clock';
import { messageOf } from '../describe-error';
import { limitedLog } from '../limited-log';
import type { CacheBase, MediaCacheOptions } from './cache-base';
import { pacedAt } from './checksum';
import { type DownloadResult, download } from './download';
import { DOWNLOADS_AT_ONCE, type Job } from './download-line';
import type { RoomMaker } from './make-room';
import { type DiskCode, diskCode, type MediaProblemCode } from './media-problem';
import type { PlayableFiles } from './playable-files';
import { storePart } from './stored-media';

/**
 * 100 Mbit/s. Hashing a piece and passing it to the disk blocks the main thread for 0.1 ms (p99 0.2 ms);
 * posting it to a worker would take longer (p99 0.3 to 1.3 ms). So the work stays on this thread, and the
 * rate is limited because reading from the network costs more.
 */
const BYTES_PER_SECOND = 12_000_000;
/** Most bytes of a file that an ad names, as agencies are told. Only the room bounds house creatives. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** Lines of the log on files that cannot be stored, at once and an hour: each is tried again for weeks. */
const MAX_LINES = 100;

/**
 * Returns a function that runs one download and stores its result.
 * @param lookForFiles creates the folder again if it vanished
 */
export function createFetchMedia(
  base: CacheBase,
  options: MediaCacheOptions,
  playable: PlayableFiles,
  room: RoomMaker,
  lookForFiles: () => Promise<void>,
): (job: Job) => Promise<void> {
  const { attempts, disk, paths, unfinished, clock, schedule } = base;
  const { stored, aside, checks } = playable;
  const take = takeResults(base, options, playable, room, lookForFiles);
  const pace = pacedAt(options.bytesPerSecond ?? BYTES_PER_SECOND, clock.monotonic, schedule);

  async function run(job: Job): Promise<void> {
    const { url, by } = job.need;
    const known = knownOf(url);
    const maxFileBytes = by === 'house' ? Number.POSITIVE_INFINITY : (options.maxFileBytes ?? MAX_FILE_BYTES);
    const result = await download(
      {
        ...options,
        disk,
        pace,
        maxFileBytes,
        windowMs: options.idleMs ?? 30_000,
      },
      {
        url,
        from: attempts.urlOf(job.need),
        form: job.need.form,
        partPath: paths.part(url),
        partNotePath: paths.partNote(url),
        part: unfinished.take(url),
        known,
        reserve: (bytes) => room.reserve(job, bytes),
        onProgress: (bytes) => {
          job.writtenBytes = bytes;
        },
        signal: job.abort.signal,
      },
    );
    await take(job, result, known?.content);
  }

  /**
   * What the request names as known: the version that was set aside, or the stored file; null: all bytes are to be sent.
   * `content`: its SHA-256 in hex, or another text that identifies it.
   */
  function knownOf(url: string) {
    const strike = aside.strikeOnAnother(url);
    if (strike) {
      const { content, etag, lastModified } = strike;
      return { content, etag, lastModified, bytes: null };
    }
    const file = stored.byUrl.get(url);
    // The bytes of a file that cannot be read are worth fetching even if they are the same on the server.
    if (!file || checks.readError(file.key) !== null) return null;
    const { sha256: content, etag, lastModified, bytes } = file;
    return { content, etag, lastModified, bytes };
  }

  return run;
}

/** Returns a function that stores the result of a download, or notes why there is none. */
function takeResults(
  { disk, paths, problems, attempts, unfinished, diskErrors, clock, log }: CacheBase,
  { onAnswer = () => {} }: MediaCacheOptions,
  { stored, aside, checks, find, tell }: PlayableFiles,
  room: RoomMaker,
  lookForFiles: () => Promise<void>,
): (job: Job, result: DownloadResult, knownContent: string | undefined) => Promise<void> {
  const { warn } = limitedLog({ log, clock }, MAX_LINES);

  async function take(job: Job, result: DownloadResult, knownContent: string | undefined): Promise<void> {
    const { url } = job.need;
    // A server that sends what the request named as known would send it all again each time, as one whose nodes give it
    // different ETags.
    const restMs = (content: string) => (content === knownContent ? DAY_MS : HOUR_MS);
    switch (result.kind) {
      case 'downloaded':
        return putInPlace(url, result, restMs(result.sha256));
      case 'unchanged':
        attempts.answered(url);
        attempts.succeeded(url);
        onAnswer(url, null);
        if (job.purpose === 'refresh' && !aside.strikeOnAnother(url)) problems.delete(url);
        return stored.confirmed(url);
      case 'cancelled':
        if (result.part) unfinished.keep(result.part);
        return;
      case 'no-room': {
        const code = room.foundNone(url, result.bytes);
        if (job.purpose === 'refresh') return notRevalidated(url, code);
        return report(url, 'no-room', `no room for its ${result.bytes} bytes (${code})`);
      }
      case 'refused': {
        attempts.answered(url, clock.now(), restMs(result.content));
        aside.strike(url, { content: result.content, ...result.validators });
        attempts.failed(url, { code: result.code });
        return badAnswer(url, result.code, result.detail);
      }
      case 'disk-failed':
        return diskFailed(url, result.code, result.detail);
      case 'failed': {
        if (result.part) unfinished.keep(result.part);
        if (job.purpose === 'refresh') return notRevalidated(url, result.code);
        const furtherMs = result.isFurther ? clock.monotonic() - job.startedAt : null;
        const { code, retryAfterMs } = result;
        attempts.failed(url, { code, retryAfterMs, furtherMs, newest: job.need.urls[0] });
        badAnswer(url, result.code, result.detail);
      }
    }
  }

  /** A stored file stays in use while its new version cannot be had. */
  function notRevalidated(url: string, code: string): void {
    attempts.answered(url);
    log.debug('a creative could not be revalidated', { url, code });
  }

  function badAnswer(url: string, code: MediaProblemCode, detail: string): void {
    onAnswer(url, { url, code, detail });
    report(url, code, detail);
  }

  function report(url: string, code: MediaProblemCode, detail: string): void {
    problems.set(url, { url, code, detail });
    warn('creative not stored', { url, code, detail });
    if (find(url) === null) tell(url, false);
  }

  async function diskFailed(url: string, code: DiskCode, detail: string): Promise<void> {
    const count = diskErrors.failed(code, detail);
    attempts.notStored(url);
    // Of a stored file another version can wait, or be the same bytes again.
    if (stored.byUrl.has(url)) attempts.answered(url);
    report(url, code, detail);
    if (code !== 'folder-gone') return;
    await lookForFiles();
    // The folder exists again. Downloads that found it missing at the same time may all retry at once.
    if (count <= DOWNLOADS_AT_ONCE) diskErrors.tryAgain();
  }

  /** Puts the new file in place atomically; the old one is removed once it no longer plays. */
  async function putInPlace(
    url: string,
    { type, bytes, sha256, validators }: Extract<DownloadResult, { kind: 'downloaded' }>,
    restMs: number,
  ): Promise<void> {
    const now = clock.now();
    const before = stored.byUrl.get(url);
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
      stored.add(file);
      checks.knownIntact(file);
    } catch (error) {
      await disk.remove(paths.part(url)).catch(() => {});
      // Without its note nobody finds the file again, and on a full disk others need its space.
      const key = paths.keyOf(url, sha256);
      if (!stored.onDisk.has(key)) await disk.remove(paths.file(key)).catch(() => {});
      return diskFailed(url, diskCode(error), messageOf(error));
    }
    attempts.answered(url, now, restMs);
    attempts.succeeded(url);
    onAnswer(url, null);
    room.settle(url);
    diskErrors.over();
    if (aside.msFor(url) === 0) problems.delete(url);
    aside.replacedBy(url, sha256);
    const replaced =
      before?.sha256 === sha256
        ? 'creative downloaded again with the same bytes'
        : 'creative replaced by its new version';
    log.info(before ? replaced : 'creative stored', { url, bytes, type });
    if (before && before.key !== stored.byUrl.get(url)?.key) stored.release(before);
    tell(url, find(url) !== null);
  }

  return take;
}
