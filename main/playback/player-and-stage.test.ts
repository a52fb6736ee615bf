import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Stage } from '../../renderer/kiosk/stage';
import { PretendFrames } from '../../renderer/kiosk/testing/pretend-frames';
import { PretendLayer } from '../../renderer/kiosk/testing/pretend-layer';
import { silentLog } from '../../shared/log';
import type { Play, Settlement } from '../../shared/play';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { Records } from '../records/records-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createPlayer } from './player';
import { type SlotAd, UNCHANGED } from './slot-ad';
import { decisionWithoutSignals } from './testing/decision-without-signals';

const FRAME_MS = 1000 / 60;
/** How long an ad that failed is left out, ms. */
const ASIDE_MS = 3_000;
/** The stage's detail for a page of which no frame was drawn. */
const DIED_UNDRAWN = 'its process ended before its first frame';

/** Ads, named after their kind and error. */
const ADS = [
  'image',
  'video',
  'page',
  'image undecodable',
  'video that never moves',
  'video that stalls',
  'image whose file is gone',
] as const;
type AdName = (typeof ADS)[number];
const isSound = (name: AdName) => name === 'image' || name === 'video' || name === 'page';
const kindOf = (name: AdName) => (/^\w+/.exec(name)?.[0] ?? 'image') as 'image' | 'video' | 'page';

function creativeOf(name: AdName): StageCreative {
  const kind = kindOf(name);
  if (kind === 'page')
    return { kind, url: name, partition: 'guests', leadMs: 400, durationMs: 1_000, marks: [] };
  return { kind, url: name, durationMs: kind === 'image' ? 1_000 : null, volume: 0, marks: [] };
}

