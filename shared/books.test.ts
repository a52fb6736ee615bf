import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FlightCounters } from './books';

/** The same contract with a schema for each item: slow and obvious. */
const ItemByItem = FlightCounters.extend({
  recent: z.array(z.number()),
  hours: z.array(z.int()),
  hourPlays: z.array(z.int().min(1)),
});

const list = () =>
  fc.oneof(
    fc.array(fc.integer({ min: 1 })),
    fc.array(fc.oneof(fc.integer(), fc.double(), fc.constantFrom('1', null, undefined, 2 ** 60, {}))),
    fc.constantFrom(null, undefined, {}, 'list', 7),
  );

describe('the counters of a flight', () => {
  test('are accepted and refused like each item alone', () => {
    fc.assert(
      fc.property(list(), list(), list(), (recent, hours, hourPlays) => {
        const counters = {
          flightId: 'flight',
          total: 3,
          recent,
          recentDroppedTo: null,
          hours,
          hourPlays,
          hoursDroppedTo: null,
        };
        const expected = ItemByItem.safeParse(counters);
        const found = FlightCounters.safeParse(counters);
        expect(found.success).toBe(expected.success);
        if (found.success) expect(found.data).toEqual(expected.data);
      }),
      { numRuns: 2_000 },
    );
  });

  test('name the wrong list, and what was expected', () => {
    const wrong = FlightCounters.safeParse({
      flightId: 'flight',
      total: 1,
      recent: [1],
      recentDroppedTo: null,
      hours: [1.5],
      hourPlays: [1],
      hoursDroppedTo: null,
    });
    expect(wrong.error?.issues).toMatchObject([
      { path: ['hours'], message: 'expected a list of whole hours' },
    ]);
  });
});
