import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportState } from '../../shared/admin';
import { silentLog } from '../../shared/log';
import type { ProvenPlay } from '../../shared/play-report';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { runVerifyPlays } from '../cli/verify-plays-command';
import { signingKeyOf } from '../fleet/signing-key';
import { type Records, RecordsError } from '../records/records-client';
import { PLAYED_AT, provenPlay } from '../records/testing/proven-plays';
import { readCsv } from '../records/testing/read-csv';
import { halfExports, openPlayExport } from './play-export';
import { type ExportDisk, type ExportPlace, exportDisk } from './write-plays';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-export-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const otherKey = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const plays = Array.from({ length: 2_345 }, (_, index) =>
  provenPlay(`p${String(index).padStart(5, '0')}`, {
    at: PLAYED_AT + Math.floor(index / 3) * 1_000,
    adId: index % 50 === 0 ? '=cmd|"/c calc"!A1' : `ad, ${index}`,
  }),
);

/** Books that hold these plays, and page through them as the records window does. */
function booksOf(rows: readonly ProvenPlay[], failing = { times: 0, moves: '' }): Pick<Records, 'run'> {
  return {
    async run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
      if (failing.times > 0) {
        failing.times -= 1;
        throw new RecordsError('lost', command, 'the records window is gone');
      }
      const { from, to, after, limit } = input as RecordsInput<'provePlays'>;
      const found = rows.filter(
        ({ play }) =>
          play.at >= from &&
          play.at < to &&
          (after === null || play.at > after.at || (play.at === after.at && play.id > after.id)),
      );
      const page = found.slice(0, limit);
      const last = page.at(-1)?.play;
      const next = last && found.length >= limit ? { at: last.at, id: last.id } : null;
      return { plays: page, next, moves: failing.moves } as RecordsOutput<C>;
    },
  };
}

interface Overrides {
  disk?: ExportDisk;
  books?: Pick<Records, 'run'>;
  isThere?: boolean;
  kind?: 'usb' | 'folder';
  /** Of the store; default: UTC. */
  timeZone?: string;
  /** Called after each page of plays but the last. */
  afterPage?: () => void;
}

function world(overrides: Overrides = {}) {
  const { kind = 'usb' } = overrides;
  const place: ExportPlace = { id: `${kind}:stick`, kind, label: 'STICK', freeBytes: 1e9, folder };
  const places: ExportPlace[] = overrides.isThere === false ? [] : [place];
  const states: ExportState[] = [];
  let monotonic = 0;
  const exporting = openPlayExport({
    records: overrides.books ?? booksOf(plays),
    places: async () => places,
    disk: overrides.disk ?? exportDisk,
    key,
    clock: {
      now: () => PLAYED_AT + 86_400_000,
      monotonic: () => {
        monotonic += 100;
        return monotonic;
      },
    },
    rest() {
      overrides.afterPage?.();
      return new Promise((resolve) => setImmediate(resolve));
    },
    log: silentLog,
    player: 'player 1/ä',
    timeZone: () => overrides.timeZone ?? 'UTC',
    version: '0.1.0',
    onBegin() {},
    onEnd: (state) => states.push(state),
  });
  const order = { target: place.id, format: 'csv' as const, from: PLAYED_AT, to: PLAYED_AT + 3_600_000 };
  const ended = async () => {
    await expect.poll(() => exporting.state().state, { interval: 5 }).not.toBe('running');
    return exporting.state();
  };
  return { exporting, states, places, place, order, ended };
}

const verify = (file: string, publicKey = key.publicKey) => runVerifyPlays([file, publicKey]);
const exported = async (format: 'csv' | 'ndjson', rows = plays) => {
  const { exporting, order, ended } = world({ books: booksOf(rows) });
  await exporting.start({ ...order, format });
  const state = await ended();
  if (state.state !== 'finished') throw new Error(`the export ended as ${state.state}`);
  return { state, path: join(folder, state.file) };
};

