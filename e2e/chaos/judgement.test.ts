import { describe, expect, it } from 'vitest';
import { type Evidence, type KioskPlay, violationsOf } from './judgement';

const at = '2026-11-20T09:30:00.000Z';
const play = (id: string, outcome = 'completed'): KioskPlay => ({
  id,
  at,
  outcome,
  flightId: 'flight',
  shownAt: outcome === 'given-back' ? null : at,
});
const row = (id: string, lastOutcome = 'completed') => ({ kiosk: 'k', id, lastOutcome, lastAt: at });

const RIGHT: Evidence = {
  books: new Map([['k', [play('a'), play('b', 'given-back'), play('c', 'unknown')]]]),
  newest: [row('a'), row('b', 'given-back'), row('c', 'unknown')],
  billing: [{ flight: 'flight', plays: 2, shown: '2', completed: 1, voided: 1 }],
  completeness: [{ kiosk: 'k', missing: '0', firstSeq: '1' }],
  overDeliveries: [],
  verified: { code: 0, lines: ['1 kiosks …'], errors: '' },
  rowsByReplica: [
    [4, 4],
    [0, 0],
  ],
};

const WRONG: ReadonlyArray<readonly [what: string, change: Partial<Evidence>, words: RegExp]> = [
  ['nothing at all', { books: new Map(), newest: [], billing: [] }, /nothing is proved/],
  ['a play that did not arrive', { newest: RIGHT.newest.slice(1) }, /play k a .* is not in the table/],
  ['a play of nobody', { newest: [...RIGHT.newest, row('d')] }, /play k d is in no kiosk's books/],
  [
    'another outcome',
    { newest: [row('a', 'failed'), ...RIGHT.newest.slice(1)] },
    /is completed at .* failed at/,
  ],
  [
    'a play billed twice',
    { billing: [{ flight: 'flight', plays: 3, shown: 2, completed: 1, voided: 1 }] },
    /flight: 3 plays billed, 2 in the books/,
  ],
  ['a flight that is not billed', { billing: [] }, /flight: 0 plays billed/],
  ['a missing number', { completeness: [{ kiosk: 'k', missing: 1, firstSeq: 1 }] }, /not complete/],
  ['a missing beginning', { completeness: [{ kiosk: 'k', missing: 0, firstSeq: 2 }] }, /not complete/],
  ['a cap that was exceeded', { overDeliveries: [{ playId: 'a' }] }, /over its cap/],
  ['a broken chain', { verified: { code: 1, lines: ['ERROR chain-broken'], errors: '' } }, /chain-broken/],
  ['a replica that lacks rows', { rowsByReplica: [[4, 3]] }, /replicas of shard 0 hold 4 and 3 rows/],
];

describe('the judgement of a chaos run', () => {
  it('finds no violation in a correct run', () => expect(violationsOf(RIGHT)).toEqual([]));

  it.each(WRONG)('finds %s', (_what, change, words) => {
    expect(violationsOf({ ...RIGHT, ...change }).join('\n')).toMatch(words);
  });
});
