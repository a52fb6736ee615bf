import { ascii, type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

const SIGNATURE_BYTES = 8;
/** Head, name and check sum of a chunk. */
const FRAME_BYTES = 12;
const MAX_CHUNKS = 100_000;

/** Whether a PNG picture has a decodable size and all its chunks, to the last one. */
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
    if (name === 'IDAT') hasPixels = true;
    if (name === 'IEND') return hasPixels ? null : undecodable('it has no pixels');
    at += FRAME_BYTES + length;
  }
  return undecodable(`more than ${MAX_CHUNKS} chunks`);
}
