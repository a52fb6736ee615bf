import { generateKeyPairSync } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ProofPosition, SequenceEntry, SetAsideSegment } from '../../shared/proof-sequence';
import type { Records } from '../records/records-client';
import { buildSegment } from './build-segment';
import type { PlayFields } from './segment';
import { signingKeyOf } from './signing-key';

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

/**
 * The segment of the plays of epoch 2 after a position, and how long the page was worked on before each rest, ms.
 *
 * @param text in each row
 */
async function segmentAfter(
  from: ProofPosition,
  { plays, maxRows = 5_000, text = '' }: { plays: number; maxRows?: number; text?: string },
) {
  const stored: Uint8Array[] = [];
  const rests: number[] = [];
  let isResting = false;
  const run = async (
    command: string,
    input: { after: { seq: number }; limit: number; bytes: Uint8Array },
  ) => {
    expect(isResting).toBe(false);
    if (command === 'storeSegment') {
      await new Promise((resolve) => setImmediate(resolve));
      return void stored.push(input.bytes);
    }
    const { after, limit } = input;
    const length = Math.min(limit, plays - after.seq);
    const entries = Array.from({ length }, (_, index) => ({ epoch: 2, seq: after.seq + 1 + index }));
    return { entries, more: after.seq + length < plays };
  };
  let monotonic = 0;
  const built = await buildSegment(
    {
      records: { run } as unknown as Pick<Records, 'run'>,
      key,
      rowOf: ({ epoch, seq }) => ({ kind: 'play', epoch, seq, text }),
      maxRows,
      clock: { now: () => 0, monotonic: () => (monotonic += 4) },
      async rest(workedMs) {
        rests.push(workedMs);
        isResting = true;
        await new Promise((resolve) => setImmediate(resolve));
        isResting = false;
      },
    },
    from,
  );
  const [bytes] = stored;
  if (bytes === undefined) throw new Error('nothing is stored yet');
  const body = gunzipSync(bytes);
  const manifest = JSON.parse(body.toString('utf8').trimEnd().split('\n').at(-1) ?? '');
  return { built, rests, body, manifest, bytes };
}
const inEpoch2 = { ...position, readFrom: { epoch: 2, seq: 0 } };

test('a segment holds as many rows as are allowed, with a rest after each page that was worked on', async () => {
  const { built, rests, bytes } = await segmentAfter(inEpoch2, { plays: 100, maxRows: 30 });
  expect(built).toMatchObject({ segment: { first: 1, last: 30, count: 30 }, hasMore: true });
  expect(rests).toEqual([4]);
  expect(bytes.buffer.byteLength, 'all of it would go through the port').toBe(bytes.byteLength);
});

test('a segment of long rows ends before it is larger than the books store', async () => {
  const { built, body } = await segmentAfter(inEpoch2, { plays: 200, text: 'x'.repeat(100_000) });
  expect(built?.hasMore).toBe(true);
  expect(body.byteLength).toBeGreaterThan(12 * 1024 * 1024);
  expect(body.byteLength).toBeLessThan(16 * 1024 * 1024);
});

test('a manifest lists what is missing of its own epoch, in order, and continues the chain of that epoch', async () => {
  const aside = (epoch: number, first: number): SetAsideSegment => ({
    ...{ epoch, first, last: first + 4, count: 5, digest: 'c'.repeat(64), madeAt: 0 },
    ...{ since: 0, triedAt: 0, status: 400 },
  });
  const from: ProofPosition = {
    ...position,
    readFrom: { epoch: 2, seq: 15 },
    heads: [1, 2].map((epoch) => ({ epoch, digest: String(epoch).repeat(64) })),
    setAside: [aside(1, 1), aside(2, 11)],
    dropped: [1, 2].map((epoch) => ({ epoch, first: 4 + epoch, last: 8 })),
  };
  const { manifest } = await segmentAfter(from, { plays: 16 });
  expect(manifest).toMatchObject({ epoch: 2, first: 16, last: 16, predecessor: '2'.repeat(64) });
  expect(JSON.parse(manifest.setAside)).toEqual([
    { first: 6, last: 8, digest: null },
    { first: 11, last: 15, digest: 'c'.repeat(64) },
  ]);
});