/** More plays than are read, written and checked at a time. */
const many = Array.from({ length: 6_000 }, (_, index) =>
  provenPlay(`p${String(index).padStart(6, '0')}`, { at: PLAYED_AT + index }),
);
/** Expects an export that holds all of these plays, is signed, and is alone in its folder. */
const wholeAt = async (state: ExportState) => {
  if (state.state !== 'finished') throw new Error(`the export ended as ${state.state}`);
  const text = await readFile(join(folder, state.file), 'utf8');
  const ids = state.file.endsWith('.csv')
    ? readCsv(text)
        .slice(1)
        .map(([id]) => id)
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id);
  expect(ids).toEqual(many.map(({ play }) => play.id));
  expect((await verify(join(folder, state.file))).exitCode).toBe(0);
  expect((await readdir(folder)).sort()).toEqual([state.file, `${state.file}.sig`]);
};

describe('an export', () => {
  it('holds every play of the period once, in order', async () => {
    const { state, path } = await exported('csv');
    expect(state).toMatchObject({ rows: plays.length, bytes: (await stat(path)).size });
    const rows = readCsv(await readFile(path, 'utf8')).slice(1);
    expect(rows.map(([id]) => id)).toEqual(plays.map(({ play }) => play.id));
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([29]));
  });

  it('is one JSON object a line as NDJSON', async () => {
    const { path } = await exported('ndjson');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(plays.map(({ play }) => play.id));
  });

  it('leaves only its file and its signature, with names that every drive allows', async () => {
    const { state } = await exported('csv');
    expect((await readdir(folder)).sort()).toEqual([state.file, `${state.file}.sig`]);
    expect(state.file).toBe('endcap-plays_player-1-_20261120_20261120_20261121T093000Z.csv');
  });

  it.each([
    ['Europe/Berlin', '2026-10-31T23:00:00Z', '2026-11-02T23:00:00Z'],
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-03T05:00:00Z'],
    ['Asia/Kathmandu', '2026-10-31T18:15:00Z', '2026-11-02T18:15:00Z'],
  ])('is named after its first and last day in the store, as in %s', async (timeZone, from, to) => {
    const { exporting, order, ended } = world({ books: booksOf([]), timeZone });
    await exporting.start({ ...order, from: Date.parse(from), to: Date.parse(to) });
    expect(await ended()).toMatchObject({
      file: 'endcap-plays_player-1-_20261101_20261102_20261121T093000Z.csv',
    });
  });

  it('reports its progress', async () => {
    const done: number[] = [];
    const { exporting, order, ended, states } = world({
      afterPage() {
        const state = exporting.state();
        if (state.state === 'running') done.push(state.done);
      },
    });
    await exporting.start(order);
    await ended();
    expect(done.length).toBeGreaterThan(5);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(states.map(({ state }) => state)).toEqual(['finished']);
  });

  it('without plays finishes with no rows', async () => {
    const { exporting, order, ended } = world({ books: booksOf([]) });
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'finished', rows: 0 });
  });

  it('is refused while another one runs', async () => {
    const { exporting, order, ended } = world();
    const started = await Promise.allSettled([exporting.start(order), exporting.start(order)]);
    expect(started).toMatchObject([{ value: { state: 'running' } }, { reason: { code: 'busy' } }]);
    await ended();
  });

  it('can be cancelled, and leaves nothing; the next one is whole', async () => {
    const { exporting, order, ended } = world();
    await exporting.start(order);
    exporting.cancel();
    expect(await ended()).toMatchObject({ state: 'cancelled' });
    expect(await readdir(folder)).toEqual([]);
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'finished' });
  });

  it('answers a cancellation while a broken drive does not', async () => {
    const disk: ExportDisk = { ...exportDisk, list: () => new Promise(() => undefined) };
    const { exporting, order } = world({ disk });
    await exporting.start(order);
    expect(exporting.cancel()).toMatchObject({ state: 'running' });
  });

  it('stops if the books do not answer, and can be started again', async () => {
    const { exporting, order, ended } = world({ books: booksOf(plays, { times: 1, moves: '' }) });
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'interrupted', code: 'books' });
    expect(await readdir(folder)).toEqual([]);
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'finished', rows: plays.length });
  });

  it('stops if plays are moved with the clock meanwhile, and can be started again', async () => {
    const books = { times: 0, moves: '' };
    const { exporting, order, ended } = world({
      books: booksOf(plays, books),
      afterPage: () => {
        books.moves = 'a move';
      },
    });
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'interrupted', code: 'books' });
    expect(await readdir(folder)).toEqual([]);
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'finished', rows: plays.length });
  });

  it('is refused without its target', async () => {
    const { exporting, order, places } = world();
    places.length = 0;
    await expect(exporting.start(order)).rejects.toMatchObject({ code: 'no-target' });
  });
});

