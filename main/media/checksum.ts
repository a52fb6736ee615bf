import { createHash, type Hash } from 'node:crypto';
import type { Schedule } from '../schedule';
import { type Disk, piecesOf } from './disk';

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
  const hash = createHash('sha256');
  let hashed = 0;
  for await (const piece of piecesOf(disk, path, bytes)) {
    signal?.throwIfAborted();
    hash.update(piece);
    hashed += piece.length;
    await pace(piece.length);
  }
  return hashed === bytes ? hash : null;
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
