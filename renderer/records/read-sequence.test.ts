import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BooksConflict } from './database';
import { SequenceWorld } from './testing/sequence-world';

/** The tables that a reservation takes. */
const RESERVED = ['environments', 'plays', 'flights', 'recency'];

let world: SequenceWorld;
beforeEach(() => {
  world = new SequenceWorld();
});
afterEach(() => world.database.delete());

const read = (limit: number) =>
  world.commands.readSequence({ after: { epoch: 0, seq: 0 }, limit, now: world.now });

async function played(beacons: readonly number[]): Promise<void> {
  for (const count of beacons) {
    const id = await world.reserve();
    for (let beacon = 0; beacon < count; beacon += 1) await world.fire(id);
    await world.settle(id);
  }
  world.now += 700_000;
}

describe('a page of rows', () => {
  it('delays a reservation only by reading plays, and writes nothing', async () => {
    const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await played(Array(30).fill(0));
    asked.mockClear();
    expect((await read(25)).entries).toHaveLength(25);
    const inTheWay = asked.mock.calls
      .map(([tables]) => (typeof tables === 'string' ? [tables] : [...tables]))
      .filter((tables) => tables.some((table) => RESERVED.includes(table)));
    expect(inTheWay).toEqual([['plays']]);
    expect(asked.mock.calls.map(([, mode]) => mode)).toEqual(Array(4).fill('readonly'));
    asked.mockRestore();
  });

  it('is read beside reservations, each as it was stored', async () => {
    await played(Array(10).fill(0));
    const [page, ...ids] = await Promise.all([read(5), world.reserve(), world.reserve()]);
    expect(page.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    for (const id of ids) expect(await world.database.plays.get(id)).toMatchObject({ outcome: 'reserved' });
    expect(await world.database.environments.get('store')).toMatchObject({ playCount: 12 });
  });

  it('names a play that is missing', async () => {
    await played([0, 0]);
    await world.database.plays.delete('p1');
    await expect(read(5)).rejects.toThrow('the play of number 2');
  });
});

describe('a row whose play changes while it is read', () => {
  const change = fc.oneof(
    fc.record({ do: fc.constant('end' as const), most: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('fire' as const), play: fc.nat(3) }),
    fc.record({
      do: fc.constant('move' as const),
      by: fc.constantFrom(86_400_000, -3_600_000),
      back: fc.constantFrom(715_000, 1_000_000),
    }),
    fc.record({ do: fc.constant('read' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('store' as const), rows: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('play' as const) }),
  );
  type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

  async function take(what: Change): Promise<void> {
    if (what.do === 'end') await world.endBeacons(what.most);
    else if (what.do === 'fire') await world.fire(`p${what.play}`);
    else if (what.do === 'move') await world.moveClock(what.by, what.back);
    else if (what.do === 'read') await read(what.limit);
    else if (what.do === 'store') {
      // Two at once: only one of them can be stored.
      await world.storeSegment(what.rows).catch((error: unknown) => {
        if (!(error instanceof BooksConflict)) throw error;
      });
    } else await world.settle(await world.reserve());
  }

  it('is followed by the final state of the play', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.array(change, { maxLength: 4 }),
        async (beacons, beside, later) => {
          await world.database.delete();
          world = new SequenceWorld();
          await world.commands.openBooks({ environment: 'store', stillOpen: [] });
          await played(beacons);
          await Promise.all([...beside, { do: 'read' as const, limit: 4 }, ...later].map(take));
          await world.finish();
          const received = world.received.entries();
          for (const play of await world.database.plays.toArray())
            expect(received.findLast((row) => row.play.id === play.id)?.play).toEqual(play);
        },
      ),
      { numRuns: 60 },
    );
  });
});
