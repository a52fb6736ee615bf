import { describe, expect, it } from 'vitest';
import { workedMs } from '../../main/reading/testing/turn-meter';
import { keptInputs } from './findings';
import { climbAll, type Found, fuzz } from './fuzz';
import { bytesOf, type FuzzReader } from './fuzz-reader';
import { climbLadder, tryReading } from './measure';
import { FUZZ_READERS } from './readers';

const SEED = 16;
const READINGS = 200;
const LADDER_BYTES = 65_536;

/** A reader for the tests of the fuzzing itself. */
function reader(read: (text: string) => unknown): FuzzReader {
  return {
    name: 'test',
    seeds: [bytesOf('{"a":1}')],
    words: ['<a', '{"a":'],
    mostBytes: LADDER_BYTES,
    read: (bytes) => read(Buffer.from(bytes).toString('latin1')),
  };
}

/** As one text, because the message of a failing comparison shortens arrays. */
function linesOf(found: readonly Found[]): string {
  return found.map(({ kind, detail }) => `${kind}: ${detail}`).join('\n');
}

/**
 * A reader with cubic time: eight times the time for twice the input, so that other work on the machine
 * cannot hide it.
 */
function cubic(text: string): number {
  const steps = Math.floor(text.length / 256);
  let found = 0;
  for (let first = 0; first < steps; first += 1) {
    for (let second = 0; second < steps; second += 1) {
      for (let third = 0; third < steps; third += 1) found += text.charCodeAt(third);
    }
  }
  return found;
}

describe('the fuzzer', () => {
  it('finds a reader that throws, by mutation and again by the same seed', async () => {
    const fragile = reader((text) => JSON.parse(text));
    const runs = [];
    for (let run = 0; run < 2; run += 1) {
      const { found } = await fuzz(fragile, { seed: SEED, goesOn: (readings) => readings < 200 });
      runs.push(found.map(({ kind, input }) => ({ kind, input: Buffer.from(input).toString('latin1') })));
    }
    const [first = [], second] = runs;
    expect(first.length).toBeGreaterThan(0);
    expect(first).toEqual(second);
    const [finding] = first;
    expect(await tryReading(fragile, Buffer.from(finding?.input ?? '', 'latin1'))).toMatchObject({
      kind: 'throws',
    });
  });

  it('finds a reader whose time is not linear', async () => {
    const shape = (length: number) => Buffer.alloc(length, 'a');
    expect(await climbLadder({ ...reader(cubic), mostBytes: 0 }, shape, 131_072)).toMatchObject({
      kind: 'not-linear',
    });
    expect(
      await climbLadder(
        reader((text) => text.indexOf('never')),
        shape,
        131_072,
      ),
    ).toBeNull();
  });

  it('does not take a reader that gets slower for each byte up to a bound for one whose time is not linear', async () => {
    const shape = (length: number) => Buffer.alloc(length, 'a');
    // As where garbage collection begins: four times the time for twice the input, twice in a row.
    const slower = reader(({ length }) => {
      const forEach = Math.min(4, Math.max(1, length / 32_768));
      for (let left = length * forEach * 300; left > 0; left -= 1);
    });
    expect(await climbLadder({ ...slower, mostBytes: 0 }, shape, 65_536)).toBeNull();
  });

  it('finds a reader that blocks main, and one that takes memory beyond its input', async () => {
    const slow = reader(() => {
      for (const until = workedMs() + 60; workedMs() < until; );
    });
    expect(await tryReading(slow, bytesOf('a'))).toMatchObject({ kind: 'blocks-main' });
    const hungry = reader(() => new Array(30_000_000).fill(0.5));
    expect(await tryReading(hungry, bytesOf('a'))).toMatchObject({ kind: 'memory' });
  });
});

describe.each(FUZZ_READERS.map((each) => [each.name, each] as const))('the reader of %s', (_name, each) => {
  it('accepts its well-formed inputs, and survives inputs that once broke it', async () => {
    for (const bytes of each.seeds) {
      expect(await tryReading(each, bytes)).toBeNull();
      expect(each.accepts?.(await each.read(bytes)) ?? true).toBe(true);
    }
    for (const { file, bytes } of keptInputs(each))
      expect([file, await tryReading(each, bytes)]).toEqual([file, null]);
  });

  it('keeps its contract for any input', async () => {
    const { found } = await fuzz(each, { seed: SEED, goesOn: (readings) => readings < READINGS });
    expect(linesOf(found)).toBe('');
  });

  it('reads every hostile shape in linear time', async () => {
    const found = await climbAll(each, LADDER_BYTES, () => true);
    expect(linesOf(found)).toBe('');
  });
});
