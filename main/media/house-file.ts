import { basename, join } from 'node:path';
import { ReadableStream, TransformStream } from 'node:stream/web';
import type { FetchInit } from '../egress/http-client';
import { type Disk, type FileStamp, piecesOf, sameStamp } from './disk';

/**
 * The URL of a file in the house folder, as the media cache knows it. It names one version: a changed file
 * has another URL.
 */
export function houseUrl(name: string, { bytes, modifiedMs, inode }: FileStamp): string {
  return `house:${encodeURIComponent(name)}?${bytes}&${modifiedMs}&${inode}`;
}

/** Name and version of the file at this URL; null: not the URL of a house file. */
export function parseHouseUrl(url: string): { readonly name: string; readonly stamp: FileStamp } | null {
  const [, encoded = '', bytes, modifiedMs, inode] =
    /^house:([^?/\\]+)\?(\d+)&(-?[\d.]+)&(\d+)$/.exec(url) ?? [];
  try {
    const name = decodeURIComponent(encoded);
    if (name === '' || name === '.' || name === '..' || basename(name) !== name) return null;
    return { name, stamp: { bytes: Number(bytes), modifiedMs: Number(modifiedMs), inode: Number(inode) } };
  } catch {
    return null;
  }
}

/**
 * Answers downloads of the cache from the operator's folder, which is only read. The body ends in an error
 * when the file is not the version that the URL names, or changes meanwhile, so the cache never stores a
 * half-written file; and at once when `signal` aborts, even if the disk never answers. Null: not the URL of a
 * house file.
 */
export function fetchHouseFile(
  folder: string,
  disk: Pick<Disk, 'stamp' | 'openToRead'>,
): (url: string, init?: FetchInit) => Response | null {
  /** Each read that is not answered blocks one of the few threads that read files, so no retry starts another. */
  let givenUpEnded: Promise<unknown> = Promise.resolve();

  async function* readVersion(
    path: string,
    stamp: FileStamp,
    signal: AbortSignal | null | undefined,
  ): AsyncGenerator<Uint8Array> {
    await givenUpEnded;
    signal?.throwIfAborted();
    yield* piecesOf(disk, path, stamp.bytes);
    if (!sameStamp(await disk.stamp(path), stamp)) throw new Error('it changed while it was copied');
  }

  return (url, { signal } = {}) => {
    const file = parseHouseUrl(url);
    if (file === null) return null;
    const pieces = readVersion(join(folder, file.name), file.stamp, signal);
    signal?.addEventListener('abort', () => {
      // Ends once the disk has answered and the file is closed. Without its result, which would keep all before it.
      givenUpEnded = Promise.allSettled([givenUpEnded, pieces.return(undefined)]).then(() => {});
    });
    const body = ReadableStream.from(pieces).pipeThrough(new TransformStream(), signal ? { signal } : {});
    const headers = { 'content-length': String(file.stamp.bytes) };
    return new Response(body as unknown as BodyInit, { headers });
  };
}
