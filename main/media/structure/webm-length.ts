/** ID of the element that holds all of a WebM or Matroska file behind its head. */
const SEGMENT = [0x18, 0x53, 0x80, 0x67];

/**
 * The length that a WebM or Matroska file states at its beginning, bytes; null: none, as of a live recording, or it
 * cannot be read.
 */
export function statedWebmLength(head: Uint8Array): number | null {
  const segmentAt = endOfElement(head, 0);
  if (segmentAt === null || SEGMENT.some((byte, at) => head[segmentAt + at] !== byte)) return null;
  return endOfElement(head, segmentAt);
}

/** Where the element at `at` ends. Its ID has four bytes. Its size has as many as its first byte has leading zeros, and one. */
function endOfElement(head: Uint8Array, at: number): number | null {
  const sizeAt = at + SEGMENT.length;
  const first = head[sizeAt];
  if (first === undefined || first === 0) return null;
  const bytes = Math.clz32(first) - 23;
  const rest = head.subarray(sizeAt + 1, sizeAt + bytes);
  if (rest.length < bytes - 1) return null;
  const size = rest.reduce((value, byte) => value * 256 + byte, first - 2 ** (8 - bytes));
  // All bits set: its end is not known.
  const isStated = size < 2 ** (7 * bytes) - 1 && Number.isSafeInteger(size);
  return isStated ? sizeAt + bytes + size : null;
}
