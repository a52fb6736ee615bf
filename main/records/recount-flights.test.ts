import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';
import { createDecider } from '../decisions/decider';
import { countPlay, noPlays, recount } from '../decisions/flight-counters';
import { anAd, anOnlineAd, emptyBooks } from '../decisions/testing/ads-for-tests';
import type { Records } from './records-client';
import { recountFlights } from './recount-flights';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Wednesday afternoon. */
const now = Date.UTC(2026, 10, 18, 15);
let database: RecordsDatabase;
let number = 0;
let records: Records;

beforeEach(() => {
  number += 1;
  database = openDatabase(`recount-${number}`);
  const commands = recordsCommandsOn(database);
  records = { run: (command, input) => (commands[command] as (value: unknown) => Promise<never>)(input) };
});
afterEach(() => database.delete());

const parts = () => ({ records, environment: 'store', pause: async () => {} });

const play = (flightId: string, at: number, overrides: Partial<Play> = {}) => {
  number += 1;
  return examplePlay({ id: `play-${number}`, flightId, at, ...overrides });
};

/** Stores plays of a flight at these times, in this order; returns its counters. */
async function played(flightId: string, times: readonly number[]): Promise<FlightCounters> {
  for (const at of times) await database.plays.add(play(flightId, at));
  return times.reduce((counters, at) => countPlay(counters, at), noPlays(flightId));
}

async function recounted(): Promise<FlightCounters> {
  const found = (await recountFlights(parts(), ['flight'])).get('flight');
  if (!found) throw new Error('the flight was not recounted');
  return found;
}

describe('a recount', () => {
  it('frees an ad that old plays blocked after the clock was set back', async () => {
    const times = Array.from({ length: 6 }, (_, hour) => now - 10 * DAY_MS + hour * HOUR_MS);
    await played('flight', times);
    // As after plays stamped a week ahead: hours that this week needs were dropped as too old.
    const counters: FlightCounters = {
      ...noPlays('flight'),
      total: times.length,
      recentDroppedTo: times.at(-1) ?? null,
      hoursDroppedTo: Math.floor(now / HOUR_MS),
    };
    const caps = [{ window: 'FREQUENCY_CAP_WINDOW_WEEK', limit: 5 }];
    const decider = createDecider({
      ...emptyBooks,
      ads: [anAd({ flightId: 'flight', frequencyCaps: caps })],
      counters: [counters],
    });
    decider.mediaReady('https://media.test/a.mp4');
    expect(decider.choose(now)).toBeNull();
    expect(decider.flightsToRecount(now)).toEqual([counters]);
    expect(decider.takeRecount(await recounted(), 0)).toBe(true);
    expect(decider.flightsToRecount(now)).toEqual([]);
    expect(decider.choose(now)?.ad.metadata.flightId).toBe('flight');
  });

  it('equals counters that dropped nothing, over many pages, without void plays and other flights', async () => {
    const times = Array.from({ length: 450 }, (_, index) => now - 2 * DAY_MS + index * 60_000);
    await played('flight', times);
    await database.plays.add(play('flight', now, { outcome: 'given-back' }));
    await database.plays.add(play('another', now));
    await database.plays.add(play('flight', now, { environment: 'another store' }));
    expect(await recounted()).toEqual(recount('flight', times));
  });

  it('distinguishes plays of the same moment at the end of a page', async () => {
    await played(
      'flight',
      Array.from({ length: 601 }, () => now),
    );
    expect((await recounted()).total).toBe(601);
  });

  const deciderWith = (counters: FlightCounters) => {
    return createDecider({ ...emptyBooks, ads: [anAd({ flightId: 'flight' })], counters: [counters] });
  };

  it('does not change counters with more plays than are stored', async () => {
    const counters = countPlay(await played('flight', [now, now + 1]), now + 2);
    const decider = deciderWith(counters);
    expect(decider.takeRecount(await recounted(), 0)).toBe(false);
    expect(decider.countersOf('flight')).toBe(counters);
  });

  it('counts plays that came while it read, once they are stored', async () => {
    const decider = deciderWith(await played('flight', [now - HOUR_MS]));
    const before = await recounted();
    decider.countExternal(anOnlineAd('flight'), now);
    expect(decider.takeRecount(before, 0)).toBe(false);
    await database.plays.add(play('flight', now));
    expect(decider.takeRecount(await recounted(), 0)).toBe(true);
    expect(decider.countersOf('flight')).toEqual(recount('flight', [now - HOUR_MS, now]));
  });

  it('is not used if a play was taken back or moved meanwhile, even if as many plays are counted', async () => {
    const decider = deciderWith(await played('flight', [now - HOUR_MS]));
    const { makeVoid } = decider.countExternal(anOnlineAd('flight'), now - 1);
    await database.plays.add(play('flight', now - 1));
    const corrections = decider.correctionsOf('flight');
    const read = await recounted();
    makeVoid();
    decider.countExternal(anOnlineAd('flight'), now);
    const counters = decider.countersOf('flight');
    expect(read.total).toBe(counters?.total);
    expect(decider.takeRecount(read, corrections)).toBe(false);
    const change = { before: now, now: now + HOUR_MS, movesPlaysAfter: 0, isJump: false, isTrusted: true };
    const beforeMove = decider.correctionsOf('flight');
    const preparing = decider.prepareMove(change, 0);
    let prepared = preparing.next();
    while (!prepared.done) prepared = preparing.next();
    decider.clockChanged(change, 0, prepared.value);
    expect(decider.takeRecount(read, beforeMove)).toBe(false);
  });
});
