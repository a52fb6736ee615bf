import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../shared/clock';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { lostCounts, uncountedPlays } from './missing-counts';

/** The counters of flight f with plays in these hours; the id of the flight may be another. */
const counted = (hours: readonly number[], flightId = 'f') =>
  hours.reduce((counters, hour) => countPlay(counters, hour * HOUR_MS), noPlays(flightId));
const books = (playCount: number, ...flights: ReturnType<typeof counted>[]) => ({
  playCount,
  flights,
  recency: [],
  sourceMix: null,
});
type Books = ReturnType<typeof books>;

describe('stored books, compared with the snapshot', () => {
  it.each<[string, Books, Books, { plays: number; flights: number[] } | null]>([
    ['have all of it', books(2, counted([1, 2])), books(2, counted([1, 2])), null],
    ['are those of a kiosk that never played', books(0), books(0), null],
    ['have more', books(3, counted([1, 2, 3])), books(2, counted([1, 2])), null],
    ['have one void play', books(2, counted([1])), books(2, counted([1, 2])), null],
    ['lack a play', books(1, counted([1])), books(2, counted([1, 2])), { plays: 1, flights: [2] }],
    ['lack two counts', books(2, counted([])), books(2, counted([1, 2])), { plays: 0, flights: [2] }],
    [
      'lack counts of one flight of two',
      books(3, counted([]), counted([1], 'g')),
      books(3, counted([1, 2]), counted([1], 'g')),
      { plays: 0, flights: [2] },
    ],
    ['lack rows, but no counts', books(1, counted([1, 2])), books(2, counted([1, 2])), null],
    ['lack all plays, of no flight', books(0), books(1), { plays: 1, flights: [] }],
    ['lack a flight without plays', books(1), books(1, counted([])), { plays: 0, flights: [] }],
  ])('%s', (_case, stored, kept, lost) => {
    const nothing = { playlist: null, lastPlayAt: null, unsettled: 0 };
    const snapshot = { ...kept, version: 1 as const, environment: 'e', at: 0 };
    const found = lostCounts({ ...stored, ...nothing }, snapshot, [], false);
    expect(found && { ...found, flights: found.flights.map(({ total }) => total) }).toEqual(lost);
  });

  it('lack what the journal has, if the database went back', () => {
    const nothing = { playlist: null, lastPlayAt: null, unsettled: 0 };
    const snapshot = { ...books(1, counted([1])), version: 1 as const, environment: 'e', at: 0 };
    const journal = ['f', 'g', null].map((flightId) => ({ id: `${flightId}`, flightId, at: 2 * HOUR_MS }));
    const stored = { ...books(1, counted([1])), ...nothing };
    expect(lostCounts(stored, snapshot, journal, false)).toBeNull();
    expect(lostCounts(stored, snapshot, journal, true)).toEqual({
      plays: 3,
      flights: [counted([1, 2]), counted([2], 'g')],
    });
    expect(lostCounts({ ...books(2, counted([])), ...nothing }, snapshot, [], true)?.flights).toHaveLength(1);
  });
});

describe('stored plays that counters lack', () => {
  it.each<[string, ReturnType<typeof counted> | null, number[], number | null, number[]]>([
    ['none', counted([1.5, 2]), [1.5, 2], null, []],
    ['all of a flight without counters', null, [0, 2], null, [2, 0]],
    ['those of an hour without enough counts', counted([1, 2]), [1, 2, 2], null, [2]],
    ['the same in another order', counted([1]), [2, 1], null, [2]],
    ['none that is counted in a later hour', counted([3]), [1], null, []],
    ['one whose flight has only earlier counts', counted([1]), [2], null, [2]],
    ['none of the hour that was read in part', null, [1.6, 2], 1.5, [2]],
    [
      'none of an hour that the counters dropped',
      { ...counted([]), hoursDroppedTo: 2 },
      [1, 2, 3],
      null,
      [3],
    ],
  ])('are %s', (_case, counters, plays, readFrom, lacking) => {
    const flights = new Map(counters && [['f', counters]]);
    const newest = plays.map((hour) => ({ flightId: 'f', at: hour * HOUR_MS }));
    const found = uncountedPlays(newest, readFrom && readFrom * HOUR_MS, flights);
    expect(found).toEqual(lacking.map((hour) => ({ flightId: 'f', at: hour * HOUR_MS })));
  });
});
