import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askAtOnce } from './at-once';
import { openDatabase, type RecordsDatabase } from './database';

let database: RecordsDatabase;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`at-once-${number}`);
});
afterEach(() => database.delete());

const row = (key: string) => ({ key, playCount: 0, sourceMix: null });

describe('requests sent at once', () => {
  it('are answered in order, even on a database that is not open yet', async () => {
    await database.environments.bulkAdd([row('b'), row('a')]);
    database.close();
    const answers = await askAtOnce(database, ['environments', 'sequences'], (table) => [
      table('environments').get('b'),
      table('environments').get('a'),
      table('environments').count(),
      table('sequences').get(1),
    ]);
    expect(answers).toEqual([row('b'), row('a'), 2, undefined]);
  });

  it('cannot write: nothing is stored', async () => {
    const asking = askAtOnce(database, ['environments'], (table) => [
      table('environments').count(),
      table('environments').add(row('new')),
    ]);
    await expect(asking).rejects.toMatchObject({ name: 'ReadOnlyError' });
    expect(await database.environments.count()).toBe(0);
  });
});
