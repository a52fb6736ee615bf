import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { matchesEtag } from './ads-endpoint';
import { type Answer, bareAnswer, header, type ServiceRequest } from './http-answer';

/** A file under `/media/`, in memory: the creatives are small, and tests register their own. */
export interface MediaEntry {
  readonly body: Buffer;
  readonly type: string;
  /** ms since the epoch, UTC */
  readonly modifiedAt: number;
  readonly etag: string;
}

export function mediaEntry(body: Buffer, type: string, modifiedAt: number): MediaEntry {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { body, type, modifiedAt, etag };
}

/** Content types by file extension, for files read from a folder. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** `GET` and `HEAD /media/<name>`, with single byte ranges (RFC 9110, section 14) and validators. */
export function mediaEndpoint(request: ServiceRequest, media: ReadonlyMap<string, MediaEntry>): Answer {
  const entry = media.get(mediaName(request.path));
  if (entry === undefined) return bareAnswer(404);
  const modified = new Date(entry.modifiedAt).toUTCString();
  const headers = {
    ETag: entry.etag,
    'Last-Modified': modified,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'public, max-age=3600',
  };
  if (matchesEtag(header(request, 'if-none-match'), entry.etag)) return bareAnswer(304, headers);
  const whole: Answer = {
    status: 200,
    headers: { ...headers, 'Content-Type': entry.type },
    body: entry.body,
  };

  const wanted = header(request, 'range');
  const ifRange = header(request, 'if-range');
  const current = ifRange === null || ifRange === entry.etag || ifRange === modified;
  // Range is defined for GET only.
  if (wanted === null || !current || request.method === 'HEAD') return whole;
  const range = byteRange(wanted, entry.body.length);
  if (range === 'ignore') return whole;
  if (range === 'unsatisfiable') {
    return bareAnswer(416, { ...headers, 'Content-Range': `bytes */${entry.body.length}` });
  }
  return {
    status: 206,
    headers: {
      ...whole.headers,
      'Content-Range': `bytes ${range.first}-${range.last}/${entry.body.length}`,
    },
    body: entry.body.subarray(range.first, range.last + 1),
  };
}

function mediaName(path: string): string {
  try {
    return decodeURIComponent(path.slice('/media/'.length));
  } catch {
    return '';
  }
}

/**
 * Parses a `Range` header for a body of this length in bytes. `ignore` for anything but one well-formed byte
 * range.
 */
export function byteRange(
  value: string,
  length: number,
): { readonly first: number; readonly last: number } | 'ignore' | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(value.trim()) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'ignore';
  if (from === '') {
    const suffix = Math.min(Number(to), length);
    return suffix === 0 ? 'unsatisfiable' : { first: length - suffix, last: length - 1 };
  }
  const first = Number(from);
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== '' && Number(to) < first) return 'ignore';
  return first >= length ? 'unsatisfiable' : { first, last };
}

/** A folder beside the source, or beside the built program. */
export const ownFolder = (name: string): string => join(__dirname, name);

/** The media files directly inside a folder, by name. */
export function readMediaFolder(folder: string): Map<string, MediaEntry> {
  const entries = new Map<string, MediaEntry>();
  for (const name of readdirSync(folder)) {
    const type = MEDIA_TYPES[extname(name)];
    if (type === undefined) continue;
    const file = join(folder, name);
    entries.set(name, mediaEntry(readFileSync(file), type, statSync(file).mtimeMs));
  }
  return entries;
}
