import { getHeapStatistics } from 'node:v8';
import { workedMs, workedStepMs } from '../../main/reading/testing/turn-meter';
import { type Finding, type FuzzReader, mostBytesOf } from './fuzz-reader';

/** The longest time that foreign input may block main (rule 31), ms. */
const HELD_MS = 50;
/** The most memory that one reading may take: this many bytes for each byte of input, plus a constant. */
const BYTES_FOR_EACH = 400;
const BYTES_AT_LEAST = 67_108_864;
/** The largest allowed ratio of the time for 2n bytes to the time for n. */
const MAX_RATIO = 2.5;
/** Far beyond all bounds: after a reading that long, more of them would take minutes and prove nothing more, ms. */
const LONG_MS = 20 * HELD_MS;
/** How often a suspicion is looked at before it counts. */
const LOOKS = 3;
/** The processor time of this thread advances in steps of this length, ms. */
const STEP_MS = workedStepMs();
/** Times below this are noise, ms. */
const MEASURABLE_MS = Math.max(4, 2 * STEP_MS);
/** Readings are repeated for this long where their times are compared, ms. */
const COMPARED_MS = Math.max(4, 8 * STEP_MS);
/**
 * Number of repetitions of a measurement; the shortest counts, because garbage collection and other work only
 * make it longer. Readers run in this thread, so its processor time is measured.
 */
const REPEATS = 6;

/** Reads once and returns the invariant that broke, or null. */
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
  if (bytes.length > mostBytesOf(reader) || tookMs <= HELD_MS) return null;
  const shortest = await shortestTime(reader, bytes, HELD_MS);
  return shortest > HELD_MS
    ? { kind: 'blocks-main', detail: `${shortest.toFixed(1)} ms for ${bytes.length} bytes` }
    : null;
}

/**
 * Reads a shape at sizes that double, up to `most` bytes, and reports where the time more than doubled. A
 * suspicion counts only if the time grows as fast again at twice and at four times the size: where garbage collection
 * begins, a reader that is linear gets slower once or twice, too.
 */
export async function climbLadder(
  reader: FuzzReader,
  shape: (length: number) => Uint8Array,
  most: number,
): Promise<Finding | null> {
  let before = Number.POSITIVE_INFINITY;
  for (let length = most / 8; length <= most; length *= 2) {
    const limit = Math.max(MEASURABLE_MS, before * MAX_RATIO);
    const bytes = shape(length);
    // Measured twice: the first time may include compilation, and a rung measured too slow would hide the
    // growth of the next.
    const once = await shortestTime(reader, bytes, Infinity);
    const ms = once < 1 ? once : Math.min(once, await shortestTime(reader, bytes, limit));
    if (ms > limit) {
      const sizes = [length / 2, length, length * 2, length * 4];
      const growing = await growingTimes(reader, sizes.map(shape));
      if (growing !== null) {
        const detail = `${growing.map((time) => time.toFixed(1)).join(', ')} ms for ${sizes.join(', ')} bytes`;
        return { kind: 'not-linear', detail };
      }
    }
    if (length <= mostBytesOf(reader) && ms > HELD_MS) {
      const shortest = await shortestTime(reader, shape(length), HELD_MS);
      if (shortest > HELD_MS) {
        return { kind: 'blocks-main', detail: `${shortest.toFixed(1)} ms for ${length} bytes` };
      }
    }
    before = ms;
  }
  return null;
}

/**
 * The times of inputs of sizes that double, ms; null: not each of them takes more than twice as long as the one before.
 * A suspicion is looked at several times, because other work on the machine can slow the larger ones through all turns;
 * once is enough where a reading takes so long that it is too slow in any case.
 */
async function growingTimes(
  reader: FuzzReader,
  inputs: readonly Uint8Array[],
): Promise<readonly number[] | null> {
  let times: readonly number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    times = await timesOf(reader, inputs);
    if (times.some((time, index) => index > 0 && time <= (times[index - 1] ?? 0) * MAX_RATIO)) return null;
    if (Math.max(...times) > LONG_MS) break;
  }
  return times;
}

/**
 * The time of a reading of each input, ms. The inputs take turns, so that other work does not slow only one of them,
 * and the shortest time counts.
 */
async function timesOf(reader: FuzzReader, inputs: readonly Uint8Array[]): Promise<readonly number[]> {
  const times = inputs.map(() => Number.POSITIVE_INFINITY);
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    for (const [index, input] of inputs.entries()) {
      times[index] = Math.min(times[index] ?? 0, await meanTime(reader, input));
    }
    if (Math.max(...times) > LONG_MS) break;
  }
  return times;
}

/** The mean of as many readings as take `COMPARED_MS`, ms. */
async function meanTime(reader: FuzzReader, bytes: Uint8Array): Promise<number> {
  const began = workedMs();
  for (let readings = 1; ; readings += 1) {
    await reader.read(bytes);
    const tookMs = workedMs() - began;
    if (tookMs >= COMPARED_MS) return tookMs / readings;
  }
}

/** The shortest of several readings, ms; stops once one takes at most `enough`. */
async function shortestTime(reader: FuzzReader, bytes: Uint8Array, enough: number): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat === 0 || (repeat < REPEATS && shortest > enough); repeat += 1) {
    const began = workedMs();
    await reader.read(bytes);
    shortest = Math.min(shortest, workedMs() - began);
    if (shortest > LONG_MS && repeat > 0) break;
  }
  return shortest;
}
