/** A reader of foreign bytes, as it is fuzzed (rule 31). */
export interface FuzzReader {
  readonly name: string;
  /** Reads; an exception or a rejection breaks its contract, because what cannot be read is a value. */
  read(bytes: Uint8Array): unknown;
  /** Says what is wrong with a result, or null. */
  readonly judge?: (result: unknown) => string | null;
  /** Well-formed inputs, to start from. Of text as UTF-8. */
  readonly seeds: readonly Uint8Array[];
  /** Pieces that its format is made of: mutations insert them, and hostile shapes repeat them. */
  readonly words: readonly string[];
  /** The longest input that main itself reads, bytes; longer ones are read elsewhere, or are refused. */
  readonly mostBytes: number;
  /** The longest input that is read at all, bytes; absent: no bound that matters here. */
  readonly longestBytes?: number;
}

/** A reading that broke an invariant. */
export interface Finding {
  readonly kind: 'throws' | 'wrong-result' | 'holds-main' | 'memory' | 'not-linear';
  readonly detail: string;
}

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A reader of text: bytes that are no UTF-8 come to it as U+FFFD, as they do in the kiosk. */
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