/** The real player and the real stage; the test decides how slow everything between and around them is. */
function kiosk() {
  // Small times, so that adding the length of a frame loses no precision; but not 0.
  const time = handTurnedTime(0);
  time.drift(1_000_000);
  const { now } = time.clock;
  let frames = new PretendFrames(now);
  let toStage: StageCommand[] = [];
  /** Whether the stage has carried out every command. */
  let hasHeardAll = true;
  let toPlayer: Exclude<StageEvent, { type: 'heartbeat' }>[] = [];
  let loads: Array<() => void> = [];
  const writes: Array<(stored: boolean) => void> = [];
  let list: readonly AdName[] = ADS;
  let blocked: readonly AdName[] = [];
  const heldBy = new Set<string>();
  let card = 'none';
  let layers: readonly (PretendLayer & { readonly raisedAt: number })[] = [];
  /** For each ad: how often it was reserved, given back, raised, and settled as unknown. */
  const counts = new Map<AdName, { reserved: number; back: number; raised: number; unknown: number }>();
  const settled = new Map<string, string>();
  const plays = new Map<string, AdName>();
  const struck: AdName[] = [];
  const tapped: AdName[] = [];
  const entered = new Map<AdName, number>();
  const asideUntil = new Map<AdName, number>();
  let deaths = 0;
  let entries = 0;
  let framesDrawn = 0;
  /** A page that died after it was raised, but before a frame of it was drawn: it may be given back. */
  let undrawn: AdName | null = null;

  const of = (name: AdName) => {
    const found = counts.get(name) ?? { reserved: 0, back: 0, raised: 0, unknown: 0 };
    counts.set(name, found);
    return found;
  };

  class SlowLayer extends PretendLayer {
    raisedAt = 0;
    override prepare(creative: StageCreative) {
      const name = creative.kind === 'card' ? 'image' : (creative.url as AdName);
      this.outcome =
        name === 'image undecodable' ? { code: 'decode-failed', detail: '' } : { durationMs: 1_000 };
      this.startTakesMs = name === 'video that never moves' ? Number.POSITIVE_INFINITY : 20;
      this.until = new Promise((resolve) => void loads.push(resolve));
      return super.prepare(creative);
    }
    override shown(): void {
      super.shown();
      const name = this.creative?.kind === 'card' ? 'image' : (this.creative?.url as AdName);
      const seen = of(name);
      // Rule 8: on the books before its first frame, and never given back after it.
      expect(seen.raised + seen.back, `${name} is raised without a reservation`).toBeLessThan(seen.reserved);
      seen.raised += 1;
      // Rules 14 and 30, once the stage has heard of it.
      if (hasHeardAll) expect([name, blocked.includes(name), [...heldBy]]).toEqual([name, false, []]);
      this.raisedAt = framesDrawn;
      if (name === 'video that stalls' && this.run) this.run.stuckSince = now();
    }
  }

  function openWindow(): Stage {
    const made = [new SlowLayer(), new SlowLayer(), new SlowLayer()] as const;
    layers = made;
    frames = new PretendFrames(now);
    loads = [];
    toStage = [];
    toPlayer = [{ type: 'ready' }];
    card = 'brand';
    const page = {
      show(shown: string) {
        card = shown;
      },
      isSeen: () => card === 'none',
      emit(event: StageEvent) {
        if (undrawn !== null && event.type === 'failed' && event.detail === DIED_UNDRAWN)
          of(undrawn).raised -= 1;
        undrawn = null;
        if (event.type !== 'heartbeat') toPlayer.push(event);
      },
    };
    return new Stage(made, Object.assign(frames, page));
  }

  class PretendAd implements SlotAd {
    readonly facts;
    readonly files: readonly string[] = [];
    readonly drawn = [];
    readonly guestErrors = [];
    constructor(readonly name: AdName) {
      const none = { flightId: null, campaignId: null, source: null, sourceId: null };
      this.facts = {
        adId: name,
        requestId: '',
        mediaUrl: name,
        ...none,
        delivery: 'offline' as const,
        durationMs: 1_000,
        frequencyCaps: [],
      };
    }
    mayPlay = () => list.includes(this.name) && !this.isBlocked();
    isBlocked = () => blocked.includes(this.name);
    isSame = (other: SlotAd) => other.facts.adId === this.name;
    creative = async () => (this.name === 'image whose file is gone' ? null : creativeOf(this.name));
    enter() {
      entries += 1;
      entered.set(this.name, entries);
      return { books: UNCHANGED, rollBack() {}, makeVoid: () => UNCHANGED };
    }
    happened(): void {}
    tapped(): void {
      tapped.push(this.name);
    }
    over(): void {}
    failed(): void {
      struck.push(this.name);
      asideUntil.set(this.name, now() + ASIDE_MS);
    }
  }

  const take = {
    reservePlay({ mediaUrl, id }: Play) {
      of(mediaUrl as AdName).reserved += 1;
      plays.set(id, mediaUrl as AdName);
    },
    settlePlay({ id, settlement }: { id: string; settlement: Settlement }) {
      const name = plays.get(id);
      expect(settled.has(id), `${name} is settled twice`).toBe(false);
      settled.set(id, settlement.outcome);
      if (!name) throw new Error('a play is settled that is not on the books');
      if (settlement.outcome === 'given-back') of(name).back += 1;
      if (settlement.outcome === 'unknown') of(name).unknown += 1;
      const { raised, back, reserved } = of(name);
      expect(raised + back, `${name} was seen, and given back`).toBeLessThanOrEqual(reserved);
    },
  };
  const records: Records = {
    run: (command, input) =>
      new Promise((resolve, reject) => {
        if (command === 'settlePlay') {
          take.settlePlay(input as never);
          resolve(null as never);
          return;
        }
        writes.push((stored) => {
          if (stored) take.reservePlay((input as { play: Play }).play);
          if (stored) resolve(null as never);
          else reject(new Error('the disk is full'));
        });
      }),
  };
  let ids = 0;
  const player = createPlayer({
    sendToStage(command) {
      hasHeardAll = false;
      toStage.push(command);
    },
    stageSilentMs: () => 0,
    ads: {
      choose() {
        const showable = list.filter(
          (name) => !blocked.includes(name) && (asideUntil.get(name) ?? 0) <= now(),
        );
        const [next] = [...showable].sort((a, b) => (entered.get(a) ?? 0) - (entered.get(b) ?? 0));
        return next === undefined ? null : new PretendAd(next);
      },
    },
    online: null,
    isOpen: () => true,
    books: records,
    beacons: { settled: async () => {} },
    clock: time.clock,
    schedule: time.schedule,
    newId: () => `play-${++ids}`,
    log: silentLog,
    environment: 'store',
    decision: decisionWithoutSignals,
    tell: () => {},
  });
  let stage = openWindow();

  /** Lets promises settle that wait only for other promises. */
  const settle = async () => {
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  };
  const self = {
    commands(): void {
      for (const command of toStage.splice(0)) stage.take(command as never);
      hasHeardAll = true;
    },
    events(): void {
      for (const event of toPlayer.splice(0)) player.onStageEvent(event);
    },
    loads(): void {
      for (const loaded of loads.splice(0)) loaded();
    },
    books(stored: boolean): void {
      for (const write of writes.splice(0)) write(stored);
    },
    async frames(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += FRAME_MS) {
        time.pass(FRAME_MS);
        frames.draw();
        framesDrawn += 1;
        // Rules 11 and 12: a creative, or the brand card; never nothing.
        const front = layers.find(({ place }) => place === 'front');
        const isCovered =
          card === 'brand' || (front !== undefined && front.creative !== null && !front.isLost);
        // Over a hundred thousand frames, `expect` would take longer than the tested code.
        if (!isCovered) expect.unreachable('nothing is shown');
        await settle();
      }
    },
    /** Lets everything run without delays. */
    async live(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += FRAME_MS) {
        self.commands();
        self.loads();
        await settle();
        self.events();
        self.books(true);
        await settle();
        await self.frames(FRAME_MS);
      }
    },
    hold(reason: string, holds: boolean): void {
      if (holds) heldBy.add(reason);
      else heldBy.delete(reason);
      player.hold(reason, holds);
    },
    block(names: readonly AdName[], atOnce: boolean): void {
      blocked = names;
      player.takeDown(atOnce);
    },
    list(names: readonly AdName[]): void {
      list = names;
      player.changed();
    },
    showBrandIfDark: () => stage.take({ type: 'light-up' }),
    pageDies(): void {
      for (const layer of layers) {
        if (layer.creative?.kind !== 'page') continue;
        // It is drawn by the second frame after it was raised.
        if (layer.place === 'front' && framesDrawn - layer.raisedAt <= 2) undrawn = 'page';
        layer.isLost = true;
      }
    },
    windowDies(): void {
      deaths += 1;
      stage = openWindow();
      player.onStageLost();
    },
    settle,
    counts: () => [...counts].map(([name, count]) => ({ name, ...count })),
    raised: () => [...counts.values()].reduce((sum, { raised }) => sum + raised, 0),
    struck: () => struck,
    /** A tap on what is in front; resolves with the ads that taps reached so far. */
    tap(): readonly AdName[] {
      stage.take({ type: 'tap', part: 'picture' });
      self.events();
      return tapped;
    },
    deaths: () => deaths,
    open: () => plays.size - settled.size,
  };
  return self;
}

