import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Log, silentLog } from '../shared/log';
import { asJson, openStateFile, type StateFileParts } from './state-file';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-state-'));
  path = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Numbers = readonly number[];
type IfUnread = StateFileParts<Numbers>['ifUnread'];
const ALL: readonly IfUnread[] = ['replace', 'keep', 'keep-for-next-start'];
const union = (a: Numbers, b: Numbers): Numbers => [...new Set([...a, ...b])];
const adding =
  (...added: Numbers) =>
  (state: Numbers): Numbers =>
    added.every((each) => state.includes(each)) ? state : union(state, added);

/** The numbers of a run, each stored in addition to those before. */
const open = (ifUnread: IfUnread, more: Partial<StateFileParts<Numbers>> = {}) =>
  openStateFile<Numbers>({
    path,
    ...asJson<Numbers>(z.array(z.int())),
    nothing: [],
    merge: union,
    ifUnread,
    log: silentLog,
    unread: 'the numbers cannot be read',
    notStored: 'a number could not be stored',
    ...more,
  });

const store = (numbers: Numbers) => writeFileSync(path, JSON.stringify(numbers));
const stored = (): Numbers => JSON.parse(readFileSync(path, 'utf8'));

/** A link to itself in the place of the file: reading fails, as from a bad disk, but it can be replaced. */
function failReads(): void {
  if (existsSync(path)) renameSync(path, `${path}.good`);
  symlinkSync(path, path);
}
const areReadsFailing = () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
function allowReads(): void {
  if (!areReadsFailing()) return;
  rmSync(path);
  if (existsSync(`${path}.good`)) renameSync(`${path}.good`, path);
}
/** A folder in the place of what is written before it gets the file's name. */
const failWrites = () => mkdirSync(`${path}.tmp`, { recursive: true });
const allowWrites = () => rmSync(`${path}.tmp`, { recursive: true, force: true });

function recordingLog() {
  const lines: Array<readonly [string, unknown]> = [];
  const log: Log = { ...silentLog, error: (event, details) => void lines.push([event, details]) };
  return { lines, log };
}

describe('a state in a file', () => {
  it('is nothing where there is no file, and is there again after a restart', async () => {
    const file = await open('keep');
    expect(file.now()).toEqual([]);
    await file.change(adding(1));
    await file.changeEvenIfNotStored(adding(2));
    expect([file.now(), (await open('keep')).now()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, '[1,2]\n']);
  });

  it.each(['', '[1', '{"a":1}', '["1"]'])(
    'is nothing where the file is broken (%j), which is logged and may be replaced',
    async (text) => {
      for (const ifUnread of ALL) {
        writeFileSync(path, text);
        const { lines, log } = recordingLog();
        const file = await open(ifUnread, { log });
        expect([file.now(), lines]).toEqual([
          [],
          [['the numbers cannot be read', { file: path, error: expect.any(Error) }]],
        ]);
        await file.change(adding(3));
        expect(stored()).toEqual([3]);
      }
    },
  );

  it('is what counts as lost where the file is broken or cannot be read, but not where it is missing', async () => {
    expect((await open('replace', { lost: [5] })).now()).toEqual([]);
    writeFileSync(path, '[');
    expect((await open('replace', { lost: [5] })).now()).toEqual([5]);
    failReads();
    const file = await open('replace', { lost: [5] });
    expect(file.now()).toEqual([5]);
    await file.change(adding(6));
    expect(stored()).toEqual([5, 6]);
  });

  it('changes one step after the other', async () => {
    const file = await open('keep');
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    await Promise.all(numbers.map((each) => file.change((state) => [...state, each])));
    expect([file.now(), stored()]).toEqual([numbers, numbers]);
  });

  it('is not written where nothing has changed', async () => {
    const file = await open('keep');
    await file.change((state) => state);
    expect(existsSync(path)).toBe(false);
  });

  it('changes only once that is stored, or all the same where that is asked for', async () => {
    store([1]);
    const { lines, log } = recordingLog();
    const file = await open('replace', { log });
    failWrites();
    await expect(file.change(adding(2))).rejects.toThrow();
    expect(file.now()).toEqual([1]);
    await file.changeEvenIfNotStored(adding(3));
    expect([file.now(), stored(), lines]).toEqual([
      [1, 3],
      [1],
      [['a number could not be stored', { file: path, error: expect.any(Error) }]],
    ]);
    // Even a change of nothing tells the truth about the disk.
    await expect(file.change((state) => state)).rejects.toThrow();
    allowWrites();
    await file.change((state) => state);
    expect(stored()).toEqual([1, 3]);
  });

  it.each(ALL)(
    'is what the file holds once it was read, whatever becomes of the file (%s)',
    async (ifUnread) => {
      store([1]);
      const file = await open(ifUnread);
      failReads();
      await file.change(adding(2));
      expect(stored()).toEqual([1, 2]);
    },
  );

  it.skipIf(process.getuid?.() === 0)('is not lost with the right to read its file', async () => {
    store([1]);
    chmodSync(path, 0o000);
    const file = await open('keep');
    await expect(file.change(adding(2))).rejects.toThrow('EACCES');
    chmodSync(path, 0o600);
    await file.change(adding(2));
    expect(stored()).toEqual([1, 2]);
  });
});

