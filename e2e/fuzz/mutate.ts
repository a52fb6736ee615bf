import { bytesOf } from './fuzz-reader';

/** Uniform in [0, 1). */
export type Random = () => number;

/** Strings that many formats handle wrongly, in addition to a reader's own words. */
const COMMON_WORDS = [
  ...['0', '-1', '1e999', '4294967296', '9007199254740993', '275760-09-13', 'null', '__proto__'],
  ...['constructor', '\0', '\uFEFF', '\u2028', '\uD83D\uDE00', '"', '\\', '[', '{', ']', '}', ' ', '\n'],
].map(bytesOf);
/** Bytes that are not valid UTF-8, and numbers of binary formats. */
const COMMON_BYTES = [
  ...[
    [0xff, 0xfe],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0x7f, 0xff, 0xff, 0xff],
  ],
  ...[
    [0xff, 0xff, 0xff, 0xff],
    [0, 0, 0, 0],
    [0, 0, 0, 1],
  ],
].map((bytes) => Uint8Array.from(bytes));

/** The input with one to eight small changes. */
export function mutated(
  input: Uint8Array,
  corpus: readonly Uint8Array[],
  words: readonly Uint8Array[],
  most: number,
  random: Random,
): Uint8Array {
  let bytes = input;
  for (let left = 1 + Math.floor(random() ** 2 * 8); left > 0; left -= 1) {
    bytes = changed(bytes, corpus, words, random);
  }
  return bytes.subarray(0, most);
}

function changed(
  bytes: Uint8Array,
  corpus: readonly Uint8Array[],
  words: readonly Uint8Array[],
  random: Random,
): Uint8Array {
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <Item>(list: readonly Item[], otherwise: Item) => list[below(list.length)] ?? otherwise;
  const nothing = new Uint8Array();
  const from = below(bytes.length + 1);
  const to = Math.min(bytes.length, from + 1 + below(random() < 0.5 ? 8 : bytes.length));
  const word = () => oneOf(random() < 0.7 ? words : random() < 0.7 ? COMMON_WORDS : COMMON_BYTES, nothing);
  switch (below(8)) {
    case 0:
      return joined(bytes.subarray(0, from), word(), bytes.subarray(from));
    case 1: {
      const times = 1 + below(2 ** below(14));
      const repeated = Array.from({ length: times }, word).slice(0, times);
      return joined(bytes.subarray(0, from), ...repeated, bytes.subarray(from));
    }
    case 2:
      return joined(bytes.subarray(0, from), bytes.subarray(to));
    case 3:
      return joined(bytes.subarray(0, to), bytes.subarray(from));
    case 4: {
      const other = oneOf(corpus, nothing);
      const start = below(other.length + 1);
      return joined(bytes.subarray(0, from), other.subarray(start, start + below(4_096)), bytes.subarray(to));
    }
    case 5: {
      const copy = Uint8Array.from(bytes);
      if (from < copy.length) copy[from] = (copy[from] ?? 0) ^ (1 << below(8));
      return copy;
    }
    case 6:
      return joined(bytes.subarray(0, from), word(), bytes.subarray(to));
    default:
      return bytes.subarray(0, from);
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
