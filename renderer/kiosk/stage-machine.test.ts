import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import type { StageCreative, StageEvent } from '../../shared/stage';
import { stepStage } from './stage-machine';
import {
  DARK_STAGE,
  type LayerLook,
  type Place,
  type RunLook,
  type StageEffect,
  type StageInput,
  type StageLook,
} from './stage-state';

const FRAME_MS = 1000 / 60;
const VIDEO_MS = 1_000;
const COUNTS = { presentedFrames: 1, droppedFrames: 0, stalls: 0 };

/** A layer after the effects so far, as a page would show it. */
interface PretendedLayer {
  place: Place;
  loadedFor: number;
  creative: StageCreative | null;
  isLoaded: boolean;
  isLost: boolean;
  isBannerBroken: boolean;
  video: {
    positionMs: number;
    isBroken: boolean;
    isStuck: boolean;
    stillSince: number;
    startedAt: number;
  } | null;
}

type Kind = 'image' | 'video' | 'page' | `banner ${number}`;
const creativeOf = (kind: Kind): StageCreative => {
  if (kind === 'page')
    return { kind, url: 'guest://p/', partition: 'g', leadMs: 400, durationMs: 900, marks: [] };
  if (kind === 'image' || kind === 'video')
    return { kind, url: 'media://cache/a', durationMs: kind === 'image' ? 900 : null, volume: 0, marks: [] };
  const banner = { url: `http://${kind}.localhost/`, partition: 'g', leadMs: 400 };
  const content = {} as NativeCardContent;
  return {
    kind: 'card',
    content,
    language: 'en',
    video: null,
    banner,
    durationMs: 900,
    volume: 0,
    marks: [],
  };
};

/** The state machine in a page of plain values. Its laws are checked after every input. */
function page() {
  let now = 1_000;
  let state = DARK_STAGE;
  let card = 'none';
  let isLit = false;
  let isSeen = true;
  let lastSlot = 0;
  const empty = {
    loadedFor: 0,
    creative: null,
    isLoaded: false,
    isLost: false,
    isBannerBroken: false,
    video: null,
  };
  const layers: [PretendedLayer, PretendedLayer, PretendedLayer] = [
    { place: 'front', ...empty },
    { place: 'next', ...empty },
    { place: 'behind', ...empty },
  ];
  const told: StageEvent[] = [];
  /** Effects `await-drawn` that wait, with the frames that must pass: the frame after the next one answers. */
  let awaited: Array<{ readonly slot: number | null; frames: number }> = [];

  const lookOf = ({ isLost, isBannerBroken, video }: PretendedLayer): LayerLook => {
    const stillMs = video ? now - video.stillSince : 0;
    const run: RunLook | null = video && {
      startedAt: video.startedAt,
      startMs: video.positionMs > 0 ? FRAME_MS : null,
      hasEnded: video.positionMs >= VIDEO_MS,
      isBroken: video.isBroken,
      lacksSound: false,
      stallsAfter: video.positionMs < VIDEO_MS ? video.stillSince + 3_000 : Number.POSITIVE_INFINITY,
      positionMs: video.positionMs,
      stillMs,
      stoodStillMs: 0,
      counts: COUNTS,
    };
    return { isLost, isBannerBroken, run };
  };

  function perform(effect: StageEffect): void {
    switch (effect.do) {
      case 'tell':
        told.push(effect.event);
        return;
      case 'load':
        expect(layers[effect.layer].place, 'a creative is loaded into what shoppers see').not.toBe('front');
        Object.assign(layers[effect.layer], empty, { loadedFor: effect.slot, creative: effect.creative });
        return;
      case 'release':
        Object.assign(layers[effect.layer], empty);
        return;
      case 'start':
        expect(layers[effect.layer].isLoaded).toBe(true);
        layers[effect.layer].video = {
          positionMs: 0,
          isBroken: false,
          isStuck: false,
          stillSince: now,
          startedAt: now,
        };
        return;
      case 'shown':
        expect(layers[effect.layer].isLoaded, 'what is raised is ready').toBe(true);
        expect(layers[effect.layer].isBannerBroken, 'a banner that died before is raised').toBe(false);
        isLit = true;
        return;
      case 'place':
        layers[effect.layer].place = effect.place;
        return;
      case 'card':
        card = effect.card;
        isLit = true;
        return;
      case 'await-drawn':
        awaited.push({ slot: effect.slot, frames: 2 });
        return;
      case 'freeze':
        return;
    }
  }

  function give(input: StageInput): void {
    const [first, second, third] = layers;
    const step = stepStage(state, input, {
      now,
      layers: [lookOf(first), lookOf(second), lookOf(third)],
      isSeen,
    });
    // A step that mutates its input throws.
    for (const part of [step.state, step.state.front, step.state.coming]) Object.freeze(part);
    state = step.state;
    for (const effect of step.effects) perform(effect);
    look();
  }

  /** Checks the laws that hold at any moment. */
  function look(): void {
    const inFront = layers.filter(({ place }) => place === 'front');
    if (inFront.length !== 1) throw new Error('not one layer is in front');
    const isShown = inFront[0]?.isLoaded === true && !inFront[0].isLost;
    // The death of a process is noticed only at the next look.
    if (isLit && inFront[0]?.isLost !== true && !isShown && card !== 'brand') throw new Error('it is black');
  }

  const self = {
    told,
    give,
    prepare(kind: Kind): void {
      lastSlot += 1;
      give({ type: 'prepare', slot: lastSlot, creative: creativeOf(kind) });
    },
    show: (back: number) => give({ type: 'show', slot: Math.max(1, lastSlot - back) }),
    discard: (back: number) => give({ type: 'discard', slot: Math.max(1, lastSlot - back) }),
    load(works: boolean): void {
      for (const layer of layers) {
        if (layer.creative === null || layer.isLoaded) continue;
        layer.isLoaded = works;
        const outcome = works ? { durationMs: 900 } : ({ code: 'load-failed', detail: '' } as const);
        give({ type: 'loaded', loadedFor: layer.loadedFor, outcome });
      }
    },
    /** A late result of a load that no layer holds any more. */
    lateLoad: (slot: number) => {
      if (layers.some(({ loadedFor }) => loadedFor === slot)) return;
      give({ type: 'loaded', loadedFor: slot, outcome: { durationMs: 900 } });
    },
    frames(count: number): void {
      for (let frame = 0; frame < count; frame += 1) {
        now += FRAME_MS;
        for (const { video } of layers) {
          if (video === null || video.isStuck || video.positionMs >= VIDEO_MS) continue;
          video.positionMs += FRAME_MS;
          video.stillSince = now;
        }
        const due = awaited.filter((one) => --one.frames <= 0);
        awaited = awaited.filter(({ frames }) => frames > 0);
        for (const { slot } of due) give({ type: 'drawn', slot });
        give({ type: 'frame' });
        for (const { place, isLost } of layers)
          if (isLit && place === 'front' && isLost && card !== 'brand') throw new Error('a lost page shows');
      }
    },
    /** No frame is drawn for this long, while videos run on, ms. */
    stall(ms: number): void {
      now += ms;
      for (const { video } of layers) {
        if (video === null || video.isStuck || video.positionMs >= VIDEO_MS) continue;
        video.positionMs = Math.min(VIDEO_MS, video.positionMs + ms);
        video.stillSince = now;
      }
    },
    see(isSo: boolean): void {
      isSeen = isSo;
    },
    pagesDie(): void {
      for (const layer of layers) if (layer.creative?.kind === 'page') layer.isLost = true;
    },
    bannersDie(): void {
      for (const layer of layers) if (layer.creative?.kind === 'card') layer.isBannerBroken = true;
    },
    videos(change: 'isStuck' | 'isBroken'): void {
      for (const { video } of layers) if (video) video[change] = true;
    },
  };
  return self;
}

