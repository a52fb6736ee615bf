import { crc32 } from 'node:zlib';

/**
 * What V8 has compiled of a file lies beside it under this ending: the CRC-32 of the code, the CRC-32 of what is
 * compiled (4 bytes each, big-endian), then what is compiled. V8 refuses by itself what another version of it, or one
 * with other flags, has made; it notices neither a flipped bit nor other code of the same length.
 */
export const ENDING = '.compiled';

const HEAD_BYTES = 8;

/** The code of a file as the function that CommonJS makes of it (Node's "module wrapper"). */
export function asFunction(code: Buffer): string {
  return `(function (exports, require, module, __filename, __dirname) {${code.toString('utf8')}\n})`;
}

/** The file that keeps what is compiled of this code. */
export function seal(code: Buffer, compiled: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(crc32(code), 0);
  head.writeUInt32BE(crc32(compiled), 4);
  return Buffer.concat([head, compiled]);
}

/** What such a file keeps of this code; null when it was made of other code, or is not what was written. */
export function unseal(code: Buffer, file: Buffer): Buffer | null {
  if (file.length <= HEAD_BYTES) return null;
  const compiled = file.subarray(HEAD_BYTES);
  const isWhole = file.readUInt32BE(0) === crc32(code) && file.readUInt32BE(4) === crc32(compiled);
  return isWhole ? compiled : null;
}
