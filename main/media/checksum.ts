import { createHash, type Hash } from 'node:crypto';
import type { Disk } from './disk';

/** Small enough that hashing one piece (0.2 ms) holds nothing else up. */
const PIECE_BYTES = 256 * 1024;

/** Lets other work run; called after each piece with its length in bytes. */
export type Pace = (bytes: number) => Promise<void>;

/**
 * SHA-256 over the first `bytes` of a file, to be continued or read out; null
 * when the file is shorter. Rejects when it cannot be read.
 */
export async function hashFile(
  disk: Disk,
  path: string,
  bytes: number,
  pace: Pace,
  signal?: AbortSignal,
): Promise<Hash | null> {
  const file = await disk.openToRead(path);
  try {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes; ) {
      signal?.throwIfAborted();
      const piece = await file.read(at, Math.min(PIECE_BYTES, bytes - at));
      if (piece.length === 0) return null;
      hash.update(piece);
      at += piece.length;
      await pace(piece.length);
    }
    return hash;
  } finally {
    await file.close();
  }
}

/** Without a pause beyond the reads themselves. */
export const atOnce: Pace = async () => {};

/**
 * Spreads work over time: `bytesPerSecond` in all, in steps of some milliseconds,
 * however many share it.
 */
export function pacedAt(
  bytesPerSecond: number,
  monotonic: () => number,
  schedule: (ms: number, run: () => void) => () => void,
): Pace {
  /** When what was done so far would be due, ms. */
  let due = Number.NEGATIVE_INFINITY;
  return async (bytes) => {
    const now = monotonic();
    due = Math.max(due, now) + (bytes / bytesPerSecond) * 1000;
    if (due - now >= SHORTEST_PAUSE_MS) await new Promise<void>((resolve) => schedule(due - now, resolve));
  };
}

/** Timers are no more exact than that. */
const SHORTEST_PAUSE_MS = 4;
