import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../json-values';
import { remoteWorld } from './testing/remote-world';

/** With either of these the kiosk shows no ad: a value that needs a restart, and a source in a live setting. */
const BAD_SECONDS = 13;
const BAD_SOURCE = 'bad';

const DOCUMENTS: Readonly<Record<string, Json | null>> = {
  none: null,
  live: { ads: { sourceWeights: { a: 1 } } },
  otherLive: { ads: { sourceWeights: { b: 2 } } },
  restart: { ads: { refreshSeconds: 77 }, ui: { language: 'de' } },
  both: { ads: { refreshSeconds: 77, sourceWeights: { c: 1 } } },
  broken: { ads: { refreshSeconds: BAD_SECONDS } },
  brokenLive: { ads: { sourceWeights: { [BAD_SOURCE]: 1 } } },
  wrongValue: { ads: { refreshSeconds: 0 } },
  closed: { fleet: { commandKeys: [] } },
  halfClosed: { ads: { refreshSeconds: 77 }, admin: { pinHash: null } },
  unknown: { adds: {} },
};
const BROKEN = new Set(['broken', 'brokenLive']);
const REFUSED = new Set(['wrongValue', 'closed', 'halfClosed', 'unknown']);
/** These need a restart; no two of them differ in live settings alone. */
const RESTARTING = new Set(['restart', 'both', 'broken']);

const names = Object.keys(DOCUMENTS);
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      name: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...names.filter((name) => !REFUSED.has(name))) },
        { weight: 1, arbitrary: fc.constantFrom(...REFUSED) },
      ),
      /** Seconds after the newest `iat` so far. */
      later: fc.constantFrom(1, 1, 1, 1, 0, -1),
      /** The next step comes before a restart that it requests. */
      isFirstOfTwo: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('slot' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('minute' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
);

/** Oracle: what is proven, what is on trial, the newest `iat`, and what the screen shows. */
function oracle() {
  const outcomes = new Map<string, boolean>();
  let proven = 'none';
  let newest = 0;
  let trial: { name: string; jti: string; needsAd: boolean; sawSlot: boolean } | null = null;
  let shows: 'ad' | 'card' = 'ad';
  /** What the run uses, which ends if `isRestarting`. */
  let inUse = 'none';
  let isRestarting = false;
  const inForce = () => trial?.name ?? proven;
  function draw(): void {
    shows = BROKEN.has(inForce()) ? 'card' : 'ad';
    if (trial) trial.sawSlot = true;
    if (trial && (shows === 'ad' || !trial.needsAd)) end(true);
  }
  /** A run begins. */
  function begin(): void {
    isRestarting = false;
    inUse = inForce();
    draw();
  }
  function end(isKept: boolean): void {
    if (trial === null) return;
    if (isKept) proven = trial.name;
    outcomes.set(trial.jti, isKept);
    trial = null;
  }
  return {
    outcomes,
    inForce,
    slot: draw,
    follow() {
      if (isRestarting) begin();
    },
    send(name: string, iat: number, jti: string) {
      if (iat < newest || REFUSED.has(name)) {
        outcomes.set(jti, false);
        return;
      }
      newest = iat;
      if (trial === null && name === inUse) {
        outcomes.set(jti, true);
        return;
      }
      const needsAd = shows === 'ad' || (trial?.needsAd ?? false);
      end(false);
      trial = { name, jti, needsAd, sawSlot: false };
      if (name !== inUse && [name, inUse].some((one) => RESTARTING.has(one))) isRestarting = true;
      if (!isRestarting) inUse = name;
    },
    minute() {
      // The slot from before the change may still be on the screen.
      if (trial === null || (trial.needsAd && !trial.sawSlot)) return;
      const isKept = !trial.needsAd;
      end(isKept);
      // The player has restarted.
      if (!isKept) begin();
    },
    kill() {
      end(false);
      begin();
    },
  };
}

test('for any order of documents, slots, minutes and kills, settings, replies and reports equal the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 20, size: 'max' }), async (steps) => {
      const world = remoteWorld(
        ({ refreshSeconds, sourceWeights }) => refreshSeconds === BAD_SECONDS || BAD_SOURCE in sourceWeights,
      );
      try {
        await world.restart();
        const plain = oracle();
        let newest = 10;
        for (const [index, step] of steps.entries()) {
          const jti = `jti-${index}`;
          if (step.kind === 'send') {
            const iat = newest + step.later;
            newest = Math.max(newest, iat);
            await world.sendBeforeRestart(DOCUMENTS[step.name] ?? null, iat, jti);
            plain.send(step.name, iat, jti);
            if (step.isFirstOfTwo && steps[index + 1]?.kind === 'send') continue;
            plain.follow();
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
          expect(world.told()).toEqual(world.standing());
          for (const [sent, isKept] of plain.outcomes) {
            expect([sent, world.replies.get(sent) === 'done']).toEqual([sent, isKept]);
          }
        }
        expect(new Set(world.recorded).size).toBe(world.recorded.length);
      } finally {
        world.dispose();
      }
    }),
    { numRuns: 150 },
  );
});
