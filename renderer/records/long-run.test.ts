import 'fake-indexeddb/auto';
import { afterEach, expect, it } from 'vitest';
import { SequenceWorld } from './testing/sequence-world';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Plays are few here, so they are kept for a shorter time than on a kiosk (`book-keeping.ts`). */
const KEPT = { keep: 30, keepUnsent: 15, limit: 10 };
const KEPT_MS = 20 * DAY_MS;

const world = new SequenceWorld('long-run');
afterEach(() => world.database.delete());

const rowsOfTables = async () =>
  Object.fromEntries(
    await Promise.all(world.database.tables.map(async (table) => [table.name, await table.count()] as const)),
  );

/** A play with its beacon, a confirmed event, and now and then another playlist and a report. */
async function play(number: number): Promise<void> {
  const { commands } = world;
  world.now += DAY_MS;
  const id = await world.reserve();
  await world.settle(id, number % 7 === 0 ? 'given-back' : 'completed');
  await world.fire(id);
  if (number % 2 === 0) await world.endBeacons(2);
  const confirmed = { instance: `ad-${number}`, kind: 'impression', by: id, at: world.now, beacons: [] };
  await commands.confirmOnce(confirmed);
  if (number % 10 > 0) return;
  const [environment, version] = ['store', `answer-${number}`];
  await commands.storeAds({ environment, version, part: 0, ads: [] });
  const validators = { etag: null, lastModified: null };
  await commands.storePlaylist({ environment, version, parts: 1, receivedAt: world.now, ...validators });
  await commands.reportPlays({ environment, from: 0, to: world.now, limit: 100_000 });
}

/** As main does every minute and every hour. */
async function tidy(): Promise<void> {
  const { commands, now } = world;
  const kept = { keep: 1_000, keepBytes: 1e9, inHand: [], limit: 200 };
  while ((await commands.expireBeacons({ now, ...kept })) > 0);
  const times = { endedBefore: now - DAY_MS, confirmedBefore: now - 25 * HOUR_MS };
  while ((await commands.pruneBeacons({ ...times, keepEnded: 1_000, limit: 200 })) > 0);
  const before = now - KEPT_MS;
  while (Object.keys(await commands.prunePlays({ before, ...KEPT })).length > 0);
}

/** Half a year without a restart; in its middle no receiver takes proof of play. */
async function halfAYear(): Promise<void> {
  for (let number = 0; number < 180; number += 1) {
    await play(number);
    await tidy();
    const isTaken = number < 50 || number >= 130;
    if (number % 10 === 0 && isTaken) {
      await world.storeSegment(50);
      await world.settleSegment('delivered');
    }
  }
}

it('no table of the books grows from one half-year to the next', async () => {
  await world.commands.openBooks({ environment: 'store', stillOpen: [] });
  await halfAYear();
  const before = await rowsOfTables();
  await halfAYear();
  const after = await rowsOfTables();
  expect(Math.max(...Object.values(before))).toBeLessThan(300);
  for (const [table, rows] of Object.entries(after))
    expect({ table, grownBy: Math.max(0, rows - (before[table] ?? 0)) }).toEqual({ table, grownBy: 0 });
  // Numbers that were dropped unsent are listed as ranges, one for each half-year.
  expect((await world.database.sequences.toArray()).map(({ dropped }) => dropped.length)).toEqual([2]);
});
