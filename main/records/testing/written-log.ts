import { crc32c, masked } from '../leveldb-log';

/** Writes records as LevelDB does; returns the bytes, and where each record ends. */
export function writtenLog(records: readonly Uint8Array[]): { bytes: Buffer; ends: number[] } {
  const parts: Buffer[] = [];
  const ends: number[] = [];
  let at = 0;
  const put = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const record of records) {
    let left = Buffer.from(record);
    let first = true;
    do {
      if (32_768 - (at % 32_768) < 7) put(Buffer.alloc(32_768 - (at % 32_768)));
      const room = 32_768 - (at % 32_768) - 7;
      const piece = left.subarray(0, room);
      left = left.subarray(room);
      const last = left.length === 0;
      const body = Buffer.concat([Buffer.from([first && last ? 1 : first ? 2 : last ? 4 : 3]), piece]);
      const head = Buffer.alloc(6);
      head.writeUInt32LE(masked(crc32c(body, 0, body.length)), 0);
      head.writeUInt16LE(piece.length, 4);
      put(Buffer.concat([head, body]));
      first = false;
    } while (left.length > 0);
    ends.push(at);
  }
  return { bytes: Buffer.concat(parts), ends };
}
