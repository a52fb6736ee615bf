import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
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
 * half-written file. Null: not the URL of a house file.
 */
export function fetchHouseFile(
  folder: string,
  disk: Pick<Disk, 'stamp' | 'openToRead'>,
): (url: string, init?: FetchInit) => Response | null {
  return (url, { signal } = {}) => {
    const file = parseHouseUrl(url);
    if (file === null) return null;
    const pieces = Readable.from(readVersion(disk, join(folder, file.name), file.stamp), {
      highWaterMark: 1,
      ...(signal ? { signal } : {}),
    });
    const headers = { 'content-length': String(file.stamp.bytes) };
    return new Response(Readable.toWeb(pieces) as unknown as BodyInit, { headers });
  };
}

async function* readVersion(
  disk: Pick<Disk, 'stamp' | 'openToRead'>,
  path: string,
  stamp: FileStamp,
): AsyncGenerator<Uint8Array> {
  yield* piecesOf(disk, path, stamp.bytes);
  if (!sameStamp(await disk.stamp(path), stamp)) throw new Error('it changed while it was copied');
}
