import type { ByteSource } from '../disk';

/** A buffer in the place of a file. */
export function bytesOf(content: Uint8Array): ByteSource {
  return {
    length: content.length,
    read: async (at, length) => content.subarray(Math.min(at, content.length), at + length),
  };
}