type Page = ReturnType<typeof page>;
type Happening = readonly [what: string, count: number];
const HAPPENINGS: Readonly<Record<string, (on: Page, count: number) => void>> = {
  'prepare an image': (on) => on.prepare('image'),
  'prepare a video': (on) => on.prepare('video'),
  'prepare a page': (on) => on.prepare('page'),
  'prepare a banner': (on, count) => on.prepare(`banner ${count % 2}`),
  show: (on) => on.show(0),
  'show an earlier one': (on, count) => on.show(count % 3),
  discard: (on, count) => on.discard(count % 2),
  brand: (on) => on.give({ type: 'brand' }),
  stop: (on) => on.give({ type: 'stop' }),
  'light up': (on) => on.give({ type: 'light-up' }),
  tap: (on) => on.give({ type: 'tap', part: 'picture' }),
  'it loads': (on) => on.load(true),
  'it does not load': (on) => on.load(false),
  'a late answer': (on, count) => on.lateLoad(count),
  'pages die': (on) => on.pagesDie(),
  'banners die': (on) => on.bannersDie(),
  'videos stick': (on) => on.videos('isStuck'),
  'videos break': (on) => on.videos('isBroken'),
  'the page stalls': (on, count) => on.stall(10 * count),
  'nobody sees it': (on) => on.see(false),
  'it is seen': (on) => on.see(true),
  /** Prepares and shows a slot as main does. */
  follow(on, count) {
    on.prepare((['image', 'video', 'page'] as const)[count % 3] ?? 'image');
    on.load(true);
    on.show(0);
  },
  /** A banner is loaded only near its slot. */
  'show a banner'(on, count) {
    on.prepare('banner 0');
    on.frames(count);
    on.load(true);
    on.show(0);
  },
  frames: (on, count) => on.frames(count),
};
const happening: fc.Arbitrary<Happening> = fc.tuple(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('frames', 'follow', 'show a banner') },
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(HAPPENINGS)) },
  ),
  fc.integer({ min: 1, max: 90 }),
);