type Kiosk = ReturnType<typeof kiosk>;
interface Happening {
  readonly what: string;
  toString(): string;
  run(kiosk: Kiosk): Promise<void> | void;
}
const happening = (what: string, run: Happening['run']): Happening => ({ what, run, toString: () => what });
const always = (what: string, run: Happening['run']) => fc.constant(happening(what, run));
const anything: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .integer({ min: 1, max: 1_200 })
      .map((ms) => happening(`${ms} ms as ever`, (on) => on.live(ms))),
  },
  {
    weight: 4,
    arbitrary: fc
      .integer({ min: 1, max: 600 })
      .map((ms) => happening(`${ms} ms of frames alone`, (on) => on.frames(ms))),
  },
  { weight: 3, arbitrary: always('commands arrive', (on) => on.commands()) },
  { weight: 3, arbitrary: always('events arrive', (on) => on.events()) },
  { weight: 3, arbitrary: always('what loads is loaded', (on) => on.loads()) },
  { weight: 3, arbitrary: always('the books store', (on) => on.books(true)) },
  { weight: 1, arbitrary: always('the books fail', (on) => on.books(false)) },
  {
    weight: 4,
    arbitrary: fc
      .record({ reason: fc.constantFrom('overlay', 'display'), holds: fc.boolean() })
      .map(({ reason, holds }) => happening(`${reason}: ${holds}`, (on) => on.hold(reason, holds))),
  },
  {
    weight: 2,
    arbitrary: fc
      .subarray([...ADS])
      .map((names) => happening(`list: ${names.join(', ')}`, (on) => on.list(names))),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ names: fc.subarray([...ADS]), atOnce: fc.boolean(), ms: fc.integer({ min: 0, max: 300 }) })
      .map(({ names, atOnce, ms }) =>
        happening(`blocked${atOnce ? ' at once' : ''}: ${names.join(', ')}, then ${ms} ms as ever`, (on) => {
          on.block(names, atOnce);
          return on.live(ms);
        }),
      ),
  },
  { weight: 1, arbitrary: always('a screen that is still dark lights up', (on) => on.showBrandIfDark()) },
  { weight: 1, arbitrary: always('pages die', (on) => on.pageDies()) },
);
const death = always('the window dies', (on) => on.windowDies());