describe('a file that cannot be read at the start', () => {
  beforeEach(() => {
    store([1, 2]);
    failReads();
  });

  it.each(['replace', 'keep'] as const)('is read again before it is replaced (%s)', async (ifUnread) => {
    const file = await open(ifUnread);
    expect(file.now()).toEqual([]);
    allowReads();
    await file.change(adding(3));
    expect([file.now(), stored()]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('is replaced if it cannot be read then, where the store says so', async () => {
    const { lines, log } = recordingLog();
    const file = await open('replace', { log });
    await file.change(adding(3));
    expect([stored(), lines.length]).toEqual([[3], 2]);
    // From then on this run knows what it holds.
    failReads();
    await file.change(adding(4));
    expect([stored(), lines.length]).toEqual([[3, 4], 2]);
  });

  it('is not replaced where the store keeps it: changes are refused with the reason, and those that hold are joined later', async () => {
    const file = await open('keep');
    await expect(file.change(adding(3))).rejects.toThrow(/state\.json cannot be read.*ELOOP/);
    await file.changeEvenIfNotStored(adding(4));
    expect([file.now(), areReadsFailing()]).toEqual([[4], true]);
    allowReads();
    await file.change(adding(5));
    expect([file.now(), stored()]).toEqual([
      [1, 2, 4, 5],
      [1, 2, 4, 5],
    ]);
  });

  it('loses no earlier change of this run where it cannot be read again and again', async () => {
    const file = await open('keep');
    await file.changeEvenIfNotStored(adding(3));
    await file.changeEvenIfNotStored(adding(4));
    expect(file.now()).toEqual([3, 4]);
    allowReads();
    await file.change(adding(5));
    expect([file.now(), stored()]).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });

  it('is left for the next start where what it holds counts from a start on', async () => {
    const file = await open('keep-for-next-start');
    allowReads();
    await expect(file.change(adding(3))).rejects.toThrow('ELOOP');
    await file.changeEvenIfNotStored(adding(4));
    expect([file.now(), stored(), (await open('keep')).now()]).toEqual([[4], [1, 2], [1, 2]]);
  });

  it('is read again after a write that failed, too', async () => {
    const file = await open('replace');
    failWrites();
    await expect(file.change(adding(3))).rejects.toThrow();
    await file.changeEvenIfNotStored(adding(4));
    allowWrites();
    allowReads();
    await file.change(adding(5));
    expect(stored()).toEqual([1, 2, 4, 5]);
  });
});

/** `many`: at once. */
const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('change' as const, 'hold' as const),
      many: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'reads-fail',
        'reads-work',
        'writes-fail',
        'writes-work',
        'restart',
        'restart-unread',
      ),
    }),
  },
);

it.each(ALL)(
  'no order of errors and restarts loses what was stored, except where the store says so (%s)',
  async (ifUnread) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 25, size: 'max' }), async (steps) => {
        allowReads();
        allowWrites();
        rmSync(path, { force: true });
        let file = await open(ifUnread);
        let next = 0;
        /** Every number that must be on the disk, that must hold in this run, and that may do neither. */
        let acknowledged = new Set<number>();
        let ofThisRun = new Set<number>();
        const refused = new Set<number>();
        /** The numbers in the good file, wherever it is. */
        const onDisk = (): Numbers => {
          const good = areReadsFailing() ? `${path}.good` : path;
          return existsSync(good) ? JSON.parse(readFileSync(good, 'utf8')) : [];
        };
        for (const step of steps) {
          const before = onDisk();
          const failsReads = step.kind === 'reads-fail' || step.kind === 'restart-unread';
          if (failsReads && !areReadsFailing()) failReads();
          if (step.kind === 'reads-work') allowReads();
          if (step.kind === 'writes-fail') failWrites();
          if (step.kind === 'writes-work') allowWrites();
          if (step.kind === 'restart' || step.kind === 'restart-unread') {
            file = await open(ifUnread);
            ofThisRun = new Set();
            expect(file.now()).toEqual(areReadsFailing() ? [] : before);
          }
          if ('many' in step) {
            const wereFailing = areReadsFailing();
            const numbers = Array.from({ length: step.many }, () => next++);
            const [isHeld, change] =
              step.kind === 'hold' ? [true, file.changeEvenIfNotStored] : [false, file.change];
            const results = await Promise.allSettled(numbers.map((each) => change(adding(each))));
            const isReplaced = wereFailing && !areReadsFailing();
            if (isReplaced) {
              rmSync(`${path}.good`, { force: true });
              // What this run knew is there; the rest was given up, and only a store that says so may do that.
              if (before.some((each) => !file.now().includes(each))) {
                expect(ifUnread).toBe('replace');
                acknowledged = new Set();
              }
            }
            for (const [at, { status }] of results.entries()) {
              const number = numbers[at] ?? Number.NaN;
              if (status === 'rejected') refused.add(number);
              else if (isHeld) ofThisRun.add(number);
              else {
                ofThisRun.add(number);
                acknowledged.add(number);
              }
            }
          }
          const after = onDisk();
          expect(after).toEqual(expect.arrayContaining([...acknowledged]));
          expect(file.now()).toEqual(expect.arrayContaining([...ofThisRun]));
          for (const each of refused) expect([...after, ...file.now()]).not.toContain(each);
          if (ifUnread !== 'replace') expect(after).toEqual(expect.arrayContaining([...before]));
        }
        // On a disk that works again, the next change and the next start know everything that was not given up.
        allowReads();
        allowWrites();
        const inFile = onDisk();
        if (ifUnread !== 'keep-for-next-start') {
          await file.change(adding(next));
          expect([...file.now()].sort()).toEqual([...union(inFile, [...ofThisRun, next])].sort());
        }
        expect((await open(ifUnread)).now()).toEqual(onDisk());
      }),
      { numRuns: 60 },
    );
  },
);
