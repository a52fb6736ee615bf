import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const small = readFileSync(join(__dirname, '../samples/picture.png'));
/** After signature and size. */
const AFTER_HEADER = 33;
const CHUNK_FRAME = 12;

/**
 * A whole PNG picture of exactly `bytes` bytes (at least 400), filled up with a
 * chunk that nobody reads; `fill` tells one from another.
 */
export function paddedPng(bytes: number, fill = 0): Buffer {
  const chunk = Buffer.alloc(bytes - small.length, fill);
  chunk.writeUInt32BE(chunk.length - CHUNK_FRAME, 0);
  chunk.write('tEXt', 4, 'latin1');
  return Buffer.concat([small.subarray(0, AFTER_HEADER), chunk, small.subarray(AFTER_HEADER)]);
}

/** A file of `bytes` bytes that begins as a PNG picture does, and says that it is no pixel wide. */
export function sizelessPng(bytes: number): Buffer {
  const picture = paddedPng(bytes);
  picture.writeUInt32BE(0, 16);
  return picture;
}
