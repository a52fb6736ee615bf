import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const small = readFileSync(join(__dirname, '../samples/picture.png'));
/** Position after signature and IHDR chunk. */
const AFTER_HEADER = 33;
const CHUNK_FRAME = 12;

/**
 * A valid PNG picture of exactly `bytes` bytes (at least 400), padded with a text chunk. Pictures with
 * another `fill` have other bytes.
 */
export function paddedPng(bytes: number, fill = 0): Buffer {
  const chunk = Buffer.alloc(bytes - small.length, fill);
  chunk.writeUInt32BE(chunk.length - CHUNK_FRAME, 0);
  chunk.write('tEXt', 4, 'latin1');
  return Buffer.concat([small.subarray(0, AFTER_HEADER), chunk, small.subarray(AFTER_HEADER)]);
}

/** A file of `bytes` bytes that begins like a PNG picture but states a width of 0 pixels. */
export function sizelessPng(bytes: number): Buffer {
  const picture = paddedPng(bytes);
  picture.writeUInt32BE(0, 16);
  return picture;
}
