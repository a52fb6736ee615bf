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
    const answers = await askAtOnce(database, { tables: ['sequences'], writes: 'strict' }, (table) => [
      table('environments').put(row('b')),
      table('environments').put(row('a')),
      table('environments').get('b'),
      table('environments').count(),
      table('sequences').get(1),
    ]);
    expect(answers).toEqual(['b', 'a', row('b'), 2, undefined]);
  });

  it('is stored whole or not at all', async () => {
    await database.environments.add(row('there'));
    const asking = askAtOnce(database, { tables: [], writes: 'relaxed' }, (table) => [
      table('environments').add(row('new')),
      table('environments').add(row('there')),
    ]);
    await expect(asking).rejects.toMatchObject({ name: 'ConstraintError' });
    expect(await database.environments.toCollection().primaryKeys()).toEqual(['there']);
  });
});
