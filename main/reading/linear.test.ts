import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_BODY } from '../service/service-message';
import { HOSTILE_SHAPES } from './testing/hostile-shapes';
import { type AnyContract, CONTRACTS } from './testing/reader-contracts';
import { workedMs } from './testing/turn-meter';

/** UTF-16 code units or bytes; each rung is twice the one before. */
const LADDER = [64 * 1024, 128 * 1024, 256 * 1024, 512 * 1024] as const;
/** A rung may take so many times as long as the one before, on the average of the ladder (rule 31). */
const MOST = 2.5;
/** Below this a clock says more than the reader, ms. */
const NOISE_MS = 4;
/** So often a rung is tried: what the rest of the machine does only ever adds. */
const TRIES = 8;

/**
 * Garbage collections of this thread so far, ms. A long content is cleared up after more often than
 * a short one, which may need it not at all; how the engine does that says nothing of the reader.
 */
let collectedMs = 0;
const collections = new PerformanceObserver((list) => add(list.getEntries()));
const add = (entries: readonly PerformanceEntry[]) => {
  for (const { duration } of entries) collectedMs += duration;
};
collections.observe({ entryTypes: ['gc'] });
afterAll(() => collections.disconnect());

/** What `read` worked, and what of that it worked itself, ms. */
async function timed(
  read: () => unknown,
): Promise<{ readonly workedMs: number; readonly ms: number; readonly output: unknown }> {
  // Collections are told a turn later.
  await new Promise(setImmediate);
  add(collections.takeRecords());
  const [started, before] = [workedMs(), collectedMs];
  const output = await read();
  const ms = workedMs() - started;
  await new Promise(setImmediate);
  add(collections.takeRecords());
  return { workedMs: ms, ms: Math.max(0, ms - (collectedMs - before)), output };
}

describe('time of 2n is at most 2.5 times the time of n', () => {
  it.each(HOSTILE_SHAPES.map((shape) => [`${shape.reader}: ${shape.name}`, shape] as const))(
    '%s',
    async (_name, shape) => {
      const reader = CONTRACTS[shape.reader] as AnyContract;
      const read = await reader.load();
      // What is longer is not looked into.
      const most = shape.reader === 'service-message' ? MAX_BODY / 2 : (LADDER.at(-1) ?? 0);
      const share = most / (LADDER.at(-1) ?? 1);
      const rungs = LADDER.map((rung) => rung * share).map((length) => ({
        content: shape.make(length),
        ms: Number.POSITIVE_INFINITY,
        workedMs: Number.POSITIVE_INFINITY,
      }));
      const isLinear = () => {
        // The shortest needs no collection in its best try. Collections are told by the clock on the wall, which
        // runs on while another machine has the processor: taken off a short time, they may leave nothing.
        const [first, last] = [rungs[0]?.workedMs ?? 0, rungs.at(-1)?.ms ?? 0];
        return last <= MOST ** (rungs.length - 1) * Math.max(NOISE_MS, first);
      };
      for (let tries = 0; tries < TRIES && !(tries > 1 && isLinear()); tries += 1) {
        for (const rung of rungs) {
          const { output, ...took } = await timed(() => read(rung.content, reader.options));
          rung.ms = Math.min(rung.ms, took.ms);
          rung.workedMs = Math.min(rung.workedMs, took.workedMs);
          expect(reader.outcomes).toContain(reader.outcomeOf(output));
        }
      }
      expect(isLinear(), `ms: ${rungs.map(({ ms }) => ms.toFixed(1)).join(', ')}`).toBe(true);
    },
  );
});
