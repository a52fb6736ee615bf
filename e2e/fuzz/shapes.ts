import { bytesOf, type FuzzReader } from './fuzz-reader';

export interface Shape {
  readonly name: string;
  /** An input of about this length, bytes. */
  readonly make: (length: number) => Uint8Array;
}

/** Put between repeated words, to find readers that go back in their input. */
const JOINTS = [' ', 'a', '"', '<'];

/**
 * Inputs that grow: each word of the reader again and again, alone, with something between, and
 * in the middle of a well-formed input. Most readings that are not linear show with one of them.
 */
export function shapesOf({ words, seeds }: Pick<FuzzReader, 'words' | 'seeds'>): Shape[] {
  const pieces = [...words, ...words.flatMap((word) => JOINTS.map((joint) => word + joint))];
  const [seed = new Uint8Array()] = seeds;
  const middle = Math.floor(seed.length / 2);
  return pieces.flatMap((piece) => [
    { name: `${JSON.stringify(piece)} alone`, make: (length: number) => repeated(piece, length) },
    {
      name: `${JSON.stringify(piece)} inside`,
      make: (length: number) =>
        Buffer.concat([
          seed.subarray(0, middle),
          repeated(piece, Math.max(0, length - seed.length)),
          seed.subarray(middle),
        ]),
    },
  ]);
}

function repeated(piece: string, length: number): Uint8Array {
  const bytes = bytesOf(piece);
  return Buffer.alloc(length, bytes.length > 0 ? bytes : 'a');
}
