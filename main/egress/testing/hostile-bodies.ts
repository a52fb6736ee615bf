import { gzipSync } from 'node:zlib';

/** A whole gzip file that holds nothing: 20 bytes. */
export const EMPTY_GZIP = gzipSync('');

/**
 * Some 25 KB in five layers of gzip. The outer ones grow to 8 MB, the innermost
 * decodes all of it to nothing.
 */
export function nothingInFiveLayers(): Buffer {
  let body: Buffer = Buffer.concat(Array.from({ length: 400_000 }, () => EMPTY_GZIP));
  for (let layer = 1; layer < 5; layer += 1) body = gzipSync(body);
  return body;
}
