import { getHeapStatistics } from 'node:v8';
import { workedMs } from '../../main/reading/testing/turn-meter';
import type { Finding, FuzzReader } from './fuzz-reader';

/** Nothing foreign may hold main for longer (rule 31), ms. */
const HELD_MS = 50;
/** What a reading may take of memory: so many bytes for each of its input, and as much at any length. */
const BYTES_FOR_EACH = 400;
const BYTES_AT_LEAST = 67_108_864;
/** Time of 2n by time of n. */
const MOST_RATIO = 2.5;
/** Times below this are noise, ms. */
const MEASURABLE_MS = 4;
/** A measurement is repeated so often before it counts: the shortest is the truth. Readers read in this thread, so what it worked counts. */
const REPEATS = 6;

/** Reads once, and says which invariant that broke, or null. */
export async function tryReading(reader: FuzzReader, bytes: Uint8Array): Promise<Finding | null> {
  const heapBefore = getHeapStatistics().used_heap_size;
  const began = workedMs();
  let result: unknown;
  try {
    result = await reader.read(bytes);
  } catch (error) {
    return {
      kind: 'throws',
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
  const tookMs = workedMs() - began;
  const grown = getHeapStatistics().used_heap_size - heapBefore;
  const wrong = reader.judge?.(result) ?? null;
  if (wrong !== null) return { kind: 'wrong-result', detail: wrong };
  if (grown > BYTES_AT_LEAST + bytes.length * BYTES_FOR_EACH) {
    return { kind: 'memory', detail: `${grown} bytes for an input of ${bytes.length}` };
  }
  if (bytes.length > reader.mostBytes || tookMs <= HELD_MS) return null;
  const shortest = await shortestTime(reader, bytes, HELD_MS);
  return shortest > HELD_MS
    ? { kind: 'holds-main', detail: `${shortest.toFixed(1)} ms for ${bytes.length} bytes` }
    : null;
}

/**
 * Reads a shape at sizes that double, up to `most` bytes, and says where the time more than
 * doubled. A suspicion counts only if the time goes on like that at twice the size, or is beyond
 * what may hold main: a single reading is slowed by other work on the machine, and by garbage.
 */
export async function climbLadder(
  reader: FuzzReader,
  shape: (length: number) => Uint8Array,
  most: number,
): Promise<Finding | null> {
  let before = Number.POSITIVE_INFINITY;
  for (let length = most / 8; length <= most; length *= 2) {
    const limit = Math.max(MEASURABLE_MS, before * MOST_RATIO);
    const bytes = shape(length);
    // Twice: the first may have compiled, and a rung that is too slow hides the next one's growth.
    const once = await shortestTime(reader, bytes, Infinity);
    const ms = once < 1 ? once : Math.min(once, await shortestTime(reader, bytes, limit));
    if (ms > limit) {
      const [half, whole, twice] = await timesOf(reader, [
        shape(length / 2),
        shape(length),
        shape(length * 2),
      ]);
      const isBeyond = whole > half * MOST_RATIO && whole > MEASURABLE_MS;
      if (isBeyond && (whole > HELD_MS || twice > whole * MOST_RATIO)) {
        return {
          kind: 'not-linear',
          detail: `${half.toFixed(1)}, ${whole.toFixed(1)} and ${twice.toFixed(1)} ms for ${length / 2} bytes, twice and four times as many`,
        };
      }
    }
    if (length <= reader.mostBytes && ms > HELD_MS) {
      const shortest = await shortestTime(reader, shape(length), HELD_MS);
      if (shortest > HELD_MS) {
        return { kind: 'holds-main', detail: `${shortest.toFixed(1)} ms for ${length} bytes` };
      }
    }
    before = ms;
  }
  return null;
}

/** The shortest of several readings of each, in turns, so that other work slows none of them alone; ms. */
async function timesOf(
  reader: FuzzReader,
  inputs: readonly [Uint8Array, Uint8Array, Uint8Array],
): Promise<[number, number, number]> {
  const times: [number, number, number] = [Infinity, Infinity, Infinity];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    for (const index of [0, 1, 2] as const) {
      times[index] = Math.min(times[index], await shortestTime(reader, inputs[index], Infinity));
    }
    if (times[1] > 20 * HELD_MS) break;
  }
  return times;
}

/** The shortest of several readings, ms; no more readings once one is within `enough`. */
async function shortestTime(reader: FuzzReader, bytes: Uint8Array, enough: number): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat === 0 || (repeat < REPEATS && shortest > enough); repeat += 1) {
    const began = workedMs();
    await reader.read(bytes);
    shortest = Math.min(shortest, workedMs() - began);
    // Minutes of a reading that is far beyond all bounds would prove nothing more.
    if (shortest > 20 * HELD_MS && repeat > 0) break;
  }
  return shortest;
}
