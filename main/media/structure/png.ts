import { crc32 } from 'node:zlib';
import { ascii, type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

const SIGNATURE_BYTES = 8;
/** Head, name and check sum of a chunk. */
const FRAME_BYTES = 12;
const MAX_CHUNKS = 100_000;
const PIECE_BYTES = 256 * 1024;

/**
 * Whether a PNG picture has a decodable size and all its chunks, to the last one,
 * with their bytes as they were written: browsers paint a damaged one in part.
 */
export async function checkPng(source: ByteSource): Promise<StructureFault | null> {
  let hasPixels = false;
  let at = SIGNATURE_BYTES;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const head = await source.read(at, 16);
    if (head.length < FRAME_BYTES)
      return truncated(`it ends at byte ${source.length} without its last chunk`);
    const length = view(head).getUint32(0);
    const name = ascii(head, 4, 8);
    if (at + FRAME_BYTES + length > source.length) {
      return truncated(
        `a chunk should reach to byte ${at + FRAME_BYTES + length}, there are ${source.length}`,
      );
    }
    if (chunks === 0) {
      if (name !== 'IHDR' || length < 8) return undecodable('it does not begin with its size');
      const fault = checkPixels(view(head).getUint32(8), view(head).getUint32(12));
      if (fault) return fault;
    }
    // What a small first letter marks as dispensable is not looked into by viewers either.
    const isCritical = ((head[4] ?? 0) & 0x20) === 0;
    if (isCritical && !(await hasItsSum(source, at, length))) {
      return undecodable(`its bytes from ${at} to ${at + FRAME_BYTES + length} were damaged`);
    }
    if (name === 'IDAT') hasPixels = true;
    if (name === 'IEND') return hasPixels ? null : undecodable('it has no pixels');
    at += FRAME_BYTES + length;
  }
  return undecodable(`more than ${MAX_CHUNKS} chunks`);
}

/** Whether name and content of a chunk have the check sum that follows them. */
async function hasItsSum(source: ByteSource, chunk: number, length: number): Promise<boolean> {
  const end = chunk + 8 + length;
  let sum = 0;
  for (let at = chunk + 4; at < end; at += PIECE_BYTES) {
    sum = crc32(await source.read(at, Math.min(PIECE_BYTES, end - at)), sum);
  }
  return view(await source.read(end, 4)).getUint32(0) === sum;
}
