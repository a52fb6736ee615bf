import 'fake-indexeddb/auto';
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { silentLog } from '../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { readSettings } from '../settings/testing/read-settings';
import type { Problem } from '../status/status';
import { bookName } from './book-names';
import { type Records, RecordsError } from './records-client';
import { snapshotFiles } from './snapshot';

/** The name that the version before this one gave to the books of these settings. */
const FORMER_NAME = 'ads.example.com-2e81bc748ecb4c1e';
const SETTINGS = { authUrl: 'https://auth.example.com', projectId: 'p', playerid: 'player-1' };

let folder: string;
let database: RecordsDatabase;
let number = 0;
let isDatabaseBroken: boolean;
/** What the last start reported. */
let lastProblem: Problem | null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-book-names-'));
  number += 1;
  database = openDatabase(`book-names-${number}`);
  isDatabaseBroken = false;
});
afterEach(async () => {
  await database.delete();
  await rm(folder, { recursive: true, force: true });
});

const records: Records = {
  async run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
    if (isDatabaseBroken) throw new RecordsError('storage', command, 'broken');
    const run = recordsCommandsOn(database)[command] as (value: unknown) => Promise<unknown>;
    return (await run(input)) as RecordsOutput<C>;
  },
};

/** Returns the name that a start with these settings finds. */
async function name(changes: Partial<typeof SETTINGS> & { nativeUrl?: string; baseUrl?: string } = {}) {
  const { playerid, ...service } = { ...SETTINGS, ...changes };
  const read = readSettings(
    {
      service: { baseUrl: 'https://ads.example.com', clientId: 'c', clientSecret: 's', ...service },
      ads: { params: { playerid } },
    },
    'f',
  );
  if (read.kind === 'error') throw new Error(read.message);
  const files = snapshotFiles(join(folder, 'books.json'), async () => {});
  const found = await bookName(read.settings, {
    file: join(folder, 'book-names.json'),
    files,
    records,
    log: silentLog,
  });
  lastProblem = found.problem;
  return found.name;
}

/** Creates the books as the earlier version left them. */
async function formerBooks(environment = FORMER_NAME) {
  await recordsCommandsOn(database).openBooks({ environment, stillOpen: [] });
}

it('the name stays the same after a change of authUrl, nativeUrl and credentials', async () => {
  const first = await name();
  expect(first).toMatch(/^ads\.example\.com-[0-9a-f]{16}$/);
  await recordsCommandsOn(database).openBooks({ environment: first, stillOpen: [] });
  expect(await name({ authUrl: 'https://other.example.com' })).toBe(first);
  expect(await name({ nativeUrl: 'https://native.example.com' })).toBe(first);
});

it('the name depends on the service, the project and the player', async () => {
  const first = await name();
  const others = [
    await name({ baseUrl: 'https://ads.example.com/v2' }),
    await name({ projectId: 'q' }),
    await name({ playerid: 'player-2' }),
  ];
  expect(new Set([first, ...others]).size).toBe(4);
  expect(await name()).toBe(first);
});

it('the name is the former one if the previous version stored books, whatever is configured later', async () => {
  await formerBooks();
  expect(await name()).toBe(FORMER_NAME);
  expect(await name({ authUrl: 'https://other.example.com' })).toBe(FORMER_NAME);
  expect(await name({ projectId: 'q' })).not.toBe(FORMER_NAME);
  expect(await name()).toBe(FORMER_NAME);
});

it('the name is the former one if earlier settings return', async () => {
  await formerBooks();
  await name({ projectId: 'q' });
  expect(await name()).toBe(FORMER_NAME);
});

it('the name is the former one if only the snapshot has survived', async () => {
  const snapshot = { version: 1, environment: FORMER_NAME, at: 1, playCount: 0, flights: [], recency: [] };
  await writeFile(join(folder, 'books.json'), JSON.stringify({ ...snapshot, sourceMix: null }));
  isDatabaseBroken = true;
  expect(await name()).toBe(FORMER_NAME);
});

const OTHER_AUTH = { authUrl: 'https://other.example.com', nativeUrl: 'https://native.example.com' };

it('the name is that of the only books of the service if an upgrade changes addresses', async () => {
  await formerBooks();
  expect(await name(OTHER_AUTH)).toBe(FORMER_NAME);
  expect(lastProblem).toBeNull();
  expect(await name()).toBe(FORMER_NAME);
  expect(await name({ projectId: 'q' })).not.toBe(FORMER_NAME);
});

it('the name is found again if its file is lost', async () => {
  await formerBooks();
  const lose = () => rm(join(folder, 'book-names.json'));
  await name();
  await lose();
  expect(await name(OTHER_AUTH)).toBe(FORMER_NAME);
  await lose();
  expect(await name()).toBe(FORMER_NAME);
  const own = await name({ projectId: 'q' });
  await formerBooks(own);
  await lose();
  expect(await name({ projectId: 'q' })).toBe(own);
  expect(lastProblem).toBeNull();
});

it('the name is new, and reported once, if several books are possible', async () => {
  await formerBooks();
  await formerBooks('ads.example.com-0123456789abcdef');
  await formerBooks('other.example.com-0123456789abcdef');
  const fresh = await name(OTHER_AUTH);
  expect(fresh).toMatch(/^ads\.example\.com-/);
  expect(fresh).not.toBe(FORMER_NAME);
  expect(lastProblem).toMatchObject({
    code: 'books-started-anew',
    message: expect.stringMatching(/^2 books of earlier settings.*caps/),
    advice: expect.stringMatching(/until the player is restarted.*book-names\.json/),
  });
  expect(await name(OTHER_AUTH)).toBe(fresh);
  expect(lastProblem).toBeNull();
});

it('the name is new, without a problem, if the only books are of another service', async () => {
  await formerBooks('other.example.com-0123456789abcdef');
  expect(await name()).toMatch(/^ads\.example\.com-/);
  expect(lastProblem).toBeNull();
});

it('the name is not stored by a start that could not list the books', async () => {
  await formerBooks();
  isDatabaseBroken = true;
  await name();
  isDatabaseBroken = false;
  expect(await name()).toBe(FORMER_NAME);
});

it.each(['book-names.json', 'books.json'])(
  'the name is not stored by a start that could not read %s',
  async (unread) => {
    await formerBooks();
    expect(await name(OTHER_AUTH)).toBe(FORMER_NAME);
    const file = join(folder, unread);
    const names = await readFile(join(folder, 'book-names.json'), 'utf8');
    await rename(file, `${file}.kept`).catch(() => undefined);
    // A link to itself cannot be read, but replaced.
    await symlink(file, file);
    await name({ ...OTHER_AUTH, projectId: 'q' });
    await expect(readFile(file)).rejects.toThrow('ELOOP');
    await rename(`${file}.kept`, file).catch(() => undefined);
    expect(await readFile(join(folder, 'book-names.json'), 'utf8')).toBe(names);
    expect(await name(OTHER_AUTH)).toBe(FORMER_NAME);
  },
);

it.each(['', '{', '{"version":1,"names":{"a":1}}', 'null'])(
  'the name survives a file that contains %s',
  async (text) => {
    await formerBooks();
    await writeFile(join(folder, 'book-names.json'), text);
    expect(await name()).toBe(FORMER_NAME);
    expect(JSON.parse(await readFile(join(folder, 'book-names.json'), 'utf8'))).toMatchObject({ version: 1 });
  },
);
