import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '../../../shared/log';
import type { Block } from './block';
import { openBlockList } from './block-list';
import type { SignedBlocks } from './commands';
import { addresseesOf } from './topics';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-blocks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GROUPS = ['berlin', 'cold'];
const ADDRESSEES = addresseesOf('00112233aabbccdd', GROUPS);
const FLIGHTS = ['a', 'b', 'c', 'd'];
const KEY = 'key-of-operator';
const open = (groups = GROUPS, keys: readonly string[] = [KEY]) =>
  openBlockList({ path: join(folder, 'fleet-blocks.json'), groups, keys: new Set(keys), log: silentLog });
const flight = (id: string): Block => ({ kind: 'flight', id });
const documentOf = (aud: string, version: number, flights: readonly string[]): SignedBlocks => ({
  iat: 0,
  aud,
  version,
  atOnce: false,
  blocks: flights.map(flight),
});

/** A document of an operator. Several may have the same addressee and version. */
const anyDocument = fc
  .tuple(fc.constantFrom(...ADDRESSEES), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 15 }))
  .map(([aud, version, seed]) =>
    documentOf(
      aud,
      version,
      FLIGHTS.filter((_flight, at) => ((seed + version) >> at) & 1),
    ),
  );
const anyStep = fc.oneof(
  { weight: 6, arbitrary: anyDocument.map((document) => ({ kind: 'comes' as const, document })) },
  { weight: 1, arbitrary: anyDocument.map((document) => ({ kind: 'lost' as const, document })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

test('the blocks equal the oracle for any order of documents, losses, repeats and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25, size: 'max' }), async (steps) => {
      rmSync(join(folder, 'fleet-blocks.json'), { force: true });
      let list = await open();
      const came: SignedBlocks[] = [];
      for (const step of steps) {
        if (step.kind === 'restart') list = await open();
        if (step.kind === 'comes') {
          came.push(step.document);
          await list.take(step.document, KEY);
        }
        const highest = ADDRESSEES.map((aud) => {
          const own = came.filter((document) => document.aud === aud);
          const version = Math.max(...own.map((document) => document.version));
          // Of several documents with this version only the first counts.
          return own.find((document) => document.version === version)?.blocks ?? [];
        });
        for (const id of FLIGHTS) {
          const isBlocked = highest.some((blocks) => blocks.some((block) => block.id === id));
          expect(list.current().fitting({ flightId: id }) !== null).toBe(isBlocked);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('an acknowledged document is in force and stored, and reports whether it acts at once', async () => {
  const list = await open();
  const told: boolean[] = [];
  list.onChange((atOnce) => told.push(atOnce));
  expect(await list.take({ ...documentOf('all', 2, ['a']), atOnce: true }, KEY)).toBe('taken');
  expect(await list.take(documentOf('all', 2, ['a']), KEY)).toBe('known');
  for (const id of ['a', 'b']) expect(await list.take(documentOf('all', 1, [id]), KEY)).toBe('superseded');
  expect(await list.take(documentOf('all', 2, ['b']), KEY)).toBe('superseded');
  expect(told).toEqual([true]);
  expect((await open()).versions()).toEqual({ all: 2 });
});

test('documents for other kiosks or for groups that the kiosk left have no effect', async () => {
  const list = await open();
  await list.take(documentOf('group:berlin', 1, ['a']), KEY);
  await list.take(documentOf('kiosk:ffffffffffffffff', 1, ['b']), KEY);
  expect((await open(['cold'])).versions()).toEqual({ 'kiosk:ffffffffffffffff': 1 });
  list.keepOnly(ADDRESSEES);
  expect(list.current().fitting({ flightId: 'b' })).toBeNull();
  expect(list.current().fitting({ flightId: 'a' })).not.toBeNull();
  await expect.poll(async () => (await open()).versions()).toEqual({ 'group:berlin': 1 });
});

test('documents for a group that the kiosk left have no effect if it comes back to the group', async () => {
  await (await open()).take(documentOf('group:berlin', 1, ['a']), KEY);
  (await open(['cold'])).keepOnly(addresseesOf('00112233aabbccdd', ['cold']));
  await expect.poll(async () => (await open()).versions()).toEqual({});
});

test('blocks of a removed key are in force until a document of another key comes, of any version', async () => {
  const highest = Number.MAX_SAFE_INTEGER;
  await (await open(GROUPS, [KEY, 'lost'])).take(documentOf('all', highest, ['a']), 'lost');
  expect(await (await open(GROUPS, [KEY, 'lost'])).take(documentOf('all', 7, ['b']), KEY)).toBe('superseded');
  const list = await open();
  expect(list.current().fitting({ flightId: 'a' })).not.toBeNull();
  expect(await list.take(documentOf('all', 1, ['b']), KEY)).toBe('taken');
  expect(list.current().fitting({ flightId: 'a' })).toBeNull();
  expect(await (await open()).take(documentOf('all', 1, ['c']), KEY)).toBe('superseded');
});

test('blocks that an older Endcap stored give way to a higher version only', async () => {
  const stored = { version: 1, documents: { all: { version: 2, blocks: [flight('a')] } } };
  writeFileSync(join(folder, 'fleet-blocks.json'), JSON.stringify(stored));
  const list = await open();
  expect(await list.take(documentOf('all', 1, ['b']), KEY)).toBe('superseded');
  expect(await list.take(documentOf('all', 3, ['b']), KEY)).toBe('taken');
});

test('without command keys nothing is blocked, and stored blocks are kept', async () => {
  await (await open()).take(documentOf('all', 1, ['a']), KEY);
  const without = await open(GROUPS, []);
  expect([without.current().isEmpty, without.versions()]).toEqual([true, {}]);
  expect((await open()).current().isEmpty).toBe(false);
});

test('blocks that cannot be stored are not in force', async () => {
  const list = await openBlockList({
    path: join(folder, 'missing', 'blocks.json'),
    groups: GROUPS,
    keys: new Set([KEY]),
    log: silentLog,
  });
  await expect(list.take(documentOf('all', 1, ['a']), KEY)).rejects.toThrow();
  expect(list.current().isEmpty).toBe(true);
});

test.each(['', '{', '{"version":1,"documents":{"all":{"version":0}}}'])(
  'a broken file (%j) gives no blocks',
  async (text) => {
    writeFileSync(join(folder, 'fleet-blocks.json'), text);
    const list = await open();
    expect(list.current().isEmpty).toBe(true);
    expect(await list.take(documentOf('all', 1, ['a']), KEY)).toBe('taken');
  },
);

describe('stored blocks that cannot be read for a moment', () => {
  const file = () => join(folder, 'fleet-blocks.json');
  /** A link to itself in their place: reading fails, as from a bad disk. */
  function hide(): void {
    renameSync(file(), `${file()}.good`);
    symlinkSync(file(), file());
  }
  const bringBack = () => renameSync(`${file()}.good`, file());

  test('hold again, with their version, at the next document', async () => {
    await (await open()).take(documentOf('all', 5, ['a']), KEY);
    hide();
    const list = await open();
    expect(list.current().fitting({ flightId: 'a' })).toBeNull();
    bringBack();
    expect(await list.take(documentOf('all', 4, []), KEY)).toBe('superseded');
    expect(list.current().fitting({ flightId: 'a' })).not.toBeNull();
    expect((await open()).versions()).toEqual({ all: 5 });
  });

  test('keep their version even after a document that could not be stored', async () => {
    await (await open()).take(documentOf('all', 5, ['a']), KEY);
    hide();
    const list = await open();
    // In the place of what is written first: writing fails.
    mkdirSync(`${file()}.tmp`);
    await expect(list.take(documentOf('all', 3, []), KEY)).rejects.toThrow();
    bringBack();
    await expect(list.take(documentOf('all', 6, []), KEY)).rejects.toThrow();
    expect(list.current().fitting({ flightId: 'a' })).not.toBeNull();
    rmSync(`${file()}.tmp`, { recursive: true });
    expect(await list.take(documentOf('all', 4, []), KEY)).toBe('superseded');
    expect((await open()).versions()).toEqual({ all: 5 });
  });

  test('give way to a document if they can never be read again', async () => {
    await (await open()).take(documentOf('all', 5, ['b']), KEY);
    hide();
    const list = await open();
    expect(await list.take(documentOf('all', 6, ['a']), KEY)).toBe('taken');
    expect((await open()).current().fitting({ flightId: 'a' })).not.toBeNull();
  });

  test('hold again before a document comes, if they can be read once the kiosk knows its name', async () => {
    await (await open()).take(documentOf('all', 5, ['a']), KEY);
    hide();
    const list = await open();
    bringBack();
    list.keepOnly(ADDRESSEES);
    await expect.poll(() => list.current().fitting({ flightId: 'a' })).not.toBeNull();
  });

  test('come back only if they mean this kiosk', async () => {
    const first = await open();
    await first.take(documentOf('kiosk:ffffffffffffffff', 1, ['b']), KEY);
    await first.take(documentOf('all', 1, ['a']), KEY);
    hide();
    const list = await open();
    list.keepOnly(ADDRESSEES);
    bringBack();
    await list.take(documentOf('all', 2, ['c']), KEY);
    expect(list.versions()).toEqual({ all: 2 });
    expect(list.current().fitting({ flightId: 'b' })).toBeNull();
  });
});
