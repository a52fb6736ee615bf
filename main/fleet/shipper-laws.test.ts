import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownMoment, untilOwnMoment } from './ship-times';
import { type Answer, EVERY_MS, type ShippingLife, ShippingWorld } from './testing/shipping-world';

const MINUTE_MS = 60_000;

/** One random event. Numbers are small, so that events coincide. */
type Happening =
  | {
      readonly do: 'play';
      readonly outcome: 'completed' | 'interrupted' | 'given-back';
      readonly fires: boolean;
    }
  | { readonly do: 'beacons-end'; readonly most: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'answers'; readonly answers: readonly Answer[] }
  | { readonly do: 'poison'; readonly seq: number | null }
  | { readonly do: 'move-clock'; readonly by: number; readonly back: number }
  | { readonly do: 'crash' | 'error'; readonly step: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'restart' };

const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constantFrom<Answer>(
    { takes: true, status: 200 },
    { takes: true, status: 204 },
    // Stored, but the kiosk gets no answer.
    { takes: true, status: null },
    { takes: true, status: 500 },
    { takes: false, status: null },
    { takes: false, status: 503, retryAfterMs: 120_000 },
  ),
  fc.record({
    takes: fc.constant(false),
    status: fc.constantFrom(301, 400, 401, 403, 404, 413, 422, 429, 500),
  }),
);
const step = fc.integer({ min: 1, max: 9 });
const moment = fc.constantFrom('before' as const, 'after' as const);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('play' as const),
      outcome: fc.constantFrom('completed' as const, 'interrupted' as const, 'given-back' as const),
      fires: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('beacons-end' as const), most: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(5_000, MINUTE_MS, EVERY_MS, 5 * EVERY_MS, 86_400_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answers' as const),
      answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('poison' as const), seq: fc.constantFrom(1, 2, 3, 5, 8, null) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('move-clock' as const),
      by: fc.constantFrom(-3_600_000, 300_000, 86_400_000),
      back: fc.constantFrom(15_000, 3_600_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), step, moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('error' as const), step, moment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** Lets an event happen; returns the process that is alive afterwards. */
async function happen(world: ShippingWorld, life: ShippingLife, what: Happening): Promise<ShippingLife> {
  switch (what.do) {
    case 'play':
      await world.inBooks(async (books) => {
        const id = await books.reserve();
        if (what.fires) await books.fire(id);
        await books.settle(id, what.outcome);
      });
      return life;
    case 'beacons-end':
      await world.inBooks((books) => books.endBeacons(what.most));
      return life;
    case 'pass':
      await world.pass(what.ms);
      return life.isAlive() ? life : world.live();
    case 'answers':
      world.answers = [...what.answers];
      return life;
    case 'poison':
      world.poison = (seq) => seq === what.seq;
      return life;
    case 'move-clock':
      await world.quiet();
      await world.inBooks((books) => books.moveClock(what.by, what.back));
      return life;
    case 'crash':
      life.dieAt(what.step, what.moment);
      return life;
    case 'error':
      life.failAt(what.step, what.moment);
      return life;
    case 'restart':
      life.die();
      await world.quiet();
      return world.live();
  }
}

async function booksOf(world: ShippingWorld) {
  const results = new Map(
    (await world.books.database.playBeacons.toArray()).map(({ playId, sent }) => [playId, sent]),
  );
  const plays = await world.books.database.plays.toArray();
  return plays.map(({ id, at, outcome }) => ({
    id,
    at: new Date(at).toISOString(),
    outcome,
    beaconsSent: results.get(id) ?? 0,
  }));
}

const byId = (one: { id: unknown }, other: { id: unknown }) => (String(one.id) < String(other.id) ? -1 : 1);

test('the receiver counts what the books hold, whatever happens on the way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40, size: 'max' }), async (happenings) => {
      const world = new ShippingWorld();
      let life = world.live();
      for (const what of happenings) {
        life = await happen(world, life, what);
        // The chain must be complete at every moment, because an auditor may check it at any time.
        expect(world.receiver.gaps()).toEqual([]);
      }
      await world.heal();

      const counted = [...world.receiver.plays().values()].map(({ id, at, outcome, beaconsSent }) => ({
        id,
        at,
        outcome,
        beaconsSent: beaconsSent ?? 0,
      }));
      expect(counted.sort(byId)).toEqual((await booksOf(world)).sort(byId));
      expect(world.receiver.gaps()).toEqual([]);
      await world.end();
    }),
    { numRuns: 50 },
  );
});

