/** A reader of foreign bytes, prepared for fuzzing (rule 31). */
export interface FuzzReader {
  readonly name: string;
  /** Reads the bytes. Must not throw or reject: unreadable input gives a value. */
  read(bytes: Uint8Array): unknown;
  /** Describes what is wrong with a result, or returns null. */
  readonly judge?: (result: unknown) => string | null;
  /** Whether a result is that of a well-formed input; absent: not known. It accepts every seed. */
  readonly accepts?: (result: unknown) => boolean;
  /** Well-formed inputs to start from; text is in UTF-8. */
  readonly seeds: readonly Uint8Array[];
  /** Pieces of its format: mutations insert them, and hostile shapes repeat them. */
  readonly words: readonly string[];
  /**
   * The longest input that main reads itself, bytes. Longer ones are read elsewhere or rejected. Absent: 64 KiB
   * (rule 31), or `longestBytes` where that is less.
   */
  readonly mostBytes?: number;
  /** The longest input that is read at all, bytes; absent: no bound that matters here. */
  readonly longestBytes?: number;
}

export const mostBytesOf = ({ mostBytes = 65_536, longestBytes = mostBytes }: FuzzReader): number =>
  Math.min(mostBytes, longestBytes);

/** Pieces of JSON, for the words of a reader. */
export const JSON_WORDS = [
  ...['{', '}', '[', ']', '"', '":', ',', '{"a":', '[[', '\\u0000', '\\"', 'true', 'null', '0', '1e9', '\n'],
];

/** A reading that broke an invariant. */
export interface Finding {
  readonly kind: 'throws' | 'wrong-result' | 'blocks-main' | 'memory' | 'not-linear';
  readonly detail: string;
}

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A reader of text: bytes that are not UTF-8 become U+FFFD, as in the kiosk. */
export function textReader(
  reader: Omit<FuzzReader, 'read' | 'seeds'> & {
    readonly seeds: readonly string[];
    read(text: string): unknown;
  },
): FuzzReader {
  const decoder = new TextDecoder();
  return {
    ...reader,
    seeds: reader.seeds.map(bytesOf),
    read: (bytes) => reader.read(decoder.decode(bytes)),
  };
}
