import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { BooksConflict, openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { silentLog } from '../../shared/log';
import { createDecider } from '../decisions/decider';
import { anAd, emptyBooks, onlyMedia } from '../decisions/testing/ads-for-tests';
import { type Records, RecordsError } from '../records/records-client';
import { OpenPlays } from './open-plays';
import { type SlotAd, type SlotFacts, UNCOUNTED } from './slot-ad';
import { decisionWithoutSignals } from './testing/decision-without-signals';

let database: RecordsDatabase;
beforeEach(() => {
  database = openDatabase('open-plays');
});
afterEach(() => database.delete());

const openPlays = (records: Records, error: (message: string) => void = () => {}) =>
  new OpenPlays({
    books: records,
    online: null,
    clock: { now: () => 0, monotonic: () => 0 },
    newId: () => 'p',
    environment: 'store',
    decision: decisionWithoutSignals,
    tell() {},
    log: { ...silentLog, error },
  });

const facts: SlotFacts = {
  adId: 'ad',
  requestId: 'r',
  flightId: 'f',
  campaignId: null,
  source: null,
  sourceId: null,
  mediaUrl: 'm',
  delivery: 'offline',
  durationMs: 1_000,
  frequencyCaps: [],
};

/** Reserves a play at a records window that does not answer in time, and lets a new window open the books. */
async function reserveUnanswered(isStored: boolean) {
  const commands = recordsCommandsOn(database);
  const openBooks = () => commands.openBooks({ environment: 'store', stillOpen: [] });
  await openBooks();
  const ad = anAd({ flightId: 'f' });
  const decider = createDecider({ ...emptyBooks, ads: [ad] });
  decider.mediaReady(onlyMedia(ad) ?? '');
  const errors: string[] = [];
  const records = {
    async run(command: 'reservePlay' | 'settlePlay', input: never) {
      const isDone = command === 'settlePlay' || isStored;
      if (isDone)
        await commands[command](input).catch((error: unknown) => {
          throw error instanceof BooksConflict ? new RecordsError('conflict', command, '') : error;
        });
      if (command === 'reservePlay') throw new RecordsError('timeout', command, 'no answer');
    },
  } as Records;
  const plays = openPlays(records, (message) => void errors.push(message));
  const choice = {
    facts,
    enter(at: number) {
      const chosen = decider.choose(at);
      return chosen && decider.enter(chosen, at);
    },
  } as Partial<SlotAd> as SlotAd;
  const answer = await new Promise<boolean>((resolve) =>
    plays.reserve({ do: 'reserve', slot: 1, choice, at: 1_000, durationMs: 1_000 }, resolve),
  );
  const quiet = plays.quiet();
  plays.tellIfQuiet();
  await quiet;
  return { answer, errors, decider, books: await openBooks() };
}

describe('a play whose reservation gets no answer in time', () => {
  it('is void although it was stored, because it is never shown', async () => {
    const { answer, decider, books } = await reserveUnanswered(true);
    expect(answer).toBe(false);
    expect(await database.plays.toArray()).toMatchObject([
      { id: 'p', outcome: 'given-back', endReason: 'not-confirmed' },
    ]);
    expect(books.flights).toMatchObject([{ flightId: 'f', total: 0 }]);
    expect(decider.countersOf('f')?.total).toBe(0);
  });

  it('is no second error if it was not stored', async () => {
    const { answer, errors, decider } = await reserveUnanswered(false);
    expect(answer).toBe(false);
    expect(errors).toEqual(['a play could not be reserved; it is not shown']);
    expect(await database.plays.count()).toBe(0);
    expect(decider.countersOf('f')?.total).toBe(0);
  });
});

it('a play that its ad does not enter is answered at once and not stored', () => {
  const plays = openPlays({
    run() {
      throw new Error('nothing must be stored');
    },
  });
  const choice = { enter: () => null } as Partial<SlotAd> as SlotAd;
  const answers: boolean[] = [];
  plays.reserve({ do: 'reserve', slot: 1, choice, at: 0, durationMs: 0 }, (stored) => {
    answers.push(stored);
  });
  expect(answers).toEqual([false]);
});

it('a player is quiet only once the end of its last play is stored', async () => {
  const stored: Array<() => void> = [];
  const plays = openPlays({ run: () => new Promise((resolve) => stored.push(() => resolve(null as never))) });
  const ad = { facts, drawn: [], guestErrors: [], enter: () => UNCOUNTED } as Partial<SlotAd> as SlotAd;
  const reserved = new Promise((resolve) =>
    plays.reserve({ do: 'reserve', slot: 1, choice: ad, at: 0, durationMs: 0 }, resolve),
  );
  stored[0]?.();
  await reserved;
  plays.settle(
    { do: 'settle', slot: 1, outcome: 'interrupted', endReason: 'held', shownAt: 0, report: null },
    0,
  );
  let isQuiet = false;
  const quiet = plays.quiet().then(() => {
    isQuiet = true;
  });
  plays.tellIfQuiet();
  await Promise.resolve();
  expect(isQuiet).toBe(false);
  stored[1]?.();
  await quiet;
});

it('the creative of a card in its record is its picture or else its banner, not another file of it (rule 29)', async () => {
  const file = (name: string, guest: string | null = null) => ({
    ...{ name, guest, sha256: `sha-${name}`, type: 'image/png' },
  });
  const recorded: unknown[] = [];
  const plays = openPlays({
    async run(_command, input) {
      if ('play' in input) recorded.push(input.play.creative?.sha256);
      return null as never;
    },
  });
  const cards = [
    [file('icon'), file('m')],
    [file('icon'), file('banner', 'http://1.localhost/')],
    [file('icon')],
    [],
  ];
  for (const [slot, drawn] of cards.entries()) {
    const card = { facts, drawn, guestErrors: [], enter: () => UNCOUNTED } as Partial<SlotAd> as SlotAd;
    plays.prepared(slot, card, false);
    await new Promise((resolve) =>
      plays.reserve({ do: 'reserve', slot, choice: card, at: 0, durationMs: 0 }, resolve),
    );
  }
  expect(recorded).toEqual(['sha-m', 'sha-banner', 'sha-icon', null]);
});

it('a play that is over is reported to its ad, and its files are forgotten once another is prepared', async () => {
  const plays = openPlays({ run: async () => null as never });
  const drawn = [{ sha256: 'hash', name: 'm', guest: null, type: 'image/png' }];
  let over = 0;
  const counted = {
    over() {
      over += 1;
    },
  };
  const ad = {
    facts,
    drawn,
    guestErrors: [],
    enter: () => UNCOUNTED,
    ...counted,
  } as Partial<SlotAd> as SlotAd;
  plays.prepared(1, ad, false);
  await new Promise((stored) =>
    plays.reserve({ do: 'reserve', slot: 1, choice: ad, at: 0, durationMs: 0 }, stored),
  );
  const unseen = { outcome: 'given-back', endReason: 'late', shownAt: null, report: null } as const;
  plays.settle({ do: 'settle', slot: 1, ...unseen }, 0);
  expect([over, plays.drawnIn(1)]).toEqual([1, drawn]);
  plays.prepared(2, ad, false);
  expect([plays.drawnIn(1), plays.drawnIn(2)]).toEqual([[], drawn]);
});
