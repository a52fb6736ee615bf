/** Bytes that can be read anywhere: a file, or a buffer in a test. */
export interface ByteSource {
  /** Length in bytes. */
  readonly length: number;
  /** The bytes at [at, at + length), fewer where the source ends. */
  read(at: number, length: number): Promise<Uint8Array>;
}

export function bytesOf(content: Uint8Array): ByteSource {
  return {
    length: content.length,
    read: async (at, length) => content.subarray(Math.min(at, content.length), at + length),
  };
}
