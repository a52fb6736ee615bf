import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { sniffMediaType } from './media-type';

/** A file on disk that was downloaded whole; `sha256` in hex, `bytes` its length. */
export const CachedMedia = z.object({
  key: z.string(),
  url: z.string(),
  type: z.string(),
  bytes: z.int().positive(),
  sha256: z.string(),
  storedAt: z.number(),
});
export type CachedMedia = z.infer<typeof CachedMedia>;

export interface MediaProblem {
  readonly url: string;
  readonly code: 'unreachable' | 'status' | 'not-media' | 'too-large' | 'short' | 'corrupt' | 'disk';
  readonly detail: string;
  readonly at: number;
}

export interface MediaCache {
  /** Finds what earlier runs stored; removes what is not whole. Call once, before anything else. */
  open(): Promise<void>;
  /** The verified file of a URL, or null while there is none. */
  lookup(url: string): CachedMedia | null;
  /**
   * The file of a URL after its bytes were compared with the checksum taken at the
   * download, once a run; one that changed on disk is removed, and null answered.
   */
  verified(url: string): Promise<CachedMedia | null>;
  byKey(key: string): CachedMedia | null;
  pathOf(media: CachedMedia): string;
  /**
   * The URLs that someone needs, most urgent first; missing ones are downloaded,
   * what nobody wants may be evicted. What the next slot waits for (`online`) goes
   * before the playlist's.
   */
  want(who: 'online' | 'playlist', urls: readonly string[]): void;
  /** Called with each URL that became playable (true), or failed or stopped being so (false). */
  onChange(listener: (url: string, ready: boolean) => void): void;
  /** A file turned out unplayable: it is removed, and fetched again after a pause that grows with each strike. */
  strike(url: string, detail: string): void;
  problems(): readonly MediaProblem[];
  usage(): { files: number; bytes: number; quotaBytes: number };
  /** Stops downloading; what is whole stays. */
  close(): Promise<void>;
}

export interface MediaCacheOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly maxFileBytes?: number;
  /** Longest silence of a server before a download is given up, ms. */
  readonly idleMs?: number;
  /** First pause after a failed download, ms; doubles up to an hour. */
  readonly retryMs?: number;
}

const DOWNLOADS_AT_ONCE = 2;
const RETRY_CEILING_MS = 3_600_000;