async function happen(script: readonly Happening[]): Promise<Kiosk> {
  const on = kiosk();
  for (const { run } of script) {
    await run(on);
    await on.settle();
  }
  on.hold('overlay', false);
  on.hold('display', false);
  on.block([], false);
  on.list(ADS);
  // What is under way ends, and the loop goes on.
  await on.live(6_000);
  const before = on.raised();
  await on.live(6_000);
  expect(on.raised()).toBeGreaterThan(before);
  return on;
}

it('for any order of events between player and stage: a play that was seen is stored, one that was not is void, and only a file that cannot be shown gets a strike', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40, size: 'max' }), async (script) => {
      const on = await happen(script);
      on.list([]);
      await on.live(8_000);
      expect(on.open()).toBe(0);
      for (const { name, reserved, back, raised, unknown } of on.counts())
        expect([name, back + raised, unknown]).toEqual([name, reserved, 0]);
      const isToBlame = (name: AdName) => !isSound(name) || name === 'page';
      expect(on.struck().filter((name) => !isToBlame(name))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('a tap on the last frame of an ad reaches it, though its play is settled, and none reaches it once the brand card follows (rule 18)', async () => {
  const on = kiosk();
  on.list(['image']);
  await on.live(100);
  expect(on.tap()).toEqual(['image']);
  // Nothing more is loaded, so the last frame stays.
  for (let passed = 0; passed < 3_000; passed += FRAME_MS) {
    on.commands();
    on.events();
    on.books(true);
    await on.frames(FRAME_MS);
  }
  expect([on.raised() > 0, on.open()]).toEqual([true, 0]);
  expect(on.tap()).toEqual(['image', 'image']);
  on.list([]);
  await on.live(100);
  expect(on.tap()).toEqual(['image', 'image']);
});

it('if the window crashes as well, a play that may have been seen stays counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 8, arbitrary: anything }, death), { maxLength: 40, size: 'max' }),
      async (script) => {
        const on = await happen(script);
        on.list([]);
        await on.live(8_000);
        expect(on.open()).toBe(0);
        for (const { name, reserved, back, raised, unknown } of on.counts()) {
          expect([name, back + raised <= reserved]).toEqual([name, true]);
          expect([name, reserved - back - raised <= unknown]).toEqual([name, true]);
        }
      },
    ),
    { numRuns: 100 },
  );
});
