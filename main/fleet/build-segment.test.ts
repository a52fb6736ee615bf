import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ProofPosition, SequenceEntry } from '../../shared/proof-sequence';
import { signingKeyOf } from '../admin/signing-key';
import type { Records } from '../records/records-client';
import { buildSegment } from './build-segment';
import type { PlayFields } from './segment';

const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const position: ProofPosition = {
  cursor: { epoch: 1, seq: 0 },
  readFrom: { epoch: 1, seq: 0 },
  pending: null,
  heads: [],
  setAside: [],
  dropped: [],
  waiting: 9,
  oldestSettledAt: 0,
};

/** The numbers of the segment that is made of these pages of entries, `epoch/seq`, and whether more wait. */
async function segmentOf(pages: ReadonlyArray<readonly string[]>) {
  let reads = 0;
  const run = async (command: string) => {
    if (command !== 'readSequence') return undefined;
    reads += 1;
    const entries = (pages[reads - 1] ?? []).map((entry) => entry.split('/').map(Number));
    return { entries: entries.map(([epoch, seq]) => ({ epoch, seq })), more: reads < pages.length };
  };
  const rowOf = ({ epoch, seq }: SequenceEntry) => ({ kind: 'play', epoch, seq }) as PlayFields;
  const time = { now: () => 0, monotonic: () => 0 };
  const rest = () => Promise.resolve();
  const records = { run } as Pick<Records, 'run'>;
  const built = await buildSegment({ records, key, rowOf, maxRows: 9, clock: time, rest }, position);
  return built && [built.segment.epoch, built.segment.first, built.segment.last, built.hasMore];
}

test.each([
  [
    [['1/1', '1/2'], ['1/3']],
    [1, 1, 3, false],
  ],
  [[['1/3', '1/4']], [1, 3, 4, false]],
  // A number was dropped.
  [
    [['1/1', '1/2'], ['1/4']],
    [1, 1, 2, true],
  ],
  [
    [['1/1', '1/2'], ['2/1']],
    [1, 1, 2, true],
  ],
  [
    [['1/1'], ['2/2']],
    [1, 1, 1, true],
  ],
  // What was to follow was dropped meanwhile.
  [
    [['1/1'], []],
    [1, 1, 1, true],
  ],
  [[], null],
])(
  'the pages of plays %j make a segment that ends before a gap and before a new epoch: %j (rule 28)',
  async (pages, made) => {
    expect(await segmentOf(pages)).toEqual(made);
  },
);
