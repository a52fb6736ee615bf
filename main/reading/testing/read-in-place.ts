import { READERS, type Reader } from '../readers';
import type { Reading } from '../reading';

/** Reads inputs of any length without a worker. */
export const readInPlace = {
  async read(name: keyof typeof READERS, content: string | readonly string[] | Uint8Array, options: unknown) {
    const reader = READERS[name] as Reader<string | Uint8Array, unknown, unknown>;
    const readNow = await reader.load();
    return readNow(Array.isArray(content) ? content.join('') : (content as string | Uint8Array), options);
  },
} as Reading;
