import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askAtOnce } from './ask-at-once';
import { openDatabase, type RecordsDatabase } from './database';

let database: RecordsDatabase;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`ask-at-once-${number}`);
});
afterEach(() => database.delete());

const row = (key: string) => ({ key, playCount: 0, sourceMix: null });

describe('what is asked at once', () => {
  it('is answered in the order of the questions, on a database that nobody has opened yet', async () => {
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

  it('may not write: nothing is stored', async () => {
    const asking = askAtOnce(database, ['environments'], (table) => [
      table('environments').count(),
      table('environments').add(row('new')),
    ]);
    await expect(asking).rejects.toMatchObject({ name: 'ReadOnlyError' });
    expect(await database.environments.count()).toBe(0);
  });
});
