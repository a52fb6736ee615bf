import { describe, expect, it } from 'vitest';
import { lineOf, type Outcome } from './run-faults';

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
