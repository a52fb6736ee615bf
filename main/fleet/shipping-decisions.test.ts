import { describe, expect, test } from 'vitest';
import {
  type ProofPosition,
  type SetAsideSegment,
  type StoredSegment,
  UNREADABLE,
} from '../../shared/proof-sequence';
import { ownMoment, untilOwnMoment } from './ship-times';
import {
  afterBooksErrorsMs,
  afterTry,
  BETWEEN_SEGMENTS_MS,
  type NextSegment,
  NOTHING_TRIED,
  nextStored,
  type Verdict,
} from './shipping-decisions';
import { ShippingWorld } from './testing/shipping-world';

const EVERY_MS = 900_000;
const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 22, 12, 5);

const segment = (first: number): StoredSegment => ({
  epoch: 7,
  first,
  last: first + 9,
  count: 10,
  madeAt: NOW,
  digest: String(first).padStart(64, '0'),
});
const setAside = (first: number, triedAt = NOW): SetAsideSegment => ({
  ...segment(first),
  since: NOW,
  triedAt,
  status: 400,
});
const place = { epoch: 7, seq: 0 };
const position = (change: Partial<ProofPosition> = {}): ProofPosition => ({
  cursor: place,
  readFrom: place,
  heads: [],
  waiting: 1,
  oldestSettledAt: NOW,
  setAside: [],
  dropped: [],
  pending: null,
  ...change,
});

/** The decisions without I/O: the test says what the books hold, and what the receiver answers. */
class Paper {
  memory = NOTHING_TRIED;
  monotonic = 0;
  position = position();
  random = 0.5;
  waitMs = untilOwnMoment(this.moment());
  next: NextSegment | null = null;
  verdict: Verdict | null = null;

  moment() {
    const { monotonic, random } = this;
    return { now: NOW + monotonic, monotonic, random: () => random, everyMs: EVERY_MS, ownMoment: 60_000 };
  }

  /** Lets the time of the last wait pass; returns it, ms. */
  rest(): number {
    this.monotonic += this.waitMs;
    return this.waitMs;
  }

  /** Rests, then reads the position. */
  look(change: Partial<ProofPosition> = {}): this {
    this.rest();
    this.position = { ...this.position, ...change };
    this.next = nextStored(this.memory, this.position, this.moment());
    return this;
  }

  /** A segment was made of new plays. */
  built(first: number, hasMore: boolean): this {
    this.next = { segment: segment(first), isAgain: false, hasMore };
    return this;
  }

  nothingToSend(): this {
    this.waitMs = untilOwnMoment(this.moment());
    return this;
  }

  try(status: number | null, retryAfterMs: number | null = null): this {
    if (this.next === null) throw new Error('expected a segment to send');
    const setAside = this.position.setAside.length;
    this.verdict = afterTry(this.memory, this.next, { status, retryAfterMs }, setAside, this.moment());
    ({ memory: this.memory, waitMs: this.waitMs } = this.verdict);
    return this;
  }

  get result() {
    return this.verdict?.result;
  }
}

describe('the kiosk has its moment in each period', () => {
  test('and waits for it after a start, after a segment, and when there is nothing', () => {
    const paper = new Paper();
    // From 12:05 to 12:16: its moment is a minute after each quarter of an hour.
    expect(paper.look().next).toBeNull();
    expect(paper.monotonic).toBe(11 * 60_000);
    expect(paper.nothingToSend().rest()).toBe(EVERY_MS);
    expect(paper.built(1, false).try(200).result).toBe('delivered');
    expect(paper.rest()).toBe(EVERY_MS);
  });

  test('and goes on at a bounded rate while more waits', () => {
    expect(new Paper().look().built(1, true).try(204).rest()).toBe(BETWEEN_SEGMENTS_MS);
  });

  test('and goes on after a segment of an earlier run, because more may wait', () => {
    const paper = new Paper().look({ pending: segment(1) });
    expect(paper.next).toMatchObject({ segment: segment(1), isAgain: false });
    expect(paper.try(200).rest()).toBe(BETWEEN_SEGMENTS_MS);
  });
});

