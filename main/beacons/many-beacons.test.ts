import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beaconBytes } from '../../shared/beacon';
import { MAX_BEACON_BYTES, MAX_URL_LENGTH } from './beacon-budget';
import { accepted, answered, type Life, type OutboxWorld, outboxWorld } from './testing/outbox-world';

let world: OutboxWorld;
beforeEach(() => {
  world = outboxWorld();
});
afterEach(() => world.end());

const unreachable = { kind: 'not-sent', code: 'connection' } as const;
const url = (n: number, length = 0) => `http://ads.example/${n}/`.padEnd(length, 'x');
const urls = (count: number, length = 0) => Array.from({ length: count }, (_, n) => url(n, length));

async function start(): Promise<Life> {
  const life = world.live('ets');
  await life.outbox.open();
  await world.advance(3_000);
  return life;
}

/** The stored URLs in order, as the ad names them (without the event time). */
const storedUrls = async () => (await world.database.beacons.toArray()).map((row) => withoutTime(row.url));
const withoutTime = (address: string) => address.replace(/[?&]ets=.*$/, '');

describe('an ad whose beacons are refused', () => {
  it('has a bounded number of lines in the log', async () => {
    const { outbox } = await start();
    world.answer = () => answered(404);
    outbox.fire('play', 'impression', urls(300));
    await world.quiet();
    await world.advance(120_000);
    expect(outbox.counts()).toMatchObject({ pending: 0, failed: 300 });
    expect(world.lines.length).toBeGreaterThanOrEqual(20);
    expect(world.lines.length).toBeLessThanOrEqual(40);
    expect(world.lines[0]).toEqual({
      message: 'a beacon was not accepted',
      fields: { event: 'impression', host: 'http://ads.example', outcome: 'refused', why: 'status-404' },
    });
  });
});

describe('a tracker that refuses the beacons of each play', () => {
  it('leaves room for other lines in the log', async () => {
    const { outbox } = await start();
    world.answer = () => answered(404);
    for (let minute = 0; minute < 60; minute += 1) {
      outbox.fire('play', 'impression', urls(10));
      await world.quiet();
      await world.advance(60_000);
    }
    expect(outbox.counts()).toMatchObject({ failed: 600 });
    expect(world.lines.length).toBeGreaterThanOrEqual(20);
    expect(world.lines.length).toBeLessThanOrEqual(40);
  });
});

describe('a disk that stays full', () => {
  it('leaves room for other lines in the log, however many commands wait for the books', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', urls(1));
    await world.advance(1_000);
    world.isDiskFull = true;
    for (let play = 0; play < 5; play += 1) outbox.fire(`play ${play}`, 'impression', [url(play)]);
    await world.advance(3_600_000);
    const waits = world.lines.filter(({ message }) => message === 'the outbox waits for the books');
    expect(waits.length).toBeGreaterThanOrEqual(20);
    expect(waits.length).toBeLessThanOrEqual(40);
  });
});

describe('an ad with more than a thousand impression URLs', () => {
  it('has all of them stored, in their order', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', urls(2_500));
    await world.quiet();
    expect(await storedUrls()).toEqual(urls(2_500));
    const rows = await world.rows();
    expect(rows.map(({ position }) => position).sort((a, b) => a - b)).toEqual(rows.map((_, n) => n));
    expect(outbox.counts()).toMatchObject({ pending: 2_500, lost: 0 });
  });

  it('confirms all of them once, as a native ad', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    const confirmation = {
      instance: 'answer/0',
      kind: 'impression',
      play: 'play',
      beacons: urls(1_200).map((each, position) => ({ position, url: each })),
    };
    expect(await outbox.confirmOnce(confirmation)).toBe(true);
    expect(await outbox.confirmOnce(confirmation)).toBe(false);
    await world.quiet();
    expect(await storedUrls()).toEqual(urls(1_200));
  });

  it('stores more than the books take at once, even if fired before the outbox opens', async () => {
    const life = world.live('ets');
    life.outbox.fire('play', 'impression', urls(5_600));
    await life.outbox.open();
    world.answer = () => unreachable;
    await world.quiet();
    expect((await storedUrls()).length).toBe(5_600);
  });
});

describe('an ad that fires more than is kept while the books store nothing', () => {
  it.each([1, 20_000])('loses its own beacons, not those of others with URLs of %i bytes', async (bytes) => {
    const life = world.live('ets');
    world.answer = () => unreachable;
    const long = url(1, bytes);
    for (const event of ['impression', 'start', 'complete'])
      life.outbox.fire('good', event, Array<string>(20).fill(long));
    life.outbox.fire('greedy', 'impression', urls(2_800));
    life.outbox.fire('next', 'impression', [url(2)]);
    life.outbox.fire('greedy', 'start', urls(2_800));
    life.outbox.fire('last', 'impression', [url(3)]);
    await life.outbox.open();
    await world.quiet();
    const rows = await world.rows();
    const events = (play: string) => rows.filter(({ playId }) => playId === play).map(({ event }) => event);
    expect(events('good')).toHaveLength(60);
    expect([...events('next'), ...events('last')]).toEqual(['impression', 'impression']);
    const { lost } = life.outbox.counts();
    expect(events('greedy')).toHaveLength(5_600 - lost);
    expect(lost).toBeGreaterThan(0);
  });
});

describe('plays with more beacons than are kept while the books store nothing', () => {
  it('keep their impressions, which come first', async () => {
    const life = world.live('ets');
    world.answer = () => unreachable;
    const events = ['impression', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];
    for (let play = 0; play < 50; play += 1)
      for (const event of events) life.outbox.fire(`play ${play}`, event, urls(20));
    await life.outbox.open();
    await world.quiet();
    const rows = await world.rows();
    expect(rows.length).toBeLessThan(50 * 6 * 20);
    expect(rows.filter(({ event }) => event === 'impression')).toHaveLength(50 * 20);
  });
});

