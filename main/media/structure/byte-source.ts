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

/** What keeps a file from being shown, found without decoding it. Detail: what was expected, what is there. */
export interface StructureFault {
  readonly code: 'not-media' | 'truncated' | 'too-many-pixels' | 'undecodable';
  readonly detail: string;
}

export const truncated = (detail: string): StructureFault => ({ code: 'truncated', detail });
export const undecodable = (detail: string): StructureFault => ({ code: 'undecodable', detail });

/** For numbers in either byte order; reading beyond the end throws, so check lengths first. */
export function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four or so characters of ASCII, as container formats name their parts. */
export function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
