import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNSEEN } from '../../shared/play';
import { recordsCommandsOn } from './commands';
import { openDatabase, type RecordsDatabase } from './database';
import { examplePlay } from './testing/example-play';

let database: RecordsDatabase;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`at-once-${number}`);
});
afterEach(() => database.delete());

const START = Date.UTC(2026, 10, 20, 9, 30);
const playNumbered = (id: number) =>
  examplePlay({
    id: `play-${id}`,
    environment: id % 3 === 0 ? 'other' : 'store',
    at: START + id,
    flightId: null,
    ...UNSEEN,
  });

const credits = (credit: number) => ({ credits: [{ sourceId: 'cms', credit }] });
const givenBack = { ...UNSEEN, outcome: 'given-back', endReason: 'not-shown' } as const;

const id = fc.integer({ min: 0, max: 11 });
const step = fc.record({
  // Ids repeat, so some reservations are rejected.
  ask: fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve' as const), id, mix: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('give-back' as const), id, mix: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('prune' as const), keep: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('open' as const) }) },
  ),
  /** Whether its answer is awaited before the next request. */
  waits: fc.boolean(),
});

describe('reservations', () => {
  it('count plays and store the source mix, whatever else is stored meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const commands = recordsCommandsOn(database);
        const mixes = new Map<string, ReturnType<typeof credits>>();
        const underWay: Array<Promise<unknown>> = [];
        let credit = 0;
        for (const { ask, waits } of steps) {
          credit += 1;
          const run = () => {
            if (ask.kind === 'open') return commands.openBooks({ environment: 'store', stillOpen: [] });
            if (ask.kind === 'prune')
              return commands.prunePlays({ before: START + 100, keep: ask.keep, limit: 3 });
            const play = playNumbered(ask.id);
            const sourceMix = ask.mix ? credits(credit) : null;
            const books = { flight: null, recency: null, sourceMix };
            // Writers run in turn, so the last mix whose writer was not rejected is stored.
            const note = (isStored: boolean) => {
              if (sourceMix && isStored) mixes.set(play.environment, sourceMix);
            };
            return ask.kind === 'reserve'
              ? commands.reservePlay({ play, ...books }).then(
                  () => note(true),
                  () => {},
                )
              : commands.settlePlay({ id: play.id, settlement: givenBack, ...books }).then(
                  (settled) => note(settled !== null),
                  () => {},
                );
          };
          const answer = run();
          if (waits) await answer;
          else underWay.push(answer);
        }
        await Promise.all(underWay);
        const stored = await database.plays.toArray();
        for (const environment of ['store', 'other']) {
          const books = await commands.openBooks({ environment, stillOpen: [] });
          expect(books.playCount).toBe(stored.filter((play) => play.environment === environment).length);
          expect(books.sourceMix).toEqual(mixes.get(environment) ?? null);
        }
        await Promise.all(database.tables.map((table) => table.clear()));
      }),
      { numRuns: 200 },
    );
  });
});
