import 'fake-indexeddb/auto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { recordsCommandsOn } from './commands';
import { openDatabase, stayClosed } from './database';
import { storedPlay } from './testing/sequence-world';

it('a database that Chromium has closed is not opened again, and that is told once', async () => {
  const database = openDatabase('stay-closed');
  onTestFinished(() => openDatabase('stay-closed').delete());
  const tell = vi.fn();
  stayClosed(database, tell);
  const commands = recordsCommandsOn(database);
  await commands.bookNames({});
  const opening = vi.spyOn(indexedDB, 'open');
  database.backendDB().onclose?.(new Event('close'));
  // Commands come in tasks of their own.
  await new Promise((resolve) => setImmediate(resolve));
  const reservation = { play: storedPlay('p', 0), flight: null, recency: null, sourceMix: null };
  await expect(commands.bookNames({})).rejects.toThrow('Database has been closed');
  await expect(commands.reservePlay(reservation)).rejects.toThrow('Database has been closed');
  await expect(commands.storeBeacons({ beacons: [] })).rejects.toThrow('Database has been closed');
  expect(opening).not.toHaveBeenCalled();
  expect(tell).toHaveBeenCalledTimes(1);
});

it('a database that could not be opened is tried again', async () => {
  const database = openDatabase('stay-closed-not');
  onTestFinished(() => database.delete());
  const tell = vi.fn();
  stayClosed(database, tell);
  const opening = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new Error('the disk is full');
  });
  await expect(database.open()).rejects.toThrow('the disk is full');
  opening.mockRestore();
  await database.open();
  expect(tell).not.toHaveBeenCalled();
});