describe('an ad with URLs of 32 KB', () => {
  it('has as many stored as its budget allows, and the rest is reported', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', urls(900, MAX_URL_LENGTH));
    await world.quiet();
    const rows = await world.rows();
    const bytes = rows.reduce((sum, row) => sum + beaconBytes(withoutTime(row.url)), 0);
    expect(bytes).toBeLessThanOrEqual(MAX_BEACON_BYTES);
    expect(bytes + beaconBytes(url(0, MAX_URL_LENGTH))).toBeGreaterThan(MAX_BEACON_BYTES);
    expect(outbox.counts()).toMatchObject({ pending: rows.length, lost: 900 - rows.length });
    expect(world.lines).toHaveLength(1);
    expect(world.lines[0]).toMatchObject({ fields: { event: 'impression', overBudget: 900 - rows.length } });
  });

  it('has one budget for all events of a play, and one line in the log', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let event = 0; event < 20; event += 1)
      outbox.fire('play', 'progress', urls(100, MAX_URL_LENGTH / 2));
    outbox.fire('other play', 'impression', [url(1)]);
    await world.quiet();
    const rows = await world.rows();
    const ofPlay = rows.filter(({ playId }) => playId === 'play');
    expect(ofPlay.reduce((sum, row) => sum + beaconBytes(withoutTime(row.url)), 0)).toBeLessThanOrEqual(
      MAX_BEACON_BYTES,
    );
    expect(rows.filter(({ playId }) => playId === 'other play')).toHaveLength(1);
    expect(world.lines).toHaveLength(1);
  });

  it('asks nothing of the books for an event of which nothing fits the budget', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', urls(900, MAX_URL_LENGTH));
    await world.quiet();
    const before = world.moves();
    outbox.fire('play', 'complete', urls(1, MAX_URL_LENGTH));
    await world.quiet();
    expect(world.moves()).toBe(before);
  });

  it('loses only a URL that is longer', async () => {
    const { outbox } = await start();
    outbox.fire('play', 'impression', [url(0), url(1, MAX_URL_LENGTH + 1), url(2), url(3, MAX_URL_LENGTH)]);
    await world.quiet();
    expect((await storedUrls()).map((each) => each.split('/')[3])).toEqual(['0', '2', '3']);
    expect((await world.rows()).map(({ position }) => position)).toEqual([0, 2, 3]);
    expect(outbox.counts()).toMatchObject({ lost: 1 });
  });

  it('shortens the stored URLs of beacons that have ended', async () => {
    const { outbox } = await start();
    outbox.fire('play', 'impression', urls(3, MAX_URL_LENGTH));
    await world.advance(2_000);
    const rows = await world.rows();
    expect(rows.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
    for (const row of rows) expect(row.url.length).toBeLessThanOrEqual(2_048);
  });
});

describe('an ad with macros whose values are long', () => {
  const macros = new Map([['ASSETURI', 'é'.repeat(5_000)]]);
  const value = '%C3%A9'.repeat(5_000);

  it('has them filled, but not in a URL that they would make longer than 32 KB', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    const tooMany = `${url(1)}?a=${'[ASSETURI]'.repeat(3_000)}`;
    outbox.fire('play', 'impression', [`${url(0)}?a=[ASSETURI]`, tooMany], { macros });
    await world.quiet();
    expect(await storedUrls()).toEqual([`${url(0)}?a=${value}`, tooMany]);
  });

  it('stores two thousand URLs with a macro within the budget of the books', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', Array<string>(2_000).fill(`${url(0)}?a=[ASSETURI]`), { macros });
    await world.quiet();
    const rows = await world.rows();
    expect(rows).toHaveLength(2_000);
    expect(rows.reduce((sum, row) => sum + beaconBytes(row.url), 0)).toBeLessThanOrEqual(MAX_BEACON_BYTES);
  });
});

describe('beacons of any size, with a crash at any step', () => {
  it('are not lost once the books have them, not stored twice, and all sent', async () => {
    const sizes = fc.array(fc.constantFrom(40, 2_000, 30_000), { minLength: 1, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ sizes, times: fc.constantFrom(1, 12) }), { minLength: 1, maxLength: 3 }),
        fc.option(
          fc.record({ step: fc.integer({ min: 1, max: 6 }), moment: fc.constantFrom('before', 'after') }),
        ),
        async (events, death) => {
          await world.end();
          world = outboxWorld();
          const first = await start();
          if (death) first.dieAt(death.step, death.moment as 'before' | 'after');
          const fired: string[] = [];
          let number = 0;
          for (const event of events) {
            const list = Array.from({ length: event.times }, () => event.sizes)
              .flat()
              .map((size) => url(number++, size));
            fired.push(...list);
            first.outbox.fire(`play ${number}`, 'impression', list);
          }
          await world.quiet();
          const isAlive = first.isAlive();
          const lost = first.outbox.counts().lost;
          first.die();
          const rows = await world.rows();
          const ids = new Set(rows.map(({ id }) => id));
          for (const id of first.acknowledged) expect(ids).toContain(id);
          const found = rows.map((row) => withoutTime(row.url).split('/')[3]);
          expect(new Set(found).size).toBe(found.length);
          if (isAlive) expect(rows.length + lost).toBe(fired.length);

          world.answer = () => accepted;
          await start();
          await world.advance(30_000 + rows.length * 400);
          const arrived = world.sent.filter(({ result }) => result === accepted).map((each) => each.url);
          expect(new Set(arrived.map((each) => each.split('/')[3]))).toEqual(new Set(found));
        },
      ),
      { numRuns: 12 },
    );
  });
});