describe('a drive that fails', () => {
  /**
   * A disk whose writes fail with `code` after this many bytes, until `code` is null. After EIO, removing fails too.
   */
  function failing(code: string, afterBytes: number) {
    const fault = { code: code as string | null, written: 0, isGone: false };
    const refuse = () => {
      throw Object.assign(new Error(code), { code });
    };
    const disk: ExportDisk = {
      ...exportDisk,
      async create(path) {
        const file = await exportDisk.create(path);
        return {
          ...file,
          async write(content) {
            fault.written += content.byteLength;
            if (fault.code !== null && fault.written > afterBytes) {
              // Half of it arrived.
              await file.write(content.subarray(0, content.byteLength >> 1));
              fault.isGone = code === 'EIO';
              refuse();
            }
            await file.write(content);
          },
        };
      },
      remove: async (path) => (fault.isGone ? refuse() : exportDisk.remove(path)),
    };
    return { disk, fault };
  }

  it.each([
    ['ENOSPC', 'no-space'],
    ['EIO', 'target-gone'],
    ['ENODEV', 'target-gone'],
    ['EROFS', 'not-writable'],
  ])('with %s is reported as %s, and no file looks like a finished export', async (code, told) => {
    const { disk } = failing(code, 100_000);
    const { exporting, order, ended } = world({ disk });
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'interrupted', code: told });
    expect((await readdir(folder)).filter((name) => !name.endsWith('.part'))).toEqual([]);
  });

  it('because it is full has its partial file removed at once', async () => {
    const { disk } = failing('ENOSPC', 100_000);
    const { exporting, order, ended } = world({ disk });
    await exporting.start(order);
    await ended();
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([0, 100_000, 900_000])('after %i bytes takes a whole new export when it is back', async (bytes) => {
    const { disk, fault } = failing('EIO', bytes);
    const { exporting, order, ended, places, place } = world({ disk, books: booksOf(many) });
    await exporting.start(order);
    const broken = await ended();
    expect(broken).toMatchObject({ state: 'interrupted', code: 'target-gone' });
    expect(await readdir(folder)).toEqual(broken.state === 'interrupted' ? [`${broken.file}.part`] : []);
    places.length = 0;
    await expect(exporting.start(order)).rejects.toMatchObject({ code: 'no-target' });
    places.push(place);
    fault.code = null;
    fault.isGone = false;
    await exporting.start({ ...order, format: 'ndjson' });
    await wholeAt(await ended());
  });
});

