import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { NativeAd } from '../../shared/native';
import type { SendResult } from '../beacons/delivery-policy';
import { answerInTurn, anyDisturbance, bring, type Disturbance } from '../beacons/testing/disturbance';
import { type Life, type OutboxWorld, outboxWorld } from '../beacons/testing/outbox-world';
import { anySendResult, mayHaveCounted } from '../beacons/testing/send-results';
import { EMPTY_CONTEXT } from '../decisions/audience';
import type { SlotAd } from '../playback/slot-ad';
import { createNativeAds } from './native-ads';
import { createNativeSupply } from './native-supply';
import { nativeAdForTest } from './testing/native-ad-for-test';

/** One thing that happens, to the screen, the process or the books. */
type Happening =
  /** A slot with a native ad: how long it is seen, and whether the stage reports that twice. */
  | { readonly do: 'slot'; readonly seen: 'not-shown' | 'briefly' | 'long' | 'twice' }
  /** Hidden during its slot, before or after it was seen for long. */
  | { readonly do: 'hide'; readonly after: boolean }
  | Disturbance;

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('slot' as const),
      seen: fc.constantFrom('not-shown' as const, 'briefly' as const, 'long' as const, 'twice' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hide' as const), after: fc.boolean() }) },
  ...anyDisturbance([0, 300, 10_000, 90_000, 31 * 60_000]),
);

/** Beacons of each ad: two URLs, one of them twice, and a script. */
const urlOf = (instance: string, what: string) => `http://${what}.example/${instance}`;
const beaconsOf = (instance: string): NativeAd['beacons'] => [
  { kind: 'impression-url', url: urlOf(instance, 'first') },
  { kind: 'impression-script', script: `script of ${instance}` },
  { kind: 'impression-url', url: urlOf(instance, 'second') },
  { kind: 'impression-url', url: urlOf(instance, 'first') },
  { kind: 'click', url: urlOf(instance, 'click') },
];
const POSITIONS = [0, 1, 2, 3];

/** A process that shows native ads: real supply, real slots, real outbox over real records commands. */
function kiosk(world: OutboxWorld, response: () => number) {
  const life: Life = world.live('ets');
  const supply = createNativeSupply({
    client: {
      // The service returns the same ads again and again, after a restart too: each answer has new instances.
      request: async () => {
        const number = response();
        const ads = [0, 1].map((index) => {
          const instance = `${number}-${index}`;
          return nativeAdForTest(instance, { beacons: beaconsOf(instance) });
        });
        return { kind: 'ads', ads, leftOut: 0, remarks: [], videoErrors: [], serverTime: null };
      },
    },
    context: () => EMPTY_CONTEXT,
    rules: { refreshMs: 60_000, sessionIdleMs: 60_000 },
    clock: world.time.clock,
    settled: async () => {},
    schedule: (ms, run) => world.time.schedule(ms, () => life.isAlive() && run()),
    random: () => 0,
    log: silentLog,
    tell() {},
    mayRequest: () => true,
    onHeld() {},
  });
  const ads = createNativeAds({
    supply,
    outbox: life.outbox,
    verified: async () => null,
    isQuarantined: () => false,
    isBlocked: () => false,
    isSettled: () => true,
    isOnDisk: () => false,
    unusableCode: () => undefined,
    banners: { open: () => Promise.reject(new Error('no banners here')), shown() {}, left() {}, close() {} },
    schedule: () => () => {},
    changed() {},
    kiosk: { screen: { width: 1920, height: 1080 }, userAgent: 'Kiosk/1', player: 'Endcap/test', params: {} },
    cardMs: 5_000,
    volume: () => 0,
    language: 'en',
    tapped() {},
    strike() {},
  });
  void life.outbox.open();
  supply.start();
  return { life, choose: () => ads.choose(world.time.clock.now()), end: supply.stop };
}

/** Instances that were shown, and those seen for long with their process. */
interface Seen {
  readonly long: Array<{ readonly instance: string; readonly life: Life }>;
  readonly shown: Set<string>;
}