/** A page after these events and a `stop`. */
function stopped(happenings: readonly Happening[]): Page {
  const on = page();
  for (const [what, count] of happenings) HAPPENINGS[what]?.(on, count);
  on.give({ type: 'stop' });
  on.frames(4);
  return on;
}

const slotsOf = (events: readonly StageEvent[], type: StageEvent['type']) =>
  events.flatMap((event) => (event.type === type && 'slot' in event ? [event.slot] : []));

/** Whether each slot's events come after its event `presented`: before it, main would ignore them. */
function presentedFirst(told: readonly StageEvent[]): boolean {
  const presented = new Set<number>();
  return told.every((event) => {
    if (event.type === 'presented') presented.add(event.slot);
    const needsFrame = ['progress', 'mark', 'viewed', 'ending', 'ended'].includes(event.type);
    return !needsFrame || ('slot' in event && presented.has(event.slot));
  });
}

it('the stage always has one layer in front and is never black once lit; it presents only prepared creatives, and ends each once', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60, size: 'max' }), (happenings) => {
      const { told } = stopped(happenings);
      const [presented, viewed] = [slotsOf(told, 'presented'), slotsOf(told, 'viewed')];
      expect(slotsOf(told, 'ended')).toEqual(presented);
      for (const slots of [presented, viewed]) expect(new Set(slots).size).toBe(slots.length);
      expect(slotsOf(told, 'prepared')).toEqual(expect.arrayContaining(presented));
      expect(presented).toEqual(expect.arrayContaining(viewed));
      expect(presentedFirst(told)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

/** Only `follow` gives the commands of a slot here, as main would; the others are what may happen meanwhile. */
const MEANWHILE = Object.keys(HAPPENINGS).filter((what) => !/^show|load/.test(what));

it('the stage answers each commitment once, with its first frame or the reason for none', () => {
  const meanwhile = happening.filter(([what]) => MEANWHILE.includes(what));
  fc.assert(
    fc.property(fc.array(meanwhile, { maxLength: 60, size: 'max' }), (happenings) => {
      // A slot whose banner is late was not committed.
      const told = stopped(happenings).told.filter((event) => !('code' in event) || event.code !== 'late');
      const answers = [...slotsOf(told, 'presented'), ...slotsOf(told, 'failed')];
      expect(answers.length).toBe(happenings.filter(([what]) => what === 'follow').length);
      expect(new Set(answers).size).toBe(answers.length);
    }),
    { numRuns: 400 },
  );
});

it('the stage keeps a layer until what covers it is drawn, even if its own first frame was late', () => {
  const released: number[] = [];
  const layer: LayerLook = { isLost: false, isBannerBroken: false, run: null };
  let state = DARK_STAGE;
  const give = (input: StageInput, now: number) => {
    const step = stepStage(state, input, { now, layers: [layer, layer, layer], isSeen: true });
    state = step.state;
    for (const effect of step.effects) if (effect.do === 'release') released.push(effect.layer);
  };
  const follow = (slot: number, now: number) => {
    give({ type: 'prepare', slot, creative: creativeOf('image') }, now);
    give({ type: 'loaded', loadedFor: slot, outcome: { durationMs: 900 } }, now);
    released.length = 0;
    give({ type: 'show', slot }, now);
  };
  follow(1, 1_000);
  const first = state.frontLayer;
  // No frame was drawn during the whole slot.
  follow(2, 3_000);
  give({ type: 'frame' }, 3_000);
  give({ type: 'drawn', slot: 1 }, 3_000);
  expect(state.front).toMatchObject({ is: 'playing', slot: 2 });
  expect(released).toEqual([]);
  give({ type: 'drawn', slot: 2 }, 3_034);
  expect(released).toEqual([first]);
});

it.each([
  ['its length', { durationMs: 900 }],
  ['an error', { code: 'load-failed', detail: '' }],
] as const)('the outcome of a discarded slot changes nothing: %s', (_what, outcome) => {
  const layer: LayerLook = { isLost: false, isBannerBroken: false, run: null };
  const look: StageLook = { now: 1_000, layers: [layer, layer, layer], isSeen: true };
  const creative = creativeOf('image');
  const inputs: readonly StageInput[] = [
    { type: 'prepare', slot: 1, creative },
    { type: 'discard', slot: 1 },
    { type: 'prepare', slot: 2, creative },
  ];
  const state = inputs.reduce((before, input) => stepStage(before, input, look).state, DARK_STAGE);
  const step = stepStage(state, { type: 'loaded', loadedFor: 1, outcome }, look);
  expect([step.state, step.effects]).toEqual([state, []]);
});