describe('the disk of the kiosk', () => {
  /** A disk of `size` bytes, of which `free` are free besides those of the folder. */
  function diskOf(size: number, free: number): ExportDisk {
    return {
      ...exportDisk,
      async statfs() {
        const names = await readdir(folder);
        const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
        const used = stats.reduce((sum, file) => sum + file.size, 0);
        return { bavail: free - used, blocks: size, bsize: 1 };
      },
    };
  }

  it.each([
    ['small', 10 * GIB, 0.15 * GIB],
    ['large', 1_000 * GIB, 1.5 * GIB],
  ])(
    'keeps the room that the books need: an export on a %s one does not begin',
    async (_what, size, least) => {
      const full = world({ kind: 'folder', disk: diskOf(size, least + 4 * MIB - 1) });
      await full.exporting.start(full.order);
      expect(await full.ended()).toMatchObject({ state: 'interrupted', code: 'no-space', rows: 0 });
      expect(await readdir(folder)).toEqual([]);
      const roomy = world({ kind: 'folder', disk: diskOf(size, least + 4 * MIB + 1) });
      await roomy.exporting.start(roomy.order);
      expect(await roomy.ended()).toMatchObject({ state: 'finished' });
    },
  );

  it('keeps its room free while an export is written', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) =>
      provenPlay(`p${index}`.padStart(6, '0'), { at: PLAYED_AT + index }),
    );
    const disk = diskOf(10 * GIB, 0.15 * GIB + 8 * MIB);
    const { exporting, order, ended } = world({ kind: 'folder', disk, books: booksOf(rows) });
    await exporting.start({ ...order, format: 'ndjson' });
    const state = await ended();
    expect(state).toMatchObject({ state: 'interrupted', code: 'no-space' });
    expect(state.state === 'interrupted' && state.rows).toBeGreaterThan(1_000);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not what an export to a drive fills', async () => {
    const { exporting, order, ended } = world({ disk: diskOf(10 * GIB, 0) });
    await exporting.start(order);
    expect(await ended()).toMatchObject({ state: 'finished' });
  });
});