async function play(world: OutboxWorld, script: readonly Happening[], results: readonly SendResult[]) {
  const servers = answerInTurn(world, results);
  const seen: Seen = { long: [], shown: new Set() };
  let responses = 0;
  let plays = 0;
  const start = () => kiosk(world, () => ++responses);
  let running = start();
  await world.advance(0);

  const present = (slot: SlotAd, long: boolean, times: number) => {
    const playId = `play-${++plays}`;
    const at = world.time.clock.now();
    slot.happened('shown', playId, at);
    seen.shown.add(slot.facts.adId);
    if (!long) return;
    // A confirmed ad is never shown again.
    expect(seen.long.map(({ instance }) => instance)).not.toContain(slot.facts.adId);
    seen.long.push({ instance: slot.facts.adId, life: running.life });
    for (let time = 0; time < times; time += 1) slot.happened('viewed', playId, at);
  };

  for (const step of script) {
    if (!running.life.isAlive()) {
      running.end();
      running = start();
      await world.advance(0);
    }
    switch (step.do) {
      case 'slot':
      case 'hide': {
        const slot = running.choose();
        if (!slot) break;
        const long = step.do === 'hide' ? step.after : step.seen === 'long' || step.seen === 'twice';
        const isShown = step.do === 'hide' || step.seen !== 'not-shown';
        if (isShown) present(slot, long, step.do === 'slot' && step.seen === 'twice' ? 2 : 1);
        if (step.do === 'slot') await world.advance(1_500);
        slot.over?.();
        break;
      }
      default: {
        const passing = bring(step, world, running.life);
        if (passing) await passing;
      }
    }
  }
  await world.advance(5_000);
  servers.acceptAll();
  const survivor = running.life.isAlive() ? running.life : null;
  running.life.die();
  running.end();
  await world.quiet();
  const last = world.live('ets');
  void last.outbox.open();
  await world.advance(31 * 60_000);
  return { ...seen, survivor };
}

describe('native ads and the outbox, for any order of events', () => {
  it('no impression beacon is sent twice, no script runs twice, and none is lost without a report', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 12, size: 'max' }),
        fc.array(anySendResult, { maxLength: 12, size: 'max' }),
        async (script, results) => {
          const world = outboxWorld();
          try {
            const seen = await play(world, script, results);
            const rows = await world.rows();
            const instances = new Set(rows.map(({ instance }) => instance ?? ''));
            const seenLong = seen.long.map(({ instance }) => instance);

            // Only ads seen for long are confirmed: with every position of their list, once.
            for (const instance of instances) {
              expect(seenLong).toContain(instance);
              const positions = rows
                .filter((row) => row.instance === instance)
                .map(({ position }) => position);
              expect(positions.sort()).toEqual(POSITIONS);
            }
            // And all of them are, unless the process died before the books stored it.
            for (const { instance, life } of seen.long) {
              if (life === seen.survivor) expect(instances).toContain(instance);
            }
            // Only recorded beacons are sent.
            for (const { url } of world.sent) expect(rows.map((row) => row.url)).toContain(url);
            const runs = world.ran.map((run) => run.script);
            expect(new Set(runs).size).toBe(runs.length);
            for (const run of runs) expect(instances).toContain(run.replace('script of ', ''));

            for (const instance of instances) {
              const sends = (what: string) =>
                world.sent.filter(({ url }) => url === urlOf(instance, what)).map(({ result }) => result);
              // The first URL is listed twice: two requests may count, one for each position.
              expect(sends('first').filter(mayHaveCounted).length).toBeLessThanOrEqual(2);
              expect(sends('second').filter(mayHaveCounted).length).toBeLessThanOrEqual(1);
              expect(sends('click')).toEqual([]);
            }
            // Each beacon is settled, and its play's record agrees.
            for (const { state } of rows) expect(['sent', 'unknown', 'refused', 'expired']).toContain(state);
            for (const row of await world.database.playBeacons.toArray()) {
              expect([row.sent + row.unknown + row.failed, row.pending]).toEqual([POSITIONS.length, 0]);
              expect(row.scripts?.map(({ position, result }) => [position, result === 'running'])).toEqual([
                [1, false],
              ]);
            }
          } finally {
            await world.end();
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