describe('what an answer means', () => {
  test.each([200, 201, 202, 204, 299])('%i: delivered', (status) => {
    expect(new Paper().look({ pending: segment(1) }).try(status).result).toBe('delivered');
  });

  test.each([null, 300, 301, 304, 401, 403, 404, 408, 409, 429, 500, 502, 503])(
    '%s: tried again, without a limit',
    (status) => {
      const paper = new Paper();
      for (let times = 1; times <= 20; times += 1) {
        expect(paper.look({ pending: segment(1) }).try(status).result).toBe('failed');
      }
      expect(paper.rest()).toBeLessThanOrEqual(EVERY_MS);
    },
  );

  test.each([UNREADABLE, 400, 413, 422])(
    '%i: set aside at the third time, with other answers in between',
    (status) => {
      const paper = new Paper();
      for (const answer of [status, 503, status, null]) {
        expect(paper.look({ pending: segment(1) }).try(answer).result).toBe(
          answer === status ? 'refused' : 'failed',
        );
      }
      expect(paper.look().try(status).result).toBe('set-aside');
    },
  );

  test('refusals are counted for each segment by itself', () => {
    const paper = new Paper();
    paper
      .look({ pending: segment(1) })
      .try(400)
      .look()
      .try(400);
    paper
      .look({ pending: segment(11) })
      .try(400)
      .look()
      .try(400);
    expect(paper.result).toBe('refused');
    expect(paper.look().try(400).result).toBe('set-aside');
  });

  const many = Array.from({ length: 50 }, (_, index) => setAside(1 + 10 * index));

  test('further refused segments wait while many are set aside', () => {
    const paper = new Paper();
    for (let times = 1; times <= 10; times += 1) {
      expect(paper.look({ setAside: many, pending: segment(501) }).try(400).result).toBe('refused');
    }
    expect(paper.look({ setAside: many.slice(1) }).try(400).result).toBe('set-aside');
  });

  test('a segment that cannot be read is set aside also while many are: it would hold back all others', () => {
    const paper = new Paper();
    paper.look({ setAside: many, pending: segment(501) }).try(UNREADABLE);
    paper.look().try(UNREADABLE);
    expect(paper.look().try(UNREADABLE).result).toBe('set-aside');
  });

  test.each([
    ['delivered', [200]],
    ['set aside', [400, 400, 400]],
  ])('waits begin anew once a segment is %s', (_how, statuses) => {
    const paper = new Paper().look({ pending: segment(1) });
    for (let times = 1; times <= 10; times += 1) paper.look().try(503);
    for (const status of statuses) paper.look().try(status);
    expect(paper.look({ pending: segment(11) }).try(503).waitMs).toBe(1_500);
  });

  test('Retry-After is respected, with a random extra wait', () => {
    expect(
      new Paper()
        .look({ pending: segment(1) })
        .try(503, 120_000)
        .rest(),
    ).toBe(120_000 + 1_500);
  });
});

