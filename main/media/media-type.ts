/** A creative that is a page of its own, in one document. */
export const PAGE_TYPE = 'text/html';

/** Whether a file is shown as a picture or a video, or as a page: a page is taken only where one was expected. */
export type MediaForm = 'media' | 'page';

/**
 * What a file's first bytes say it is, or null for anything this kiosk does not
 * show. A captive portal's page served as `video/mp4` is found here, before a
 * shopper could see it.
 *
 * @param head at least the first 64 bytes, or the whole file when it is shorter
 */
export function sniffMediaType(head: Uint8Array): string | null {
  const ascii = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (head[0] === 0x89 && ascii(1, 4) === 'PNG') return 'image/png';
  if (ascii(0, 4) === 'GIF8') return 'image/gif';
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return 'image/webp';
  if (ascii(4, 8) === 'ftyp') return /avi[fs]/.test(ascii(8, 12)) ? 'image/avif' : 'video/mp4';
  if (head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3) return 'video/webm';
  return null;
}
