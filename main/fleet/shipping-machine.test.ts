import { describe, expect, test } from 'vitest';
import type { ProofPosition, SetAsideSegment, StoredSegment } from '../../shared/proof-sequence';
import {
  BETWEEN_SEGMENTS_MS,
  beginShipping,
  type Shipping,
  type ShippingEffect,
  type ShippingEvent,
  type ShippingMoment,
  stepShipping,
} from './shipping-machine';

const EVERY_MS = 900_000;
const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 22, 12, 5);

const segment = (first: number): StoredSegment => ({
  ...{ epoch: 7, first, last: first + 9, count: 10, madeAt: NOW },
  digest: String(first).padStart(64, '0'),
});
const setAside = (first: number, triedAt = NOW): SetAsideSegment => ({
  ...segment(first),
  ...{ since: NOW, triedAt, status: 400 },
});
const place = { epoch: 7, seq: 0 };
const position = (change: Partial<ProofPosition> = {}): ProofPosition => ({
  ...{ epoch: 7, last: 100, cursor: place, readFrom: place, heads: [], waiting: 1, oldestSettledAt: NOW },
  ...{ isNumbering: false, setAside: [], dropped: [], pending: null, ...change },
});

/** The state machine without I/O: the test sends the events, and reads the effects. */
class Paper {
  state: Shipping;
  effects: readonly ShippingEffect[];
  monotonic = 0;
  position = position();
  random = 0.5;

  constructor() {
    ({ state: this.state, effects: this.effects } = beginShipping(this.moment()));
  }

  moment(): ShippingMoment {
    const { monotonic, random } = this;
    return { now: NOW + monotonic, monotonic, random: () => random, everyMs: EVERY_MS, ownMoment: 60_000 };
  }

  tell(event: ShippingEvent): this {
    ({ state: this.state, effects: this.effects } = stepShipping(this.state, event, this.moment()));
    return this;
  }

  /** Lets the time of the last `rest` effect pass; returns it, ms. */
  rest(): number {
    const [last] = this.effects.slice(-1);
    if (last?.do !== 'rest') throw new Error(`expected a rest, got ${last?.do}`);
    this.monotonic += last.ms;
    return last.ms;
  }

  /** Rests, then reads the position. */
  look(change: Partial<ProofPosition> = {}): this {
    this.rest();
    this.position = { ...this.position, ...change };
    return this.tell({ kind: 'woken' }).tell({ kind: 'position', position: this.position });
  }

  try(status: number | null, retryAfterMs: number | null = null): this {
    return this.tell({ kind: 'tried', status, retryAfterMs });
  }

  done(): string[] {
    return this.effects.map((effect) => ('result' in effect ? `count ${effect.result}` : effect.do));
  }
}

describe('the kiosk has its moment in each period', () => {
  test('and waits for it after a start, after a segment, and when there is nothing', () => {
    const paper = new Paper();
    // From 12:05 to 12:16: its moment is a minute after each quarter of an hour.
    expect(paper.look().done()).toEqual(['build']);
    expect(paper.monotonic).toBe(11 * 60_000);
    expect(paper.tell({ kind: 'nothing-to-send' }).rest()).toBe(EVERY_MS);
    paper.tell({ kind: 'woken' }).tell({ kind: 'position', position: paper.position });
    expect(paper.tell({ kind: 'stored', segment: segment(1), hasMore: false }).done()).toEqual(['send']);
    expect(paper.try(200).done()).toEqual(['count delivered', 'settle']);
    expect(paper.tell({ kind: 'settled' }).rest()).toBe(EVERY_MS);
  });

  test('and goes on at a bounded rate while more waits', () => {
    const paper = new Paper()
      .look()
      .tell({ kind: 'stored', segment: segment(1), hasMore: true })
      .try(204);
    expect(paper.tell({ kind: 'settled' }).rest()).toBe(BETWEEN_SEGMENTS_MS);
  });

  test('and goes on after a segment of an earlier run, because more may wait', () => {
    const paper = new Paper().look({ pending: segment(1) });
    expect(paper.effects).toEqual([{ do: 'send', segment: segment(1) }]);
    expect(paper.try(200).tell({ kind: 'settled' }).rest()).toBe(BETWEEN_SEGMENTS_MS);
  });
});