/** Creatives on disk, by URL: complete, checked and atomically in place, or not there (rule 13). */
export function createMediaCache(options: MediaCacheOptions): MediaCache {
  const { directory, clock, log, schedule } = options;
  const maxFileBytes = options.maxFileBytes ?? 512 * 1024 * 1024;
  const idleMs = options.idleMs ?? 30_000;
  const retryMs = options.retryMs ?? 5_000;

  const files = new Map<string, CachedMedia>();
  const problems = new Map<string, MediaProblem>();
  const failures = new Map<string, { count: number; until: number }>();
  const active = new Map<string, AbortController>();
  const listeners = new Set<(url: string, ready: boolean) => void>();
  const closing = new AbortController();
  /** Checked in this run: downloaded by it, or read again whole. */
  const intact = new Set<string>();
  const wishes = { online: [] as readonly string[], playlist: [] as readonly string[] };
  let wanted: readonly string[] = [];
  let cancelRetry: (() => void) | null = null;

  const path = (key: string) => join(directory, `${key}.bin`);
  const notePath = (key: string) => join(directory, `${key}.json`);
  const tell = (url: string, ready: boolean) => {
    for (const listener of listeners) listener(url, ready);
  };

  async function discard(media: CachedMedia): Promise<void> {
    files.delete(media.url);
    intact.delete(media.url);
    tell(media.url, false);
    await rm(notePath(media.key), { force: true });
    await rm(path(media.key), { force: true });
  }

  async function openDirectory(): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(directory)) {
      if (name.endsWith('.part')) {
        await rm(join(directory, name), { force: true });
        continue;
      }
      if (!name.endsWith('.json')) continue;
      const media = await readNote(join(directory, name));
      const size = media
        ? await stat(path(media.key)).then(
            (found) => found.size,
            () => -1,
          )
        : -1;
      if (media && size === media.bytes) files.set(media.url, media);
      else {
        log.warn('a stored creative is not whole and was removed', { file: name });
        await rm(join(directory, name), { force: true });
        await rm(join(directory, name.replace(/\.json$/, '.bin')), { force: true });
      }
    }
  }

  function next(): void {
    if (closing.signal.aborted) return;
    const now = clock.monotonic();
    for (const url of wanted) {
      if (active.size >= DOWNLOADS_AT_ONCE) return;
      if (files.has(url) || active.has(url) || (failures.get(url)?.until ?? 0) > now) continue;
      const abort = new AbortController();
      active.set(url, abort);
      void download(url, abort).finally(() => {
        active.delete(url);
        next();
      });
    }
    retryLater(now);
  }

  function retryLater(now: number): void {
    cancelRetry?.();
    const due = wanted
      .filter((url) => !files.has(url))
      .map((url) => failures.get(url)?.until ?? Number.POSITIVE_INFINITY);
    const soonest = Math.min(...due, Number.POSITIVE_INFINITY);
    cancelRetry = Number.isFinite(soonest) && soonest > now ? schedule(soonest - now, next) : null;
  }

  async function download(url: string, abort: AbortController): Promise<void> {
    try {
      const media = await fetchToDisk(url, abort);
      files.set(url, media);
      intact.add(url);
      failures.delete(url);
      problems.delete(url);
      log.info('creative stored', { url, bytes: media.bytes, type: media.type });
      await evict();
      tell(url, true);
    } catch (fault) {
      if (closing.signal.aborted) return;
      const problem = fault instanceof DownloadFault ? fault : new DownloadFault('disk', words(fault));
      setAside(url, problem.code, problem.message);
    }
  }

  function setAside(url: string, code: MediaProblem['code'], detail: string): void {
    const count = (failures.get(url)?.count ?? 0) + 1;
    const pause = Math.min(RETRY_CEILING_MS, retryMs * 2 ** (count - 1));
    failures.set(url, { count, until: clock.monotonic() + pause });
    problems.set(url, { url, code, detail, at: clock.now() });
    log.warn('creative not stored', { url, code, detail, retryInMs: pause });
    tell(url, false);
  }

  async function fetchToDisk(url: string, abort: AbortController): Promise<CachedMedia> {
    let cancelIdle = schedule(idleMs, () => abort.abort());
    const signal = AbortSignal.any([abort.signal, closing.signal]);
    const key = createHash('sha256').update(url).digest('hex').slice(0, 40);
    const temporary = join(directory, `${key}.part`);
    try {
      const response = await options.fetch(url, { signal, credentials: 'omit' }).catch((fault: unknown) => {
        throw new DownloadFault(
          'unreachable',
          abort.signal.aborted ? `no answer within ${idleMs} ms` : words(fault),
        );
      });
      if (response.status !== 200 || !response.body) {
        await response.body?.cancel();
        throw new DownloadFault('status', `expected status 200, got ${response.status}`);
      }
      const stated = Number(response.headers.get('content-length') ?? Number.NaN);
      if (stated > maxFileBytes)
        throw new DownloadFault('too-large', `${stated} bytes, at most ${maxFileBytes} are taken`);

      const hash = createHash('sha256');
      const head: number[] = [];
      let bytes = 0;
      const file = await open(temporary, 'w', 0o600);
      try {
        const reader = response.body.getReader();
        for (;;) {
          const { done, value } = await reader.read().catch((fault: unknown) => {
            throw new DownloadFault('short', `the connection ended after ${bytes} bytes: ${words(fault)}`);
          });
          if (done) break;
          cancelIdle();
          cancelIdle = schedule(idleMs, () => abort.abort());
          bytes += value.byteLength;
          if (bytes > maxFileBytes) {
            abort.abort();
            throw new DownloadFault('too-large', `more than ${maxFileBytes} bytes`);
          }
          if (head.length < 64) head.push(...value.subarray(0, 64 - head.length));
          hash.update(value);
          await file.write(value);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      if (Number.isFinite(stated) && !response.headers.has('content-encoding') && stated !== bytes) {
        throw new DownloadFault('short', `expected ${stated} bytes, got ${bytes}`);
      }
      const type = sniffMediaType(Uint8Array.from(head));
      if (type === null) {
        const said = response.headers.get('content-type') ?? 'no content type';
        throw new DownloadFault(
          'not-media',
          `neither an image nor a video this kiosk shows (served as ${said})`,
        );
      }
      const media: CachedMedia = { key, url, type, bytes, sha256: hash.digest('hex'), storedAt: clock.now() };
      await rename(temporary, path(key));
      await writeAtomically(notePath(key), JSON.stringify(media));
      return media;
    } catch (fault) {
      await rm(temporary, { force: true }).catch(() => {});
      throw fault;
    } finally {
      cancelIdle();
    }
  }

  function strike(url: string, detail: string): void {
    const media = files.get(url);
    if (!media) return;
    setAside(url, 'corrupt', detail);
    void discard(media)
      .catch((fault: unknown) =>
        log.warn('a broken creative could not be removed', { url, fault: words(fault) }),
      )
      .finally(next);
  }

  /** Unreferenced files go first, oldest first; what is wanted stays, even above the quota (reported by `usage`). */
  async function evict(): Promise<void> {
    let excess = usage().bytes - options.quotaBytes;
    if (excess <= 0) return;
    const needed = new Set(wanted);
    const idle = [...files.values()]
      .filter((media) => !needed.has(media.url))
      .sort((a, b) => a.storedAt - b.storedAt);
    for (const media of idle) {
      if (excess <= 0) return;
      excess -= media.bytes;
      await discard(media);
    }
  }

  function usage() {
    let bytes = 0;
    for (const media of files.values()) bytes += media.bytes;
    return { files: files.size, bytes, quotaBytes: options.quotaBytes };
  }

  return {
    open: openDirectory,
    lookup: (url) => files.get(url) ?? null,
    async verified(url) {
      const media = files.get(url);
      if (!media || intact.has(url)) return media ?? null;
      if (await isIntact(media, path(media.key))) {
        intact.add(url);
        return media;
      }
      strike(url, 'the file on disk is not what was downloaded');
      return null;
    },
    byKey: (key) => [...files.values()].find((media) => media.key === key) ?? null,
    pathOf: (media) => path(media.key),
    want(who, urls) {
      wishes[who] = urls;
      wanted = [...new Set([...wishes.online, ...wishes.playlist])];
      const needed = new Set(wanted);
      for (const [url, abort] of active) if (!needed.has(url)) abort.abort();
      next();
    },
    onChange: (listener) => void listeners.add(listener),
    strike,
    problems: () => [...problems.values()],
    usage,
    async close() {
      closing.abort();
      cancelRetry?.();
    },
  };
}

async function isIntact(media: CachedMedia, path: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return false;
  }
  return hash.digest('hex') === media.sha256;
}

class DownloadFault extends Error {
  constructor(
    readonly code: MediaProblem['code'],
    detail: string,
  ) {
    super(detail);
  }
}

async function readNote(file: string): Promise<CachedMedia | null> {
  try {
    return CachedMedia.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

async function writeAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

function words(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause instanceof Error ? `${fault.message}: ${fault.cause.message}` : fault.message;
}
