import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startCoverage } from './coverage';
import { saveFinding } from './findings';
import { climbAll, type Found, fuzz } from './fuzz';
import type { FuzzReader } from './fuzz-reader';
import { tryReading } from './measure';
import { FUZZ_READERS } from './readers';

const USAGE = `usage: npm run fuzz -- READER [--minutes N] [--seed WHOLE NUMBER]
       npm run fuzz -- READER --replay FILE
READER: all, ${FUZZ_READERS.map(({ name }) => name).join(', ')}`;

/** The longest input of the ladder, bytes. */
const LADDER_BYTES = 262_144;
/** The part of the time that the ladder may take. */
const LADDER_SHARE = 0.3;

interface Arguments {
  readonly readers: readonly FuzzReader[];
  readonly minutes: number;
  readonly seed: number;
  readonly replay: string | null;
}

const wanted = readArguments();
process.exitCode = wanted === null ? usage() : await run(wanted);

function usage(): number {
  console.error(USAGE);
  return 2;
}

function readArguments(): Arguments | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { minutes: { type: 'string' }, seed: { type: 'string' }, replay: { type: 'string' } },
    });
    const [name] = positionals;
    const readers = name === 'all' ? FUZZ_READERS : FUZZ_READERS.filter((reader) => reader.name === name);
    const minutes = Number(values.minutes ?? 1);
    const seed = Number(values.seed ?? Date.now() % 1_000_000);
    const isValid = positionals.length === 1 && readers.length > 0 && minutes > 0 && Number.isInteger(seed);
    return isValid && Number.isFinite(minutes)
      ? { readers, minutes, seed, replay: values.replay ?? null }
      : null;
  } catch {
    return null;
  }
}

async function run({ readers, minutes, seed, replay }: Arguments): Promise<number> {
  let findings = 0;
  for (const reader of readers) {
    if (replay !== null) {
      const finding = await tryReading(reader, readFileSync(replay));
      console.log(finding ? `${reader.name}: ${finding.kind}\n${finding.detail}` : `${reader.name}: holds`);
      if (finding) findings += 1;
      continue;
    }
    const found = await search(reader, (minutes * 60_000) / readers.length, seed);
    for (const each of found) {
      console.log(`${reader.name}: ${each.kind}: ${each.detail}\n  ${saveFinding(reader, each, seed)}`);
    }
    findings += found.length;
  }
  return findings === 0 ? 0 : 1;
}

/** Climbs the ladder first, then tries mutations for the rest of the time. */
async function search(reader: FuzzReader, ms: number, seed: number): Promise<Found[]> {
  const began = performance.now();
  const within = (share: number) => performance.now() - began < ms * share;
  const shapes = await climbAll(reader, LADDER_BYTES, () => within(LADDER_SHARE));
  const { readings, corpus, found } = await fuzz(reader, {
    seed,
    goesOn: () => within(1),
    coverage: () => startCoverage((url) => url === import.meta.url),
  });
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `${reader.name}: ${readings} readings in ${seconds} s, ${corpus} inputs kept, ` +
      `${shapes.length + found.length} findings (seed ${seed})`,
  );
  return [...shapes, ...found];
}
