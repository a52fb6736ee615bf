import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Play, UNSEEN } from '../../shared/play';
import { recordsCommandsOn } from './commands';
import { openDatabase } from './database';

const START = Date.UTC(2026, 10, 20, 9, 30);
let number = 0;

function playNumbered(id: number): Play {
  return {
    id: `play-${id}`,
    environment: id % 3 === 0 ? 'other' : 'store',
    at: START + id,
    adId: 'ad',
    requestId: 'request',
    flightId: null,
    campaignId: null,
    source: null,
    sourceId: null,
    mediaUrl: 'http://127.0.0.1/one.mp4',
    delivery: 'offline',
    durationMs: 8000,
    ...UNSEEN,
  };
}

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

describe('an environment whose row is known from the last reservation', () => {
  it('counts plays and stores the source mix as if every reservation had read it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        number += 1;
        const database = openDatabase(`known-environments-${number}`);
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
        await database.delete();
      }),
      { numRuns: 200 },
    );
  });

  it('stays known while plays settle, and is unknown once another command wrote its row', async () => {
    number += 1;
    const database = openDatabase(`known-environments-${number}`);
    const commands = recordsCommandsOn(database);
    const books = { flight: null, recency: null, sourceMix: null };
    const isKnown = () => {
      const taken = database.knownEnvironments.take('store');
      if (taken.row) database.knownEnvironments.keep(taken.row, taken);
      return taken.row !== null;
    };
    await commands.reservePlay({ play: playNumbered(1), ...books });
    expect(isKnown()).toBe(true);
    await commands.settlePlay({ id: 'play-1', settlement: givenBack, ...books });
    expect(isKnown()).toBe(true);
    await commands.reservePlay({ play: playNumbered(2), ...books });
    await commands.settlePlay({ id: 'play-2', settlement: givenBack, ...books, sourceMix: credits(1) });
    expect(isKnown()).toBe(false);
    await commands.reservePlay({ play: playNumbered(4), ...books });
    expect(isKnown()).toBe(true);
    await commands.prunePlays({ before: START + 100, keep: 1, limit: 3 });
    expect(isKnown()).toBe(false);
    await database.delete();
  });
});
