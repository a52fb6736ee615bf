import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { KIOSK_ORIGIN } from '../../shared/channels';
import type { CachedMedia } from './media-cache';
import { PAGE_TYPE } from './media-type';

/** A file that may be shown; identified by its key, never by a path. */
export type ShowableFile = Pick<CachedMedia, 'key' | 'type' | 'bytes'>;

export interface MediaFiles {
  byKey(key: string): ShowableFile | null;
  pathOf(media: ShowableFile): string;
}

export interface MediaRequest {
  readonly url: string;
  readonly range: string | null;
}

export interface MediaResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The caller must read or destroy it; null: there is none. */
  readonly body: Readable | null;
}

/**
 * Answers the kiosk window's GET of `media://cache/<key>`, whole or as a single range (RFC 9110, section 14). Paths
 * cannot be requested, only keys of stored files. 404 for all others, for pages, and when `files` is null.
 */
export function mediaResponse(request: MediaRequest, files: MediaFiles | null): MediaResponse {
  const url = new URL(request.url);
  const media = url.host === 'cache' ? files?.byKey(url.pathname.slice(1)) : null;
  // Pages are shown in guests only; the kiosk window never loads one.
  if (!files || !media || media.type === PAGE_TYPE) return { status: 404, headers: {}, body: null };
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': media.type,
    'cache-control': 'no-store',
    // The kiosk page fetches pictures, to decode them itself.
    'access-control-allow-origin': KIOSK_ORIGIN,
  };
  const range = readRange(request.range, media.bytes);
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${media.bytes}` }, body: null };
  }
  const { first, last } = range ?? { first: 0, last: media.bytes - 1 };
  headers['content-length'] = String(last - first + 1);
  if (range) headers['content-range'] = `bytes ${first}-${last}/${media.bytes}`;
  const body = createReadStream(files.pathOf(media), { start: first, end: last, highWaterMark: 256 * 1024 });
  // Whoever cancels the request removes its own listeners, and a read that is under way may fail after that: without a
  // listener, its error would end the kiosk.
  body.on('error', () => {});
  return { status: range ? 206 : 200, headers, body };
}

/**
 * Parses a `Range` header with one byte range over `bytes` bytes. Null: answer with the whole file (no
 * header, another unit, several ranges, one without a first byte, or invalid; the RFC allows this).
 */
export function readRange(
  header: string | null,
  bytes: number,
): { first: number; last: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, from = '', to = ''] = match;
  const first = Number(from);
  if (to !== '' && Number(to) < first) return null;
  if (first >= bytes) return 'unsatisfiable';
  return { first, last: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) };
}
