import { fileTypeFromBuffer } from 'file-type/core';
import { GIF } from 'image-size/types/gif';
import { HEIF } from 'image-size/types/heif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { MAX_HEAD_BYTES, notMedia, type StructureError, TYPE_BYTES, undecodable } from '../media-type';

/** Largest picture that is decoded, in pixels: 200 MB of memory, and more than an 8K screen shows. */
const MAX_PIXELS = 50_000_000;
/** `image-size` scans all boxes of an AVIF for each size in it. Limiting the bytes limits the time. */
const AVIF_BYTES = 16 * 1024;

interface SizeReader {
  calculate(head: Uint8Array): { readonly width?: number; readonly height?: number };
}

const PICTURES: ReadonlyMap<string, SizeReader> = new Map<string, SizeReader>([
  ['image/png', PNG],
  ['image/jpeg', JPG],
  ['image/webp', WEBP],
  ['image/gif', GIF],
  ['image/avif', { calculate: (head) => HEIF.calculate(head.subarray(0, AVIF_BYTES)) }],
]);

const VIDEOS: ReadonlySet<string> = new Set(['video/mp4', 'video/webm']);

/** Types that Chromium plays as one of the types above. */
const PLAYED_AS: ReadonlyMap<string, string> = new Map([
  ['image/apng', 'image/png'],
  ['video/x-m4v', 'video/mp4'],
  ['video/quicktime', 'video/mp4'],
  ['video/3gpp', 'video/mp4'],
  ['video/3gpp2', 'video/mp4'],
  ['video/matroska', 'video/webm'],
]);

/**
 * The type of a picture or video by its first bytes (at most `MAX_HEAD_BYTES` are read), or why it cannot be
 * shown: no media, or more pixels than are decoded. The decoder finds all other errors, and the stage goes on
 * to the next ad.
 */
export async function readMediaHead(head: Uint8Array): Promise<{ readonly type: string } | StructureError> {
  const found = await typeOf(head.subarray(0, TYPE_BYTES));
  if (found === null) return notMedia('neither an image nor a video this kiosk shows');
  const picture = PICTURES.get(found);
  if (picture === undefined) return { type: found };
  let width: number | undefined;
  let height: number | undefined;
  try {
    ({ width, height } = picture.calculate(head.subarray(0, MAX_HEAD_BYTES)));
  } catch {
    // `image-size` throws when it cannot read a picture. The size stays undefined.
  }
  if (width === undefined || height === undefined) return undecodable('its size in pixels cannot be read');
  return checkPixels(width, height) ?? { type: found };
}

async function typeOf(head: Uint8Array): Promise<string | null> {
  let named: string | undefined;
  try {
    named = (await fileTypeFromBuffer(head))?.mime;
  } catch {
    return null;
  }
  const type = PLAYED_AS.get(named ?? '') ?? named ?? '';
  return PICTURES.has(type) || VIDEOS.has(type) ? type : null;
}

/** Rejects pictures of no pixel or one, which are no creatives, and those that would use up the window's memory. */
function checkPixels(width: number, height: number): StructureError | null {
  if (width * height <= 1) return undecodable(`its size is ${width} × ${height} pixels`);
  if (width * height <= MAX_PIXELS) return null;
  return {
    code: 'too-many-pixels',
    detail: `${width} × ${height} pixels; at most ${MAX_PIXELS / 1e6} million are decoded`,
  };
}
