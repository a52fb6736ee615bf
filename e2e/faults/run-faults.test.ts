import { describe, expect, it } from 'vitest';
import { lineOf, type Outcome, violations } from './run-faults';

const outcome: Outcome = {
  fault: { group: 'disk', name: 'a fault', happen: async () => {} },
  disturbance: { healedMs: 0, stayedMs: 0, blackMs: 0, cardMs: 0 },
  restarts: 0,
  lostPlays: 0,
  told: null,
};

describe('a line of the table of faults', () => {
  it('reports what was shown and lost, and for how long', () => {
    expect(lineOf(outcome)).toBe('| disk | a fault | nothing | nothing | at once | from inside |');
    const disturbance = { ...outcome.disturbance, healedMs: 1_457, blackMs: 1_400 };
    expect(lineOf({ ...outcome, disturbance, restarts: 1, lostPlays: 3 })).toBe(
      '| disk | a fault | black for 1.4 s | 3 plays | 1.5 s | started over |',
    );
  });

  it('reports the loss of a database in the numbers of the log', () => {
    expect(lineOf({ ...outcome, lostPlays: 54, told: '"lostPlays":54,"restoredFlights":2' })).toContain(
      '| rows of 54 plays; caps keep: 2 flights restored |',
    );
  });
});

describe('an outcome that is not allowed', () => {
  const black = (blackMs: number, restarts: number) => ({
    ...outcome,
    disturbance: { ...outcome.disturbance, blackMs },
    restarts,
  });
  const healed = (healedMs: number, healsWithinMs?: number) => ({
    ...outcome,
    fault: { ...outcome.fault, ...(healsWithinMs !== undefined && { healsWithinMs }) },
    disturbance: { ...outcome.disturbance, healedMs, stayedMs: 1_200 },
  });
  const lossTold = { ...outcome.fault, lossTold: /lost/ };
  it.each<[string, Outcome, readonly string[]]>([
    ['nothing', outcome, []],
    ['a play that is gone', { ...outcome, lostPlays: 2 }, ['a fault: 2 plays are lost']],
    ['a loss that the log reports', { ...outcome, fault: lossTold, lostPlays: 2, told: 'lost' }, []],
    [
      'a loss that the log does not report',
      { ...outcome, fault: lossTold, lostPlays: 2 },
      ['a fault: the log does not report the loss'],
    ],
    ['a black screen for a moment', black(3_000, 0), []],
    ['a black screen for long', black(3_001, 0), ['a fault: black for 3001 ms']],
    ['a black screen while it starts over', black(10_000, 1), []],
    ['healing in time', healed(2_000, 2_000), []],
    ['late healing', healed(2_001, 2_000), ['a fault: healed after 2001 ms (a picture stays 1.2 s longer)']],
    ['healing of a fault without a bound', healed(50_000), []],
    ['a black screen instead of a start', black(10_001, 1), ['a fault: black for 10001 ms']],
  ])('is told: %s', (_what, one, told) => {
    expect(violations([one])).toEqual(told);
  });
});
