import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_BODY } from '../service/service-message';
import { HOSTILE_SHAPES } from './testing/hostile-shapes';
import { type AnyContract, CONTRACTS } from './testing/reader-contracts';
import { workedMs } from './testing/turn-meter';

/** UTF-16 code units or bytes; each rung is twice the one before. */
const LADDER = [64 * 1024, 128 * 1024, 256 * 1024, 512 * 1024] as const;
/** On the average of the ladder, a rung may take this many times as long as the one before (rule 31). */
const MOST = 2.5;
/** Shorter times say more about the clock than about the reader, ms. */
const NOISE_MS = 4;
/**
 * Most climbs of the ladder. Each is judged by its own times, because the machine may be twice as fast a second
 * later. The result of more than half of them counts.
 */
const CLIMBS = 16;

/**
 * Garbage collections of this thread so far, ms. They are subtracted, because they come more often with long contents
 * than with short ones, which says nothing about the reader.
 */
let collectedMs = 0;
const collections = new PerformanceObserver((list) => add(list.getEntries()));
const add = (entries: readonly PerformanceEntry[]) => {
  for (const { duration } of entries) collectedMs += duration;
};
collections.observe({ entryTypes: ['gc'] });
afterAll(() => collections.disconnect());

/** The time of `read`, with and without garbage collections, ms. */
async function timed(
  read: () => unknown,
): Promise<{ readonly workedMs: number; readonly ms: number; readonly output: unknown }> {
  // Collections are reported a turn later.
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
      // This reader rejects longer contents unread.
      const most = shape.reader === 'service-message' ? MAX_BODY / 2 : (LADDER.at(-1) ?? 0);
      const share = most / (LADDER.at(-1) ?? 1);
      const contents = LADDER.map((rung) => shape.make(rung * share));
      const climbs: { readonly ms: readonly number[]; readonly isLinear: boolean }[] = [];
      const isLinear = () => 2 * climbs.filter((climb) => climb.isLinear).length > climbs.length;
      while (climbs.length < CLIMBS && !(climbs.length >= 2 && isLinear())) {
        let first = NOISE_MS;
        const ms: number[] = [];
        for (const [rung, content] of contents.entries()) {
          const { output, ...took } = await timed(() => read(content, reader.options));
          expect(reader.outcomes).toContain(reader.outcomeOf(output));
          // The shortest content rarely needs a collection. Their durations are measured by wall time, which includes
          // other programs: subtracted from a short time, they may leave nothing.
          if (rung === 0) first = Math.max(NOISE_MS, took.workedMs);
          ms.push(took.ms);
        }
        climbs.push({ ms, isLinear: (ms.at(-1) ?? 0) <= MOST ** (ms.length - 1) * first });
      }
      const times = climbs.map(({ ms }) => ms.map((time) => time.toFixed(1)).join(', ')).join('; ');
      expect(isLinear(), `ms: ${times}`).toBe(true);
    },
  );
});