describe('a restart', () => {
  /** Books that stop answering after this many plays were read, as if the process was killed there. */
  function booksUntil(rows: number): Pick<Records, 'run'> {
    const books = booksOf(many);
    let read = 0;
    return {
      async run(command, input) {
        if (read >= rows) await new Promise(() => {});
        read += (input as RecordsInput<'provePlays'>).limit;
        return books.run(command, input);
      },
    };
  }

  it.each([1_000, 5_000])('after a kill at %i plays removes the partial file', async (rows) => {
    const first = world({ books: booksUntil(rows) });
    await first.exporting.start(first.order);
    await expect
      .poll(() => {
        const state = first.exporting.state();
        return state.state === 'running' ? state.rows : null;
      })
      .toBe(rows);
    expect(await readdir(folder)).toHaveLength(1);
    const second = world({ books: booksOf(many) });
    expect(second.exporting.state()).toEqual({ state: 'none' });
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it('does not touch an export that begins meanwhile', async () => {
    let looks = 0;
    let created = () => {};
    const firstFile = new Promise<void>((resolve) => {
      created = resolve;
    });
    let looked = false;
    const { exporting, order, ended } = world({
      books: booksOf(many),
      disk: {
        ...exportDisk,
        async list(path) {
          looks += 1;
          // The check for leftovers at the start is delayed.
          if (looks === 1) await firstFile;
          const names = await exportDisk.list(path);
          looked ||= names.length > 0;
          return names;
        },
        create: (path) => exportDisk.create(path).finally(created),
      },
    });
    await expect.poll(() => looks).toBe(1);
    await exporting.start(order);
    await wholeAt(await ended());
    expect(looked).toBe(true);
  });

  it('without the drive leaves the cleanup to the next export', async () => {
    await writeFile(join(folder, 'endcap-plays_k_20260101_20260102_20260103T000000Z.csv.part'), 'at');
    const { exporting, order, ended, places, place } = world({ isThere: false, books: booksOf(many) });
    places.push(place);
    await exporting.start(order);
    await wholeAt(await ended());
  });
});

describe('the partial files of an interrupted export', () => {
  const name = 'endcap-plays_k_20260101_20260102_20260103T000000Z.csv';

  it.each<[string, string[], string[]]>([
    ['half its content', [`${name}.part`], [`${name}.part`]],
    ['all its content', [`${name}.part`, `${name}.sig.part`], [`${name}.part`, `${name}.sig.part`]],
    ['its signature', [`${name}.part`, `${name}.sig`], [`${name}.part`, `${name}.sig`]],
    ['half of another of the same second', [name, `${name}.sig`, `${name}.part`], [`${name}.part`]],
    ['nothing', [name, `${name}.sig`], []],
    ['a signature whose content somebody took', [`${name}.sig`], []],
    ['what others wrote', ['film.part', 'endcap-plays_.part', `my ${name}.part`, `${name}.part.txt`], []],
  ])('are distinguished from other files: %s', (_what, names, half) => {
    expect(halfExports(names)).toEqual(half);
  });
});

describe('verify-plays', () => {
  it.each(['csv', 'ndjson'] as const)('names the signer of an intact %s export', async (format) => {
    const { path } = await exported(format);
    const { exitCode, stdout } = await verify(path);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `Whole, and signed by kiosk ${key.fingerprint} (player player 1/ä): 2345 plays from 2026-11-20T09:30:00.000Z to 2026-11-20T10:30:00.000Z, exported 2026-11-21T09:30:00.000Z.\n`,
    );
  });

  it('takes the key from a file, as text or PEM', async () => {
    const { path } = await exported('csv');
    await writeFile(join(folder, 'key'), `${key.publicKey}\n`);
    expect((await verify(path, join(folder, 'key'))).exitCode).toBe(0);
  });

  it('does not accept another key', async () => {
    const { path } = await exported('csv');
    const { exitCode, stderr } = await verify(path, otherKey.publicKey);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`kiosk ${key.fingerprint} signed it`);
  });

  it('finds every flipped bit of content and signature', async () => {
    const { path } = await exported('csv', plays.slice(0, 400));
    const files = [path, `${path}.sig`];
    const originals = await Promise.all(files.map((file) => readFile(file)));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1 }),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        async (which, position, bit) => {
          const file = files[which] ?? path;
          const original = originals[which] ?? Buffer.alloc(1);
          const changed = Buffer.from(original);
          const at = position % changed.byteLength;
          changed[at] = (changed[at] ?? 0) ^ (1 << bit);
          await writeFile(file, changed);
          try {
            expect((await verify(path)).exitCode).toBe(1);
          } finally {
            await writeFile(file, original);
          }
        },
      ),
      { numRuns: 300 },
    );
    expect((await verify(path)).exitCode).toBe(0);
  });

  it('finds a flipped bit in each byte of the signature file', async () => {
    const { path } = await exported('ndjson', plays.slice(0, 10));
    const original = await readFile(`${path}.sig`);
    for (let at = 0; at < original.byteLength; at += 1) {
      const changed = Buffer.from(original);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(`${path}.sig`, changed);
      const { exitCode } = await verify(path);
      expect([at, exitCode]).toEqual([at, 1]);
    }
  });

  it.each([
    ['cut off', (content: Buffer) => content.subarray(0, -1)],
    ['with something behind it', (content: Buffer) => Buffer.concat([content, Buffer.from('x')])],
    ['empty', () => Buffer.alloc(0)],
  ])('rejects content that is %s', async (_case, change) => {
    const { path } = await exported('csv');
    await writeFile(path, change(await readFile(path)));
    expect(await verify(path)).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('needs the signature', async () => {
    const { path } = await exported('csv');
    await rm(`${path}.sig`);
    expect((await verify(path)).exitCode).toBe(1);
  });

  it.each([
    ['nothing', []],
    ['no key', ['a.csv']],
    ['three things', ['a.csv', 'ed25519:x', 'more']],
    ['a key that is none', ['a.csv', 'ed25519:short']],
    ['a key file that is not there', ['a.csv', 'gone']],
    ['an export that is not there', ['gone.csv', key.publicKey]],
  ])('exits with 2 for %s', async (_case, args) => {
    const { exitCode, stdout, stderr } = await runVerifyPlays(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^verify-plays: .+\n$/);
  });
});
