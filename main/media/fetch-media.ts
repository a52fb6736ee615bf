import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Reading } from '../reading/reading';
import type { Attempts } from './attempts';
import { pacedAt } from './checksum';
import type { Disk } from './disk';
import type { DiskTrouble } from './disk-trouble';
import { type DownloadResult, download } from './download';
import type { Job } from './download-places';
import type { FileChecks } from './file-checks';
import type { RoomMaker } from './make-room';
import { type DiskCode, diskCode, type MediaProblemCode, words } from './media-problem';
import type { ProblemList } from './problem-list';
import type { SetAside } from './set-aside';
import type { StoredFiles } from './stored-files';
import { type CachePaths, storePart } from './stored-media';
import type { UnfinishedDownloads } from './unfinished-downloads';

/**
 * 100 Mbit/s. Hashing and handing a piece to the disk costs this thread 0.1 ms (p99
 * 0.2 ms), less than posting it to a worker would (p99 0.3 to 1.3 ms): so it is done
 * here, and the rate is bounded instead. Reading the network is what costs.
 */
const BYTES_PER_SECOND = 12_000_000;

export interface FetchMediaParts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly disk: Disk;
  readonly reading: Pick<Reading, 'read'>;
  readonly paths: CachePaths;
  readonly stored: StoredFiles;
  readonly unfinished: UnfinishedDownloads;
  readonly aside: SetAside;
  readonly attempts: Attempts;
  readonly room: RoomMaker;
  readonly checks: Pick<FileChecks, 'knownIntact'>;
  readonly problems: ProblemList;
  readonly trouble: DiskTrouble;
  readonly onDiskFault: (url: string, code: DiskCode, detail: string) => Promise<void>;
  /** A new file is in its place. */
  readonly onStored: (url: string) => void;
  /** There is no file for a URL, and this try brought none. */
  readonly onMissing: (url: string) => void;
  readonly closing: AbortSignal;
  readonly maxFileBytes: number;
  /** How long a server may send next to nothing, ms. */
  readonly idleMs: number;
  /** All downloads together; absent: 100 Mbit/s. */
  readonly bytesPerSecond: number | undefined;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly log: Log;
}

export interface FetchMedia {
  /** Carries one download out, and does what follows from its end. */
  run(job: Job): Promise<void>;
  /** Says that a file could not be stored. */
  report(url: string, code: MediaProblemCode, detail: string): void;
}

export function createFetchMedia(parts: FetchMediaParts): FetchMedia {
  const { disk, paths, stored, unfinished, aside, attempts, problems, clock, schedule, log } = parts;
  const pace = pacedAt(parts.bytesPerSecond ?? BYTES_PER_SECOND, clock.monotonic, schedule);

  async function run(job: Job): Promise<void> {
    const { url } = job;
    const result = await download(
      {
        fetch: parts.fetch,
        reading: parts.reading,
        disk,
        clock,
        schedule,
        pace,
        maxFileBytes: parts.maxFileBytes,
        windowMs: parts.idleMs,
      },
      {
        url,
        form: job.need.form,
        partPath: paths.part(url),
        partNotePath: paths.partNote(url),
        part: unfinished.take(url),
        known: knownOf(url),
        reserve: (bytes) => parts.room.reserve(job, bytes),
        onProgress: (bytes) => {
          job.writtenBytes = bytes;
        },
        signal: AbortSignal.any([job.abort.signal, parts.closing]),
      },
    );
    await take(job, result);
  }

  /** By what the server's file is known to be the one that is here, or that was struck. */
  function knownOf(url: string) {
    const file = stored.byUrl.get(url);
    if (file) return { etag: file.etag, lastModified: file.lastModified, bytes: file.bytes };
    const strike = aside.strikeOf(url);
    return strike && aside.msFor(url) > 0
      ? { etag: strike.etag, lastModified: strike.lastModified, bytes: null }
      : null;
  }

  async function take(job: Job, result: DownloadResult): Promise<void> {
    const { url } = job;
    switch (result.kind) {
      case 'downloaded':
        return putInPlace(parts, url, result);
      case 'unchanged':
        attempts.answered(url);
        attempts.succeeded(url);
        if (job.purpose === 'refresh') problems.solved(url);
        return stored.note(url, { checkedAt: clock.now() });
      case 'cancelled':
        if (result.part) unfinished.keep(result.part);
        return;
      case 'no-room': {
        const code = parts.room.foundNone(url, result.bytes);
        if (job.purpose === 'fetch')
          report(url, 'no-room', `no room for its ${result.bytes} bytes (${code})`);
        return;
      }
      case 'refused': {
        attempts.answered(url);
        aside.strike(url, { content: result.content, ...result.validators });
        attempts.failed(url, null);
        report(url, result.code, result.detail);
        return;
      }
      case 'failed': {
        if (result.part) unfinished.keep(result.part);
        if (result.disk) {
          const { code } = result;
          const known =
            code === 'disk-full' || code === 'disk-read-only' || code === 'folder-gone' ? code : 'disk';
          return parts.onDiskFault(url, known, result.detail);
        }
        // A file is there: that its server cannot be asked at the moment changes nothing.
        if (job.purpose === 'refresh') {
          attempts.answered(url);
          return log.debug('a creative could not be revalidated', { url, code: result.code });
        }
        attempts.failed(url, result.retryAfterMs);
        report(url, result.code, result.detail);
      }
    }
  }

  function report(url: string, code: MediaProblemCode, detail: string): void {
    problems.note(url, code, detail);
    log.warn('creative not stored', { url, code, detail });
    if (!stored.byUrl.has(url)) parts.onMissing(url);
  }

  return { run, report };
}

/** The new file takes its place in one step; the old one goes once it does not play any more. */
async function putInPlace(
  parts: FetchMediaParts,
  url: string,
  { type, bytes, sha256, validators }: Extract<DownloadResult, { kind: 'downloaded' }>,
): Promise<void> {
  const { disk, paths, stored, aside, attempts, problems, clock, log } = parts;
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
    parts.checks.knownIntact(file);
  } catch (fault) {
    await disk.remove(paths.part(url)).catch(() => {});
    return parts.onDiskFault(url, diskCode(fault), words(fault));
  }
  attempts.answered(url, now);
  attempts.succeeded(url);
  parts.room.settle(url);
  parts.trouble.over();
  if (aside.msFor(url) === 0) problems.solved(url);
  aside.replacedBy(url, sha256);
  log.info(before ? 'creative replaced by its new version' : 'creative stored', { url, bytes, type });
  if (before && before.key !== stored.byUrl.get(url)?.key) stored.release(before);
  parts.onStored(url);
}
