import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oneAtATime } from './database';

let database: Dexie;
let number = 0;
beforeEach(() => {
  number += 1;
  database = new Dexie(`endcap-one-at-a-time-${number}`);
  database.version(1).stores({ notes: '&id', others: '&id' });
});
afterEach(() => database.delete());

/** A transaction like those of the commands: async functions within async functions. */
function transaction(name: string, order: string[]) {
  const all = async () => (await database.table('notes').toArray()).length;
  const found = async () => (await all()) + (await all());
  return database.transaction('rw', ['notes', 'others'], async () => {
    order.push(`${name} begins`);
    const before = await found();
    await database.table('others').bulkPut([]);
    const isInside = Dexie.currentTransaction !== null;
    await database.table('notes').put({ id: name, before, isInside });
    order.push(`${name} ends`);
    return name;
  });
}

describe('transactions, one at a time', () => {
  it('are complete, in the order of their requests', async () => {
    oneAtATime(database);
    const order: string[] = [];
    const names = ['first', 'second', 'third'];
    expect(await Promise.all(names.map((name) => transaction(name, order)))).toEqual(names);
    expect(order).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
    const notes = await database.table('notes').toArray();
    expect(notes.map(({ isInside }) => isInside)).toEqual([true, true, true]);
  });

  it('continue after one that failed, which stores nothing and rejects', async () => {
    oneAtATime(database);
    const failing = database.transaction('rw', 'notes', async () => {
      await database.table('notes').put({ id: 'failing' });
      throw new Error('the disk is full');
    });
    const next = transaction('next', []);
    await expect(failing).rejects.toThrow('the disk is full');
    expect(await next).toBe('next');
    expect(await database.table('notes').toCollection().primaryKeys()).toEqual(['next']);
  });
});
