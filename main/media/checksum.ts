import { createHash, type Hash } from 'node:crypto';
import type { Schedule } from '../service/schedule';
import type { Disk } from './disk';

/** Hashing one piece takes 0.2 ms. */
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

/** Without pauses. */
export const atOnce: Pace = async () => {};

/**
 * Spreads work over time: `bytesPerSecond` in all, in steps of some milliseconds,
 * however many share it.
 */
export function pacedAt(bytesPerSecond: number, monotonic: () => number, schedule: Schedule): Pace {
  /** When the work done so far is paid for, ms. */
  let due = Number.NEGATIVE_INFINITY;
  return async (bytes) => {
    const now = monotonic();
    due = Math.max(due, now) + (bytes / bytesPerSecond) * 1000;
    if (due - now >= SHORTEST_PAUSE_MS) await new Promise<void>((resolve) => schedule(due - now, resolve));
  };
}

/** Timers are not more exact. */
const SHORTEST_PAUSE_MS = 4;