test('a database that went back delivers all plays that it holds, and no unplayed one is counted', async () => {
  const before = fc.array(happening, { maxLength: 15, size: 'max' });
  await fc.assert(
    fc.asyncProperty(before, before, before, async (kept, lost, after) => {
      const world = new ShippingWorld();
      let life = world.live();
      for (const what of kept) life = await happen(world, life, what);
      await world.quiet();
      await world.inBooks((books) => books.copyDatabase());
      for (const what of lost) life = await happen(world, life, what);
      const everPlayed = new Set((await booksOf(world)).map(({ id }) => id));
      life.die();
      await world.quiet();
      await world.inBooks((books) => books.goBack());
      life = world.live();
      for (const what of after) life = await happen(world, life, what);
      await world.heal();

      const booked = (await booksOf(world)).map(({ id }) => id);
      for (const id of booked) everPlayed.add(id);
      const counted = new Set(world.receiver.plays().keys());
      expect(booked.filter((id) => !counted.has(id))).toEqual([]);
      expect([...counted].filter((id) => !everPlayed.has(id))).toEqual([]);
      expect(world.receiver.gaps()).toEqual([]);
      await world.end();
    }),
    { numRuns: 30 },
  );
});

test('a refused segment delays no other, is listed as missing, and is delivered once it is accepted', async () => {
  const world = new ShippingWorld();
  world.poison = (seq) => seq === 3;
  world.live();
  const play = () => world.inBooks(async (books) => books.settle(await books.reserve()));
  for (let count = 0; count < 12; count += 1) await play();
  await world.pass(3 * EVERY_MS);

  const manifests = () => [...world.receiver.manifests.values()].sort((a, b) => a.first - b.first);
  expect(manifests().map(({ first, last }) => [first, last])).toEqual([
    [6, 10],
    [11, 12],
  ]);
  const { setAside = [] } = world.state?.position ?? {};
  expect(setAside.map(({ first, last, status }) => [first, last, status])).toEqual([[1, 5, 400]]);
  const missing = JSON.stringify([{ digest: setAside[0]?.digest, first: 1, last: 5 }]);
  expect(manifests().map((manifest) => manifest.setAside)).toEqual([missing, missing]);
  expect(manifests()[0]?.predecessor).toBe(setAside[0]?.digest);
  expect(world.results).toEqual(['refused', 'refused', 'set-aside', 'delivered', 'delivered']);

  world.poison = () => false;
  await world.pass(22 * 3_600_000);
  expect(manifests()).toHaveLength(2);
  await world.pass(3 * 3_600_000);
  expect(manifests().map(({ first }) => first)).toEqual([1, 6, 11]);
  await play();
  await world.pass(EVERY_MS);
  expect(manifests().at(-1)).toMatchObject({ first: 13, setAside: '[]' });
  expect(world.receiver.gaps()).toEqual([]);
  await world.end();
});

test.each(['missing', 'unreadable'])(
  'a stored segment whose bytes are %s delays no other, is listed as missing, and is delivered once they can be read',
  async (how) => {
    const world = new ShippingWorld();
    world.answers = Array.from({ length: 1_000 }, () => ({ takes: false, status: 503 }));
    world.live();
    const play = () => world.inBooks(async (books) => books.settle(await books.reserve()));
    for (let count = 0; count < 7; count += 1) await play();
    await world.pass(2 * EVERY_MS);
    world.answers = [];
    const { segmentBodies } = world.books.database;
    const [body] = await segmentBodies.toArray();
    if (body === undefined) throw new Error('nothing is stored');
    const { readSegment } = world.books.commands;
    if (how === 'missing') await segmentBodies.clear();
    else
      world.books.commands.readSegment = (asked) =>
        asked.first === body.first
          ? Promise.reject(new Error('Data lost due to missing file.'))
          : readSegment(asked);
    await world.pass(3 * EVERY_MS);

    const firsts = () => [...world.receiver.manifests.values()].map(({ first }) => first);
    expect(firsts()).toEqual([6]);
    const { setAside = [], pending } = world.state?.position ?? {};
    expect([setAside.map(({ first, last, status }) => [first, last, status]), pending]).toEqual([
      [[1, 5, 0]],
      null,
    ]);
    expect(world.results.slice(-4)).toEqual(['refused', 'refused', 'set-aside', 'delivered']);
    const missing = JSON.stringify([{ digest: setAside[0]?.digest, first: 1, last: 5 }]);
    expect([...world.receiver.manifests.values()][0]).toMatchObject({
      setAside: missing,
      predecessor: setAside[0]?.digest,
    });

    if (how === 'missing') await segmentBodies.put(body);
    world.books.commands.readSegment = readSegment;
    await world.pass(25 * 3_600_000);
    expect(firsts()).toEqual([6, 1]);
    expect(world.receiver.gaps()).toEqual([]);
    await world.end();
  },
);

