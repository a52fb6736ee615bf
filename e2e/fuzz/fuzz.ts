import { seededRandom } from '../seeded-random';
import type { Coverage } from './coverage';
import { bytesOf, type Finding, type FuzzReader, mostBytesOf } from './fuzz-reader';
import { climbLadder, tryReading } from './measure';
import { mutated } from './mutate';
import { shapesOf } from './shapes';

/** The search ends with this many findings. */
const MAX_FINDINGS = 20;
/** The most inputs that are kept for further mutation. */
const MAX_CORPUS = 5_000;
/** Usual length of a mutation, bytes: short inputs are read quickly, and shapes test long ones. */
const SHORT = 4_096;

export interface Found extends Finding {
  readonly input: Uint8Array;
}

export interface FuzzRun {
  readonly readings: number;
  /** Number of inputs that were kept because they made new code run. */
  readonly corpus: number;
  readonly found: readonly Found[];
}

/**
 * Reads mutations of well-formed inputs while `goesOn` returns true. With `coverage`, mutates an input
 * further when it made new code run; without, one in a hundred.
 */
export async function fuzz(
  reader: FuzzReader,
  options: {
    readonly seed: number;
    readonly goesOn: (readings: number) => boolean;
    readonly coverage?: () => Coverage;
  },
): Promise<FuzzRun> {
  const random = seededRandom(options.seed);
  const words = reader.words.map(bytesOf);
  const corpus = [...reader.seeds];
  const found: Found[] = [];
  const known = new Set<string>();
  let coverage = options.coverage?.() ?? null;
  let readings = 0;

  async function look(input: Uint8Array): Promise<boolean> {
    readings += 1;
    const finding = await tryReading(reader, input);
    const isNew = coverage === null ? random() < 0.01 : coverage.foundNew();
    if (finding === null) return isNew;
    if (coverage !== null && finding.kind === 'blocks-main') {
      // Coverage slows the program down, so the time is measured again without it.
      coverage.stop();
      coverage = null;
      const again = await tryReading(reader, input);
      coverage = options.coverage?.() ?? null;
      if (again === null) return isNew;
    }
    const place = `${finding.kind} ${finding.detail.split('\n').slice(0, 2).join(' ').replace(/\d+/g, '')}`;
    if (!known.has(place)) found.push({ ...finding, input });
    known.add(place);
    return isNew;
  }

  for (const seed of reader.seeds) await look(seed);
  while (options.goesOn(readings) && found.length < MAX_FINDINGS) {
    const input = corpus[Math.floor(random() * corpus.length)] ?? new Uint8Array();
    const most = random() < 0.02 ? mostBytesOf(reader) : SHORT;
    const next = mutated(input, corpus, words, most, random);
    if (!(await look(next))) continue;
    if (corpus.length < MAX_CORPUS) corpus.push(next);
    else corpus[Math.floor(random() * corpus.length)] = next;
  }
  coverage?.stop();
  return { readings, corpus: corpus.length, found };
}

/** Reads every hostile shape at sizes that double, up to `most` bytes. */
export async function climbAll(reader: FuzzReader, most: number, goesOn: () => boolean): Promise<Found[]> {
  const found: Found[] = [];
  const longest = Math.min(most, reader.longestBytes ?? most);
  for (const { name, make } of shapesOf(reader)) {
    if (!goesOn()) break;
    const finding = await climbLadder(reader, make, longest).catch(
      (error: unknown): Finding => ({ kind: 'throws', detail: String(error) }),
    );
    if (finding) found.push({ ...finding, detail: `${name}: ${finding.detail}`, input: make(longest) });
  }
  return found;
}
