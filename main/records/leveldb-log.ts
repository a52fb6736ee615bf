/*
 * The write-ahead log of LevelDB, in which Chromium keeps IndexedDB: blocks of
 * 32 KiB, in them pieces of records, each with a checksum, a length and a type. A
 * piece does not cross a block; what is left of one (less than a header) is zero.
 *
 * A process that is killed, or a machine that loses power, while the log is
 * written leaves a torn piece at its end. LevelDB overlooks it at the next start,
 * but Chromium has it append to the same log, behind the torn piece; at the start
 * after that the log is corrupt in its middle, and Chromium deletes the whole
 * database. Cutting the torn end off first loses nothing that was acknowledged.
 */

const BLOCK = 32_768;
/** Checksum (4 bytes), length (2) and type (1), little-endian. */
const HEADER = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** How many bytes of a log, from its start, are whole records: the rest is to be cut off. */
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

const CRC32C = crcTables();

/** What a byte does to the checksum, and after it what it does once one more zero has followed, up to seven. */
function crcTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0x82f63b78 ^ (value >>> 1) : value >>> 1;
    tables[byte] = value;
  }
  for (let at = 256; at < tables.length; at += 1) {
    const before = tables[at - 256] as number;
    tables[at] = (tables[before & 0xff] as number) ^ (before >>> 8);
  }
  return tables;
}

/** CRC-32C (Castagnoli) of the bytes in [from, to), eight at a time: a start waits for megabytes of them. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const after = (zeros: number, byte: number) => CRC32C[zeros * 256 + (byte & 0xff)] as number;
  let crc = -1;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      after(7, low) ^
      after(6, low >>> 8) ^
      after(5, low >>> 16) ^
      after(4, low >>> 24) ^
      after(3, high) ^
      after(2, high >>> 8) ^
      after(1, high >>> 16) ^
      after(0, high >>> 24);
  }
  for (; at < to; at += 1) crc = after(0, crc ^ (bytes[at] as number)) ^ (crc >>> 8);
  return ~crc >>> 0;
}
