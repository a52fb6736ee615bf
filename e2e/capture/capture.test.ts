import { describe, expect, it } from 'vitest';
import {
  type Colour,
  createFrameClassifier,
  type FrameLabel,
  MIDDLE,
  MIDDLE_AND_CORNERS,
  WHOLE,
} from './classify-frame';
import { overrunsInFrames, readTransitions } from './transitions';

const SIZE = { width: 64, height: 36 };
const RED: Colour = [200, 30, 40];
const BLUE: Colour = [16, 48, 208];
const GREEN: Colour = [20, 160, 70];
const BLACK: Colour = [0, 0, 0];
const WINDOW_GREY: Colour = [246, 245, 244];
const creatives = { red: RED, blue: BLUE, green: GREEN };
const classify = createFrameClassifier({ creatives, marks: WHOLE }, SIZE);

/** A picture whose rows from `cut` on have the colour `below`. */
function picture(colour: Colour, below: Colour = colour, cut = SIZE.height): Uint8Array {
  const pixels = new Uint8Array(SIZE.width * SIZE.height * 3);
  for (let index = 0; index < SIZE.width * SIZE.height; index += 1) {
    pixels.set(Math.floor(index / SIZE.width) < cut ? colour : below, index * 3);
  }
  return pixels;
}

describe('a captured picture', () => {
  it.each<[string, Uint8Array, FrameLabel]>([
    ['a creative', picture(RED), { kind: 'creative', name: 'red' }],
    ['a creative, a little off by compression', picture([188, 44, 52]), { kind: 'creative', name: 'red' }],
    ['black', picture(BLACK), { kind: 'black' }],
    ["the toolkit's background", picture(WINDOW_GREY), { kind: 'white' }],
    ['something else', picture([120, 120, 120]), { kind: 'foreign', colour: [120, 120, 120] }],
    ['half old, half new', picture(RED, BLUE, 18), { kind: 'torn' }],
    ['one row of the old one left', picture(RED, BLUE, 1), { kind: 'torn' }],
    ['a black bar at its lower edge', picture(GREEN, BLACK, 35), { kind: 'torn' }],
    ['hardly anything of a creative', picture(BLACK, GREEN, 35), { kind: 'torn' }],
  ])('shows %s', (_what, pixels, label) => {
    expect(classify(pixels)).toEqual(label);
  });

  it('is judged by its middle and corners if creatives are busy', () => {
    const busy = picture(RED);
    for (let index = 0; index < SIZE.width; index += 1) busy.set([90, 200, 90], (SIZE.width * 8 + index) * 3);
    expect(classify(busy)).toEqual({ kind: 'torn' });
    const marked = createFrameClassifier({ creatives, marks: MIDDLE_AND_CORNERS }, SIZE);
    expect(marked(busy)).toEqual({ kind: 'creative', name: 'red' });
    expect(marked(picture(RED, BLUE, 18))).toEqual({ kind: 'torn' });
    expect(marked(picture(RED, BLACK, 33))).toEqual({ kind: 'torn' });
  });

  it('is a card by its middle, unless a part of another creative is visible', () => {
    const VIOLET: Colour = [130, 40, 170];
    const cards = { card: { colour: VIOLET, marks: MIDDLE } };
    const marked = createFrameClassifier({ creatives, marks: MIDDLE_AND_CORNERS, cards }, SIZE);
    const card = picture([40, 30, 60], VIOLET, 8);
    expect(marked(card)).toEqual({ kind: 'creative', name: 'card' });
    expect(marked(picture(RED, VIOLET, 8))).toMatchObject({ kind: 'torn' });
    expect(marked(picture(VIOLET, BLACK, 18)).kind).not.toBe('creative');
    expect(marked(picture(RED))).toEqual({ kind: 'creative', name: 'red' });
  });
});

/** A number of equal pictures, in a stream of 60 pictures a second. */
type Run = readonly [count: number, pixels: Uint8Array];
function stream(...runs: readonly Run[]) {
  return runs
    .flatMap(([count, pixels]) => Array.from({ length: count }, () => pixels))
    .map((pixels, index) => ({ at: (index * 1000) / 60, label: classify(pixels) }));
}
const read = (...runs: readonly Run[]) => readTransitions(stream(...runs), { shortestSlotMs: 2000 });

describe('a captured stream', () => {
  it('with clean transitions has no bad picture and no wrong slot length', () => {
    const report = read([60, picture(RED)], [120, picture(BLUE)], [120, picture(GREEN)], [90, picture(RED)]);
    expect(report).toMatchObject({ badFrames: 0, transitionsHit: 0, frames: 390 });
    expect(report.transitions.map(({ from, to }) => [from, to])).toEqual([
      ['red', 'blue'],
      ['blue', 'green'],
      ['green', 'red'],
    ]);
    expect(report.slots.map(({ name }) => name)).toEqual(['blue', 'green']);
    expect(overrunsInFrames(report.slots, () => 2000, 60)).toEqual([0, 0]);
  });

  it.each<[string, Uint8Array, number, object]>([
    ['a black one', picture(BLACK), 1, { black: 1 }],
    ['three white ones', picture(WINDOW_GREY), 3, { white: 3 }],
    ['a torn one', picture(RED, BLUE, 20), 1, { torn: 1 }],
    ['a foreign one', picture([90, 90, 90]), 2, { 'foreign 90,90,90': 2 }],
    ['a third creative', picture(GREEN), 2, { stale: 2 }],
  ])('reports %s in a transition', (_what, pixels, count, bad) => {
    const report = read([120, picture(RED)], [count, pixels], [120, picture(BLUE)]);
    expect(report).toMatchObject({ badFrames: count, transitionsHit: 1 });
    expect(report.transitions[0]?.bad).toEqual(bad);
  });

  it('reports the old creative if it appears again in the new one', () => {
    const report = read([120, picture(RED)], [4, picture(BLUE)], [2, picture(RED)], [116, picture(BLUE)]);
    expect(report.badFrames).toBe(6);
    expect(report.transitionsHit).toBe(1);
  });

  it('with black inside a slot counts it and keeps the slot whole', () => {
    const report = read(
      [60, picture(RED)],
      [70, picture(BLUE)],
      [2, picture(BLACK)],
      [78, picture(BLUE)],
      [90, picture(RED)],
    );
    expect(report).toMatchObject({ badFrames: 2, transitionsHit: 1 });
    expect(report.slots).toHaveLength(1);
    expect(overrunsInFrames(report.slots, () => 2000, 60)).toEqual([30]);
  });

  it('reports for each slot how long no picture was captured at its start and end', () => {
    const runs = [
      [60, picture(RED)],
      [120, picture(BLUE)],
      [120, picture(GREEN)],
      [120, picture(RED)],
      [90, picture(BLUE)],
    ] as const;
    // The last five pictures of green are missing, and three in the middle of blue.
    const frames = stream(...runs).filter(
      (_, index) => !(index >= 295 && index < 300) && !(index >= 100 && index < 103),
    );
    const { slots } = readTransitions(frames, { shortestSlotMs: 2000 });
    expect(slots.map(({ name, unseenMs }) => [name, Math.round((unseenMs * 60) / 1000)])).toEqual([
      ['blue', 1],
      ['green', 6],
      ['red', 6],
    ]);
  });

  it('reports how long no picture was captured', () => {
    const frames = stream([120, picture(RED)], [120, picture(BLUE)]).filter((_, index) => index % 50 !== 3);
    expect(readTransitions(frames, { shortestSlotMs: 2000 }).longestGapMs).toBeCloseTo(2000 / 60);
  });
});
