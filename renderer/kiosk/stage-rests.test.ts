import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StageCreative, StageEvent } from '../../shared/stage';
import { Stage } from './stage';
import { PretendFrames } from './testing/pretend-frames';
import { PretendLayer } from './testing/pretend-layer';

const FRAME_MS = 1000 / 60;
/** Sums of times are not the same to the last digit. */
const A_FRAME_MS = FRAME_MS + 0.001;

/** Its rests are over at once: it looks at every frame. */
class RestlessFrames extends PretendFrames {
  override later(_ms: number, run: () => void): () => void {
    run();
    return () => {};
  }
}

/** A stage, and what it told and showed at which time. */
function staged(Frames: typeof PretendFrames, lateness = () => 0) {
  let now = 1_000;
  let card = 'none';
  let covered = false;
  let slot = 0;
  const layers = [new PretendLayer(), new PretendLayer(), new PretendLayer()] as const;
  const told: Array<{ readonly at: number; readonly event: StageEvent }> = [];
  const shown: Array<{ readonly at: number; readonly picture: string }> = [];
  const frames = new Frames(() => now);
  frames.lateness = lateness;
  const stage = new Stage(
    layers,
    {
      show: (kind) => {
        card = kind;
      },
      isCovered: () => covered || card !== 'none',
    },
    (event) => void told.push({ at: now, event }),
    frames,
  );
  const front = () => layers.find(({ place }) => place === 'front');
  return {
    told,
    shown,
    prepare(creative: StageCreative) {
      slot += 1;
      stage.obey({ type: 'prepare', slot, creative });
    },
    commit: () => stage.obey({ type: 'show', slot }),
    discard: () => stage.obey({ type: 'discard', slot }),
    brand: () => stage.obey({ type: 'brand' }),
    stop: () => stage.obey({ type: 'stop' }),
    cover(isSo: boolean) {
      covered = isSo;
    },
    hide(isSo: boolean) {
      frames.visible = !isSo;
    },
    videosTake(ms: number) {
      for (const layer of layers) layer.startTakesMs = ms;
    },
    tear: () => Object.assign(front() ?? {}, { isTorn: true }),
    stick: () => Object.assign(front()?.run ?? {}, { stuckSince: now }),
    pagesDie() {
      for (const layer of layers) if (layer.canBeLost) layer.isLost = true;
    },
    /** No frame is drawn for so long. */
    skip(ms: number) {
      now += ms;
    },
    async pass(ms: number) {
      const until = now + ms;
      while (now < until) {
        now += FRAME_MS;
        frames.draw();
        for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
        const picture = `${layers.map(({ place }) => place).join(' ')}, ${card}`;
        if (shown.at(-1)?.picture !== picture) shown.push({ at: now, picture });
      }
    },
  };
}

type Staged = ReturnType<typeof staged>;
interface Happening {
  toString(): string;
  run(on: Staged): Promise<void> | void;
}
const always = (what: string, run: Happening['run']) => fc.constant({ run, toString: () => what });
const lasting = (what: string, most: number, run: (on: Staged, ms: number) => Promise<void> | void) =>
  fc
    .integer({ min: 1, max: most })
    .map((ms): Happening => ({ run: (on) => run(on, ms), toString: () => `${ms} ms ${what}` }));