describe('a segment that is set aside', () => {
  test('is tried again a day after its last try, before newer plays', () => {
    const paper = new Paper().look({ setAside: [setAside(1, NOW - 23 * HOUR_MS), setAside(11)] });
    expect(paper.next).toBeNull();
    paper.nothingToSend();
    for (let period = 0; period < 3; period += 1) paper.look().nothingToSend();
    expect(paper.look().next).toMatchObject({ segment: setAside(1, NOW - 23 * HOUR_MS) });
    expect(paper.try(422).result).toBe('set-aside');
  });

  test('is tried again daily even while a further one is refused, and waits because so many are set aside', () => {
    const due = setAside(1, NOW - 25 * HOUR_MS);
    const many = [due, ...Array.from({ length: 49 }, (_, index) => setAside(11 + 10 * index))];
    const paper = new Paper();
    for (let times = 1; times <= 3; times += 1)
      expect(paper.look({ setAside: many, pending: segment(501) }).try(400).result).toBe('refused');
    expect(paper.look().next).toMatchObject({ segment: due, isAgain: true });
    paper.try(400);
    many[0] = setAside(1, NOW + paper.monotonic);
    expect(paper.look().next).toMatchObject({ segment: segment(501), isAgain: false });
    // The receiver was repaired.
    paper.try(400).monotonic += 24 * HOUR_MS;
    for (let left = many.splice(0); left.length > 0; left = left.slice(1))
      expect(paper.look({ setAside: left }).try(200).next?.isAgain).toBe(true);
    expect(paper.look({ setAside: [] }).next).toMatchObject({ segment: segment(501), isAgain: false });
  });

  test('is delivered after all', () => {
    const paper = new Paper().look({ setAside: [setAside(1, NOW - 25 * HOUR_MS)] }).try(200);
    expect(paper.result).toBe('delivered');
    expect(paper.waitMs, 'others may be due').toBe(BETWEEN_SEGMENTS_MS);
    expect(paper.look({ setAside: [] }).next).toBeNull();
  });

  test('does not delay others when its try fails', () => {
    const due = [setAside(1, NOW - 25 * HOUR_MS), setAside(11, NOW - 25 * HOUR_MS)];
    const paper = new Paper().look({ setAside: due }).try(500);
    expect(paper.result).toBe('failed');
    for (const _half of ['first', 'second']) {
      expect(paper.look().next).toBeNull();
      paper.monotonic += HOUR_MS / 2;
    }
    expect(paper.look().next).toMatchObject({ segment: due[0], isAgain: true });
  });

  test('is due when its last try lies in the future, because the clock was set back', () => {
    expect(new Paper().look({ setAside: [setAside(1, NOW + 48 * HOUR_MS)] }).next).not.toBeNull();
  });
});

test('an error of the books leads to another try, with waits that grow to a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(afterBooksErrorsMs)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ]);
});

test.each([1, 2, 3, 4, 5])(
  'the shipper tries again after an error of the books at command %i',
  async (step) => {
    const world = new ShippingWorld();
    try {
      await world.inBooks(async (books) => {
        await books.settle(await books.reserve(), 'completed');
        await books.endBeacons(100);
      });
      const own = ownMoment(world.key.fingerprint, EVERY_MS);
      const dueMs = untilOwnMoment({ now: world.clock.now(), everyMs: EVERY_MS, ownMoment: own });
      const life = world.live();
      await world.pass(dueMs - 1);
      life.failAt(step, 'before');
      await world.pass(1_001);
      expect(world.receiver.plays().size).toBe(1);
      await world.pass(1_000);
      expect((await world.books.commands.proofPosition({})).waiting).toBe(0);
      expect(world.results, 'a timeout is no refusal').not.toContain('refused');
    } finally {
      await world.end();
    }
  },
);

test('a segment that the books cannot settle is sent again with waits that grow to a minute', async () => {
  const world = new ShippingWorld();
  try {
    await world.inBooks(async (books) => books.settle(await books.reserve()));
    const { commands } = world.books;
    const { settleSegment } = commands;
    // As on a full disk: the database can be read, but not written.
    commands.settleSegment = () => Promise.reject(new Error('no space'));
    world.live();
    await world.pass(EVERY_MS);
    await world.pass(600_000);
    const waits = world.requests.slice(1).map((at, index) => at - (world.requests[index] ?? at));
    expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(waits.slice(7).every((ms) => ms === 60_000)).toBe(true);
    commands.settleSegment = settleSegment;
    await world.pass(60_000);
    expect((await world.books.commands.proofPosition({})).waiting).toBe(0);
    expect(world.lines).toContain('proof of play waits for the books');

    commands.settleSegment = () => Promise.reject(new Error('no space'));
    await world.inBooks(async (books) => books.settle(await books.reserve()));
    const before = world.requests.length;
    await world.pass(EVERY_MS + 1_000);
    const [first = 0, second] = world.requests.slice(before);
    expect(second, 'waits begin anew').toBe(first + 1_000);
  } finally {
    await world.end();
  }
});
