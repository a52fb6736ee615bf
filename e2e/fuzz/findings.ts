import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Found } from './fuzz';
import type { FuzzReader } from './fuzz-reader';

/** Folder for the findings of a run of the command. */
const FINDINGS = 'test-results/fuzz';
/** Inputs that once broke a reader: the tests read each of them again. */
const CORPUS = 'e2e/fuzz/corpus';

/** Stores the input, and beside it what it broke; returns the file to replay. */
export function saveFinding({ name }: FuzzReader, { kind, detail, input }: Found, seed: number): string {
  const folder = join(FINDINGS, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
  writeFileSync(`${file}.bin`, input);
  writeFileSync(`${file}.txt`, `${kind} (seed ${seed})\n${detail}\n`);
  return `${file}.bin`;
}

export function keptInputs({ name }: FuzzReader): ReadonlyArray<{ file: string; bytes: Uint8Array }> {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => ({ file, bytes: readFileSync(join(folder, file)) }));
}
