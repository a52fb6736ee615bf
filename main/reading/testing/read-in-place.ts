import { type ReaderName, readPieces } from '../readers';
import type { Reading } from '../reading';

/** Reads inputs of any length without a worker. */
export const readInPlace = {
  read: (name: ReaderName, content: string | readonly string[] | Uint8Array, options: unknown) =>
    readPieces(name, [content].flat(), options),
} as Reading;
