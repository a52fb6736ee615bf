import { createHash, type Hash } from 'node:crypto';
import type { Schedule } from '../schedule';
import type { Disk } from './disk';

/** Small enough that hashing one piece takes 0.2 ms. */
const PIECE_BYTES = 256 * 1024;

/** Yields to other work; called after each piece with its length in bytes. */
export type Pace = (bytes: number) => Promise<void>;

/**
 * SHA-256 over the first `bytes` bytes of a file, not yet finalised. Null: the file is shorter. Rejects when
 * the file cannot be read.
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

export const unpaced: Pace = async () => {};

/** Limits work to `bytesPerSecond` by pauses of a few milliseconds; all callers of one pace share the rate. */
export function pacedAt(bytesPerSecond: number, monotonic: () => number, schedule: Schedule): Pace {
  /** When the rate allows the next piece (monotonic ms). */
  let due = Number.NEGATIVE_INFINITY;
  return async (bytes) => {
    const now = monotonic();
    due = Math.max(due, now) + (bytes / bytesPerSecond) * 1000;
    if (due - now >= SHORTEST_PAUSE_MS) await new Promise<void>((resolve) => schedule(due - now, resolve));
  };
}

/** Timers are not precise enough for shorter pauses, ms. */
const SHORTEST_PAUSE_MS = 4;
