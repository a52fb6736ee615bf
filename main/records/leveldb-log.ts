/*
 * The write-ahead log of LevelDB, in which Chromium stores IndexedDB: blocks of 32 KiB with pieces of records, each
 * with a checksum, a length and a type. A piece does not cross a block; the rest of a block (less than a header) is
 * zero.
 *
 * A process that is killed, or a machine that loses power, while the log is written leaves a torn piece at its end.
 * LevelDB ignores it at the next start, but Chromium makes LevelDB append to the same log, after the torn piece; at the
 * start after that the log is corrupt in its middle, and Chromium deletes the whole database. Cutting the torn end off
 * first loses nothing that was acknowledged.
 */

const BLOCK = 32_768;
/** Checksum (4 bytes), length (2) and type (1), little-endian. */
const HEADER = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** How many bytes of a log, from its start, are whole records; the rest must be cut off. */
export function wholeLength(log: Uint8Array): number {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  let whole = 0;
  let begun = false;
  for (let at = 0; ; ) {
    const leftInBlock = BLOCK - (at % BLOCK);
    if (leftInBlock < HEADER) {
      at += leftInBlock;
      continue;
    }
    if (at + HEADER > log.length) return whole;
    const length = view.getUint16(at + 4, true);
    const type = view.getUint8(at + 6);
    const end = at + HEADER + length;
    if (length > leftInBlock - HEADER || end > log.length) return whole;
    const isInOrder = begun ? type === MIDDLE || type === LAST : type === FULL || type === FIRST;
    if (!isInOrder || masked(crc32c(log, at + 6, end)) !== view.getUint32(at, true)) return whole;
    begun = type === FIRST || type === MIDDLE;
    if (!begun) whole = end;
    at = end;
  }
}

/** LevelDB stores checksums rotated and shifted, because logs may hold checksums themselves. */
export function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** The CRC-32C table: the effect of each byte on the checksum. */
const CRC32C = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0x82f63b78 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32C (Castagnoli) of the bytes in [from, to). */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1;
  for (let at = from; at < to; at += 1)
    crc = (CRC32C[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