const marks = fc.array(
  fc.oneof(
    fc.record({ of: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 6_000 }) }),
    fc.record({ of: fc.constant('length' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  ),
  { maxLength: 3 },
);
const creative: fc.Arbitrary<StageCreative> = fc
  .record({
    kind: fc.constantFrom('image' as const, 'image' as const, 'video' as const, 'page' as const),
    durationMs: fc.integer({ min: 300, max: 6_000 }),
    marks,
  })
  .map(({ kind, durationMs, marks }) => {
    if (kind === 'page') return { kind, url: 'guest://p/', partition: 'g', durationMs, marks };
    const length = kind === 'image' ? durationMs : null;
    return { kind, url: 'media://cache/a', durationMs: length, volume: 0, marks };
  });
const prepared: fc.Arbitrary<Happening> = creative.map((next) => ({
  run: (on) => on.prepare(next),
  toString: () => `prepare: ${JSON.stringify(next)}`,
}));
const follows: fc.Arbitrary<Happening> = creative.map((next) => ({
  async run(on) {
    on.prepare(next);
    await on.pass(FRAME_MS);
    on.commit();
  },
  toString: () => `follows: ${JSON.stringify(next)}`,
}));
const happening = fc.oneof(
  { weight: 6, arbitrary: lasting('pass', 4_000, (on, ms) => on.pass(ms)) },
  { weight: 6, arbitrary: follows },
  { weight: 1, arbitrary: prepared },
  { weight: 1, arbitrary: always('commit', (on) => on.commit()) },
  { weight: 1, arbitrary: always('discard', (on) => on.discard()) },
  { weight: 1, arbitrary: always('brand', (on) => on.brand()) },
  { weight: 1, arbitrary: always('stop', (on) => on.stop()) },
  { weight: 1, arbitrary: always('covered', (on) => on.cover(true)) },
  { weight: 1, arbitrary: always('uncovered', (on) => on.cover(false)) },
  { weight: 1, arbitrary: always('hidden', (on) => on.hide(true)) },
  { weight: 1, arbitrary: always('visible', (on) => on.hide(false)) },
  { weight: 2, arbitrary: lasting('until videos move', 300, (on, ms) => on.videosTake(ms)) },
  { weight: 1, arbitrary: always('the banner dies', (on) => void on.tear()) },
  { weight: 1, arbitrary: always('the video stands still', (on) => void on.stick()) },
  { weight: 3, arbitrary: always('pages die', (on) => on.pagesDie()) },
);
const script = (each: fc.Arbitrary<Happening>) => fc.array(each, { maxLength: 30, size: 'max' });
const gap = lasting('without a frame', 1_000, (on, ms) => on.skip(ms));

async function played(on: Staged, happenings: readonly Happening[]): Promise<Staged> {
  for (const { run } of happenings) await run(on);
  await on.pass(8_000);
  return on;
}

/** An event but for the times in it: these are compared as such. */
function wordsOf({ event }: Staged['told'][number]): unknown {
  if (event.type === 'ending') return { ...event, remainingMs: null };
  if (event.type === 'ended') return { ...event, report: { ...event.report, viewedMs: null } };
  if (event.type === 'left') return { ...event, overrunMs: null };
  return event;
}
const PROMPT: readonly StageEvent['type'][] = ['prepared', 'presented', 'ended', 'failed'];

it('tells and shows at each frame what a stage that looks at every frame does', async () => {
  await fc.assert(
    fc.asyncProperty(script(fc.oneof({ weight: 9, arbitrary: happening }, gap)), async (happenings) => {
      const resting = await played(staged(PretendFrames), happenings);
      const restless = await played(staged(RestlessFrames), happenings);
      expect(resting.told.map(wordsOf)).toEqual(restless.told.map(wordsOf));
      expect(resting.shown).toEqual(restless.shown);
      for (const [index, { at, event }] of resting.told.entries()) {
        const lateMs = at - (restless.told[index]?.at ?? Number.NaN);
        expect([event.type, Math.abs(lateMs) <= A_FRAME_MS]).toEqual([event.type, true]);
      }
    }),
    { numRuns: 300 },
  );
}, 60_000);

it('shows at the same frames even if its timers are late, and what it tells of time played is late by no more', async () => {
  const LATE_MS = 200;
  await fc.assert(
    fc.asyncProperty(
      script(happening),
      fc.infiniteStream(fc.integer({ min: 0, max: LATE_MS })),
      async (happenings, late) => {
        const resting = await played(
          staged(PretendFrames, () => late.next().value),
          happenings,
        );
        const restless = await played(staged(RestlessFrames), happenings);
        expect(resting.shown).toEqual(restless.shown);
        const prompt = (on: Staged) => on.told.filter(({ event }) => PROMPT.includes(event.type));
        const ofTime = (on: Staged) => on.told.filter(({ event }) => !PROMPT.includes(event.type));
        expect(prompt(resting).map(wordsOf)).toEqual(prompt(restless).map(wordsOf));
        expect(prompt(resting).map(({ at }) => at)).toEqual(prompt(restless).map(({ at }) => at));
        // One that was due within so little before a stop is not told any more.
        for (const { at, event } of ofTime(resting)) {
          const same = ofTime(restless).find(
            (other) => JSON.stringify(wordsOf(other)) === JSON.stringify(wordsOf({ at, event })),
          );
          expect([event.type, at - (same?.at ?? Number.NaN) <= LATE_MS + A_FRAME_MS]).toEqual([
            event.type,
            true,
          ]);
        }
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
