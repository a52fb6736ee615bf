import { beforeEach, expect, it } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import type { StageCreative, StageEvent } from '../../shared/stage';
import { Stage } from './stage';
import type { EachLayer } from './stage-state';
import { PretendFrames } from './testing/pretend-frames';
import { PretendLayer } from './testing/pretend-layer';

// Rule 17: when a banner is loaded, when it gives way, and which slot it gets later.

const FRAME_MS = 1000 / 60;
const image: StageCreative = {
  kind: 'image',
  url: 'media://cache/a',
  durationMs: 8_000,
  volume: 0,
  marks: [],
};
const cardWith = (url: string): StageCreative => ({
  kind: 'card',
  content: {} as NativeCardContent,
  language: 'en',
  video: null,
  banner: { url, partition: 'guest-1', leadMs: 2_500 },
  durationMs: 5_000,
  volume: 0,
  marks: [],
});
const banner = cardWith('http://b.localhost/');

let layers: EachLayer<PretendLayer>;
let events: StageEvent[];
let now: number;
let frames: PretendFrames;
let stage: Stage;
/** Makes the banner paint. */
let paint: () => void;

beforeEach(() => {
  layers = [new PretendLayer(), new PretendLayer(), new PretendLayer()];
  events = [];
  now = 1_000;
  frames = new PretendFrames(() => now);
  const emit = (event: StageEvent) => void events.push(event);
  stage = new Stage(layers, Object.assign(frames, { show() {}, isSeen: () => true, emit }));
  const painted = new Promise<void>((done) => {
    paint = done;
  });
  for (const layer of layers) {
    const prepare = layer.prepare.bind(layer);
    layer.prepare = (creative) => {
      layer.until = creative.kind === 'card' ? painted : Promise.resolve();
      return prepare(creative);
    };
  }
});

async function pass(ms: number): Promise<void> {
  for (const until = now + ms; now < until; ) {
    now += FRAME_MS;
    frames.draw();
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  }
}
const prepare = (slot: number, creative: StageCreative) => stage.take({ type: 'prepare', slot, creative });
async function show(slot: number): Promise<void> {
  stage.take({ type: 'show', slot });
  while (!events.some((event) => event.type === 'presented' && event.slot === slot)) await pass(FRAME_MS);
}
/** An image plays for 8 s, and the banner is prepared to follow it. */
async function bannerFollows(): Promise<void> {
  prepare(1, image);
  await pass(FRAME_MS);
  await show(1);
  prepare(2, banner);
}
const holders = () => layers.filter(({ creative }) => creative?.kind === 'card');
const failed = () => events.filter((event) => event.type === 'failed');

it('the stage loads a banner 2.5 s before its slot, and not earlier', async () => {
  await bannerFollows();
  await pass(5_300);
  expect(holders()).toEqual([]);
  await pass(200);
  expect(holders().length).toBe(1);
  paint();
  await pass(FRAME_MS);
  expect(events.at(-1)).toMatchObject({ type: 'prepared', slot: 2, durationMs: 5_000 });
  await show(2);
});

it('the stage loads a banner at once that is requested shortly before its slot, or without a current slot', async () => {
  prepare(1, banner);
  expect(holders().length).toBe(1);
  paint();
  await pass(FRAME_MS);
  expect(events).toMatchObject([{ type: 'prepared', slot: 1 }]);
});

it('the stage gives the slot of a blank banner to the next ad, and shows the same banner once it has drawn', async () => {
  await bannerFollows();
  await pass(7_300);
  expect(failed()).toEqual([]);
  await pass(200);
  expect(failed()).toMatchObject([{ slot: 2, code: 'late' }]);
  const [holder] = holders();
  const generation = holder?.generation;
  prepare(3, image);
  await pass(FRAME_MS);
  await show(3);
  paint();
  await pass(1_000);
  prepare(4, banner);
  expect(events.at(-1)).toMatchObject({ type: 'prepared', slot: 4, durationMs: 5_000 });
  await show(4);
  // It was not loaded again.
  expect([holder?.place, holder?.generation]).toEqual(['front', generation]);
  prepare(5, image);
  await pass(FRAME_MS);
  await show(5);
  await pass(5 * FRAME_MS);
  expect(layers.map(({ creative }) => creative?.kind ?? 'none').sort()).toEqual(['image', 'none', 'none']);
});

it('the stage waits up to 1.9 s for a banner that is requested late, so that its slot starts later', async () => {
  prepare(1, image);
  await pass(FRAME_MS);
  await show(1);
  await pass(7_000);
  prepare(2, banner);
  await pass(1_800);
  expect(failed()).toEqual([]);
  await pass(200);
  expect(failed()).toMatchObject([{ slot: 2, code: 'late' }]);
});

it('the stage drops a banner that crashes before its slot, and the current creative stays', async () => {
  await bannerFollows();
  await pass(6_000);
  paint();
  await pass(1_500);
  const [holder] = holders();
  stage.take({ type: 'show', slot: 2 });
  Object.assign(holder ?? {}, { isBannerBroken: true });
  await pass(1_000);
  expect(failed()).toMatchObject([{ slot: 2, code: 'decode-failed' }]);
  expect(layers.find(({ place }) => place === 'front')?.creative).toEqual(image);
});

it('the stage keeps one late banner, and releases it for another or when it crashes', async () => {
  await bannerFollows();
  await pass(7_500);
  const [first] = holders();
  prepare(3, cardWith('http://c.localhost/'));
  await pass(2_500);
  expect(failed()).toMatchObject([{ slot: 2 }, { slot: 3, code: 'late' }]);
  const [second, ...others] = holders();
  expect([second === first, others]).toEqual([false, []]);
  Object.assign(second ?? {}, { isBannerBroken: true });
  prepare(4, image);
  await pass(FRAME_MS);
  await show(4);
  await pass(FRAME_MS);
  expect(holders()).toEqual([]);
});
