import type { ByteSource } from '../disk';

/** A buffer as a `ByteSource`. */
export function bytesOf(content: Uint8Array): ByteSource {
  return {
    length: content.length,
    read: async (at, length) => content.subarray(Math.min(at, content.length), at + length),
  };
}