describe('what an answer means', () => {
  test.each([200, 201, 202, 204, 299])('%i: delivered', (status) => {
    const paper = new Paper().look({ pending: segment(1) }).try(status);
    expect(paper.effects).toEqual([
      { do: 'count', result: 'delivered' },
      { do: 'settle', segment: segment(1), how: 'delivered', status },
    ]);
  });

  test.each([null, 301, 304, 401, 403, 404, 408, 409, 429, 500, 502, 503])(
    '%s: tried again, without a limit',
    (status) => {
      const paper = new Paper();
      for (let times = 1; times <= 20; times += 1) {
        expect(
          paper
            .look({ pending: segment(1) })
            .try(status)
            .done(),
        ).toEqual(['count failed', 'rest']);
      }
      expect(paper.rest()).toBeLessThanOrEqual(EVERY_MS);
    },
  );

  test.each([400, 413, 422])('%i: set aside at the third time, with other answers in between', (status) => {
    const paper = new Paper();
    for (const answer of [status, 503, status, null]) {
      expect(
        paper
          .look({ pending: segment(1) })
          .try(answer)
          .done(),
      ).toContain('rest');
    }
    expect(paper.look().try(status).effects).toEqual([
      { do: 'count', result: 'set-aside' },
      { do: 'settle', segment: segment(1), how: 'set-aside', status },
    ]);
  });

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
    expect(paper.done()).toEqual(['count refused', 'rest']);
    expect(paper.look().try(400).done()).toEqual(['count set-aside', 'settle']);
  });

  test('further refused segments wait while many are set aside', () => {
    const many = Array.from({ length: 50 }, (_, index) => setAside(1 + 10 * index));
    const paper = new Paper();
    for (let times = 1; times <= 10; times += 1) {
      paper.look({ setAside: many, pending: segment(501) }).try(400);
      expect(paper.done()).toEqual(['count refused', 'rest']);
    }
  });

  test('Retry-After is respected, with a random extra wait', () => {
    const paper = new Paper().look({ pending: segment(1) }).try(503, 120_000);
    const [, early] = paper.effects;
    expect(early).toEqual({ do: 'rest', ms: 120_000 + 1_500 });
  });
});

describe('a segment that is set aside', () => {
  test('is tried again a day after its last try, before newer plays', () => {
    const paper = new Paper().look({ setAside: [setAside(1, NOW - 23 * HOUR_MS), setAside(11)] });
    expect(paper.done()).toEqual(['build']);
    paper.tell({ kind: 'nothing-to-send' });
    for (let period = 0; period < 3; period += 1) paper.look().tell({ kind: 'nothing-to-send' });
    expect(paper.look().effects).toEqual([{ do: 'send', segment: setAside(1, NOW - 23 * HOUR_MS) }]);
    expect(paper.try(422).effects).toMatchObject([
      { do: 'count', result: 'set-aside' },
      { do: 'settle', how: 'set-aside', status: 422 },
    ]);
  });

  test('is delivered after all', () => {
    const paper = new Paper().look({ setAside: [setAside(1, NOW - 25 * HOUR_MS)] }).try(200);
    expect(paper.effects).toMatchObject([{ do: 'count' }, { do: 'settle', how: 'delivered' }]);
    expect(paper.tell({ kind: 'settled' }).look({ setAside: [] }).done()).toEqual(['build']);
  });

  test('does not delay others when its try fails', () => {
    const due = [setAside(1, NOW - 25 * HOUR_MS), setAside(11, NOW - 25 * HOUR_MS)];
    const paper = new Paper().look({ setAside: due }).try(500);
    expect(paper.done()).toEqual(['count failed', 'rest']);
    expect(paper.look().done()).toEqual(['build']);
  });

  test('is due when its last try lies in the future, because the clock was set back', () => {
    expect(new Paper().look({ setAside: [setAside(1, NOW + 48 * HOUR_MS)] }).done()).toEqual(['send']);
  });
});

test('an error of the books at any step leads to another try, with waits that grow to a minute', () => {
  const steps: Array<(paper: Paper) => Paper> = [
    (paper) => paper.tell({ kind: 'woken' }),
    (paper) => paper.tell({ kind: 'position', position: position() }),
    (paper) => paper.tell({ kind: 'stored', segment: segment(1), hasMore: false }),
    (paper) => paper.try(200),
  ];
  for (let count = 1; count <= steps.length; count += 1) {
    const paper = new Paper();
    paper.rest();
    for (const step of steps.slice(0, count)) step(paper);
    expect(paper.tell({ kind: 'books-error' }).rest()).toBe(1_000);
    for (const ms of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      expect(paper.tell({ kind: 'woken' }).tell({ kind: 'books-error' }).rest()).toBe(ms);
    }
    expect(paper.tell({ kind: 'woken' }).done()).toEqual(['look']);
  }
});

test('an event of an earlier state changes nothing', () => {
  const paper = new Paper();
  const { state } = paper;
  for (const event of [{ kind: 'settled' }, { kind: 'nothing-to-send' }, { kind: 'books-error' }] as const) {
    expect(paper.tell(event).state).toBe(state);
    expect(paper.effects).toEqual([]);
  }
});