test('a stored segment that cannot be read for a moment is tried again, and is not set aside', async () => {
  const world = new ShippingWorld();
  const { commands } = world.books;
  const { readSegment } = commands;
  let errors = 2;
  commands.readSegment = (asked) =>
    errors-- > 0 ? Promise.reject(new Error('Too many open files.')) : readSegment(asked);
  world.live();
  await world.inBooks(async (books) => books.settle(await books.reserve()));
  await world.pass(EVERY_MS + 60_000);
  expect([world.results, world.requests.length]).toEqual([['refused', 'refused', 'delivered'], 1]);
  expect(world.state).toMatchObject({ position: { setAside: [] }, lastError: null });
  await world.end();
});

test('further refused segments wait once 50 are set aside', async () => {
  const world = new ShippingWorld();
  const { commands } = world.books;
  const { proofPosition } = commands;
  const at = world.clock.now();
  const aside = { epoch: 0, first: 1, last: 1, count: 1, digest: '0'.repeat(64), madeAt: at };
  const setAside = Array.from({ length: 50 }, () => ({ ...aside, since: at, triedAt: at, status: 400 }));
  commands.proofPosition = async (asked) => ({ ...(await proofPosition(asked)), setAside });
  world.poison = () => true;
  world.live();
  await world.inBooks(async (books) => books.settle(await books.reserve()));
  await world.pass(3 * EVERY_MS);
  expect(world.results.length).toBeGreaterThan(3);
  expect(new Set(world.results)).toEqual(new Set(['refused']));
  await world.end();
});

test('the first segment is sent at the own moment of the kiosk, and what waits is counted a minute later', async () => {
  const world = new ShippingWorld();
  const play = () => world.inBooks(async (books) => books.settle(await books.reserve()));
  await play();
  const startedAt = world.clock.now();
  const own = ownMoment(world.key.fingerprint, EVERY_MS);
  world.live();
  await world.pass(EVERY_MS);
  expect(world.requests).toEqual([
    startedAt + untilOwnMoment({ now: startedAt, everyMs: EVERY_MS, ownMoment: own }),
  ]);
  world.answers = Array.from({ length: 100 }, () => ({ takes: false, status: 503 }));
  await play();
  await world.pass(MINUTE_MS);
  expect(world.state?.position?.waiting).toBe(1);
  await world.end();
});

test('the log says when the receiver takes segments again', async () => {
  const world = new ShippingWorld();
  world.answers = [401, 401].map((status) => ({ takes: false, status }));
  world.live();
  const play = () => world.inBooks(async (books) => books.settle(await books.reserve()));
  await play();
  await world.pass(5 * EVERY_MS);
  await play();
  await world.pass(2 * EVERY_MS);
  const notTaken = 'a segment of proof of play was not taken';
  expect(world.lines).toEqual([notTaken, notTaken, 'proof of play is taken again']);
  await world.end();
});

test('a request that is aborted at the end of the kiosk counts as no try', async () => {
  const world = new ShippingWorld();
  const life = world.live();
  world.answers = [{ takes: false, status: null }];
  world.poison = () => {
    life.shipper.dispose();
    void world.time.settle().then(life.die);
    return false;
  };
  await world.inBooks(async (books) => books.settle(await books.reserve()));
  await world.pass(2 * EVERY_MS);
  expect([world.requests.length, world.results, world.lines]).toEqual([1, [], []]);
  expect(world.signals.map(({ aborted }) => aborted)).toEqual([true]);
  await world.end();
});

test('the state says what came of the last try', async () => {
  const world = new ShippingWorld();
  world.answers = Array.from({ length: 1_000 }, () => ({ takes: false, status: 401 }));
  world.live();
  await world.inBooks(async (books) => books.settle(await books.reserve()));
  await world.pass(EVERY_MS);
  expect(world.state).toMatchObject({
    lastSentAt: null,
    lastError: { at: expect.any(Number), advice: 'Wait.' },
  });
  world.answers = [];
  await world.pass(EVERY_MS);
  expect(world.state).toMatchObject({ lastSentAt: expect.any(Number), lastError: null });
  await world.end();
});
