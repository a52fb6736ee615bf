import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../json-values';
import { remoteWorld } from './testing/remote-world';

/** With this the kiosk shows no ad. */
const BROKEN = 13;

const DOCUMENTS: Readonly<Record<string, Json | null>> = {
  none: null,
  live: { ads: { sourceWeights: { a: 1 } } },
  otherLive: { ads: { sourceWeights: { b: 2 } } },
  restart: { ads: { refreshSeconds: 77 }, ui: { language: 'de' } },
  both: { ads: { refreshSeconds: 77, sourceWeights: { c: 1 } } },
  broken: { ads: { refreshSeconds: BROKEN } },
  wrongValue: { ads: { refreshSeconds: 0 } },
  closed: { fleet: { commandKeys: [] } },
  halfClosed: { ads: { refreshSeconds: 77 }, admin: { pinHash: null } },
  unknown: { adds: {} },
};
const REFUSED = new Set(['wrongValue', 'closed', 'halfClosed', 'unknown']);
/** Not taken over while the kiosk plays: no two of these differ in live settings alone. */
const RESTARTING = new Set(['restart', 'both', 'broken']);

const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      name: fc.constantFrom(...Object.keys(DOCUMENTS)),
      iat: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('slot' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('minute' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
);

/** The plainest kiosk: what is proven, what is tried, and the newest that came. */
function oracle() {
  let proven = 'none';
  let tried: string | null = null;
  let newest = 0;
  let jtiTried = '';
  const outcomes = new Map<string, boolean>();
  const playsWith = (name: string) => name !== 'broken';
  const end = (isKept: boolean) => {
    if (tried === null) return;
    if (isKept) proven = tried;
    outcomes.set(jtiTried, isKept);
    tried = null;
  };
  return {
    outcomes,
    inForce: () => tried ?? proven,
    send(name: string, iat: number, jti: string) {
      const isRefused = iat < newest || tried !== null || REFUSED.has(name);
      if (isRefused) {
        outcomes.set(jti, false);
        return;
      }
      newest = iat;
      if (name === proven) {
        outcomes.set(jti, true);
        return;
      }
      const needsRestart = [name, proven].some((one) => RESTARTING.has(one));
      tried = name;
      jtiTried = jti;
      // A start shows the first slot at once; otherwise one from before is on the screen.
      if (needsRestart && playsWith(name)) end(true);
    },
    slot: () => {
      if (tried !== null && playsWith(tried)) end(true);
    },
    minute: () => {
      // Live settings wait for the slot of before to end; others failed.
      if (tried !== null && !playsWith(tried)) end(false);
    },
    kill: () => end(false),
  };
}

test('for any order of documents, slots, minutes and kills, what is in force and answered equals the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), async (steps) => {
      const world = remoteWorld(({ refreshSeconds }) => refreshSeconds === BROKEN);
      try {
        await world.restart();
        const plain = oracle();
        for (const [index, step] of steps.entries()) {
          const jti = `jti-${index}`;
          if (step.kind === 'send') {
            await world.send(DOCUMENTS[step.name] ?? null, step.iat, jti);
            plain.send(step.name, step.iat, jti);
          }
          if (step.kind === 'slot') {
            world.draw();
            await world.follow();
            plain.slot();
          }
          if (step.kind === 'minute') {
            await world.pass(60_000);
            plain.minute();
          }
          if (step.kind === 'kill') {
            await world.restart();
            plain.kill();
          }
          await world.follow();
          const { ads, ui } = (DOCUMENTS[plain.inForce()] ?? {}) as {
            ads?: { refreshSeconds?: number; sourceWeights?: object };
            ui?: { language?: string };
          };
          expect(world.inForce()).toEqual({
            refreshSeconds: ads?.refreshSeconds ?? 300,
            weights: ads?.sourceWeights ?? {},
            language: ui?.language ?? 'en',
          });
          for (const [sent, isKept] of plain.outcomes) {
            expect([sent, world.replies.get(sent) === 'done']).toEqual([sent, isKept]);
          }
        }
        expect(new Set(world.recorded).size).toBe(world.recorded.length);
      } finally {
        world.dispose();
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
