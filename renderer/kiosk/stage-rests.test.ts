import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StageCreative, StageEvent } from '../../shared/stage';
import { Stage } from './stage';
import { PretendFrames } from './testing/pretend-frames';
import { PretendLayer } from './testing/pretend-layer';

const FRAME_MS = 1000 / 60;
/** A frame, plus a margin for rounding errors of sums. */
const A_FRAME_MS = FRAME_MS + 0.001;

/** Timers fire at once, so the stage looks at every frame. */
class RestlessFrames extends PretendFrames {
  override later(_ms: number, run: () => void): () => void {
    run();
    return () => {};
  }
}

/** A stage, and what it reported and showed at which time. */
function staged(Frames: typeof PretendFrames, lateness = () => 0) {
  let now = 1_000;
  let card = 'none';
  let covered = false;
  let slot = 0;
  const layers = [new PretendLayer(), new PretendLayer(), new PretendLayer()] as const;
  const told: Array<{ readonly at: number; readonly event: StageEvent }> = [];
  /** Times at which something interrupted a continuous view, but not the play. */
  const brokeOffAt: number[] = [];
  const shown: Array<{ readonly at: number; readonly picture: string }> = [];
  const frames = new Frames(() => now);
  frames.lateness = lateness;
  const page = {
    show(kind: string) {
      card = kind;
    },
    isSeen: () => frames.visible && !covered && card === 'none',
    emit: (event: StageEvent) => void told.push({ at: now, event }),
  };
  const stage = new Stage(layers, Object.assign(frames, page));
  const front = () => layers.find(({ place }) => place === 'front');
  return {
    told,
    shown,
    brokeOffAt,
    prepare(creative: StageCreative) {
      slot += 1;
      stage.take({ type: 'prepare', slot, creative });
    },
    commit: () => stage.take({ type: 'show', slot }),
    discard: () => stage.take({ type: 'discard', slot }),
    brand: () => stage.take({ type: 'brand' }),
    stop: () => stage.take({ type: 'stop' }),
    cover(isSo: boolean) {
      if (isSo && !covered) brokeOffAt.push(now);
      covered = isSo;
      stage.changed();
    },
    hide(isSo: boolean) {
      if (isSo && frames.visible) brokeOffAt.push(now);
      frames.visible = !isSo;
      stage.changed();
    },
    videosTake(ms: number) {
      for (const layer of layers) layer.startTakesMs = ms;
    },
    tear() {
      const layer = front();
      if (layer) layer.isBannerBroken = true;
    },
    stick() {
      const run = front()?.run;
      // A video that stands still already keeps its position.
      if (run) run.stuckSince ??= now;
    },
    pagesDie() {
      for (const layer of layers) if (layer.canBeLost) layer.isLost = true;
    },
    /** Draws no frame for this long. */
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
const passing = (ms: number): Happening => ({ run: (on) => on.pass(ms), toString: () => `${ms} ms pass` });
const videosTaking = (ms: number): Happening => ({
  run: (on) => on.videosTake(ms),
  toString: () => `${ms} ms until videos move`,
});
const standing: Happening = { run: (on) => on.stick(), toString: () => 'the video stands still' };

const marks = fc.array(
  fc.oneof(
    fc.record({ of: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 6_000 }) }),
    fc.record({ of: fc.constant('length' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  ),
  { maxLength: 3 },
);
/** @param leadsMs how long before their slots pages are loaded; none: as early as possible */
const creative = (leadsMs: readonly number[]): fc.Arbitrary<StageCreative> =>
  fc
    .record({
      kind: fc.constantFrom('image' as const, 'image' as const, 'video' as const, 'page' as const),
      durationMs: fc.integer({ min: 300, max: 6_000 }),
      marks,
      lead: fc.constantFrom({}, ...leadsMs.map((leadMs) => ({ leadMs }))),
    })
    .map(({ kind, durationMs, marks, lead }) => {
      if (kind === 'page') return { kind, url: 'guest://p/', partition: 'g', ...lead, durationMs, marks };
      const length = kind === 'image' ? durationMs : null;
      return { kind, url: 'media://cache/a', durationMs: length, volume: 0, marks };
    });
const prepared = (next: StageCreative): Happening => ({
  run: (on) => on.prepare(next),
  toString: () => `prepare: ${JSON.stringify(next)}`,
});
const following = (next: StageCreative): Happening => ({
  async run(on) {
    on.prepare(next);
    await on.pass(FRAME_MS);
    on.commit();
  },
  toString: () => `follows: ${JSON.stringify(next)}`,
});
const happening = (leadsMs: readonly number[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 4_000 }).map(passing) },
    { weight: 6, arbitrary: creative(leadsMs).map(following) },
    { weight: 1, arbitrary: creative(leadsMs).map(prepared) },
    { weight: 1, arbitrary: always('commit', (on) => on.commit()) },
    { weight: 1, arbitrary: always('discard', (on) => on.discard()) },
    { weight: 1, arbitrary: always('brand', (on) => on.brand()) },
    { weight: 1, arbitrary: always('stop', (on) => on.stop()) },
    { weight: 1, arbitrary: always('covered', (on) => on.cover(true)) },
    { weight: 1, arbitrary: always('uncovered', (on) => on.cover(false)) },
    { weight: 1, arbitrary: always('hidden', (on) => on.hide(true)) },
    { weight: 1, arbitrary: always('visible', (on) => on.hide(false)) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 300 }).map(videosTaking) },
    { weight: 1, arbitrary: always('the banner dies', (on) => on.tear()) },
    { weight: 1, arbitrary: fc.constant(standing) },
    { weight: 3, arbitrary: always('pages die', (on) => on.pagesDie()) },
  );
function skipping(ms: number): Happening {
  return {
    async run(on) {
      on.skip(ms);
      await on.pass(FRAME_MS);
    },
    toString: () => `${ms} ms without a frame`,
  };
}
const script = (each: fc.Arbitrary<Happening>) => fc.array(each, { maxLength: 30, size: 'max' });
/** No gap is near the bound of 250 ms: a view is observed ten times a second, so its result there would vary. */
const gap = fc.oneof(fc.integer({ min: 1, max: 210 }), fc.integer({ min: 350, max: 1_000 })).map(skipping);

async function played(on: Staged, happenings: readonly Happening[]): Promise<Staged> {
  for (const { run } of happenings) await run(on);
  await on.pass(8_000);
  return on;
}

/** An event without its times, which are compared separately. */
function wordsOf({ event }: Staged['told'][number]): unknown {
  if (event.type === 'ending') return { ...event, remainingMs: null };
  if (event.type === 'ended') return { ...event, report: { ...event.report, viewedMs: null } };
  if (event.type === 'left') return { ...event, overrunMs: null };
  return event;
}
const PROMPT: readonly StageEvent['type'][] = ['prepared', 'presented', 'ended', 'failed'];

async function tellsAndShowsTheSame(happenings: readonly Happening[]): Promise<void> {
  const resting = await played(staged(PretendFrames), happenings);
  const restless = await played(staged(RestlessFrames), happenings);
  expect(resting.told.map(wordsOf)).toEqual(restless.told.map(wordsOf));
  expect(resting.shown).toEqual(restless.shown);
  for (const [index, { at, event }] of resting.told.entries()) {
    const lateMs = at - (restless.told[index]?.at ?? Number.NaN);
    expect([event.type, Math.abs(lateMs) <= A_FRAME_MS]).toEqual([event.type, true]);
  }
}

it('the stage reports and shows at each frame the same as a stage that checks every frame', async () => {
  const happenings = script(fc.oneof({ weight: 9, arbitrary: happening([400, 2_000]) }, gap));
  await fc.assert(fc.asyncProperty(happenings, tellsAndShowsTheSame), { numRuns: 300 });
});

it('the stage ends a video that stopped between two checks as if it had checked in time', async () => {
  const image = following({ kind: 'image', url: 'media://cache/a', durationMs: 1_000, volume: 0, marks: [] });
  const video = following({ kind: 'video', url: 'media://cache/v', durationMs: null, volume: 0, marks: [] });
  // The video runs on while no frame is drawn, so it is near its end long before its slot is: nothing is due when it
  // stops. What is missing then is just short enough to be cut off; at the last look before it was not.
  const meanwhile = [image, video, passing(940), skipping(900), passing(904), standing];
  await tellsAndShowsTheSame(meanwhile);
});

/** The most by which a timer is late, ms. */
const LATE_MS = 200;

async function showsTheSameWithLateTimers(
  happenings: readonly Happening[],
  lateness: () => number,
): Promise<Staged> {
  const resting = await played(staged(PretendFrames, lateness), happenings);
  const restless = await played(staged(RestlessFrames), happenings);
  expect(resting.shown).toEqual(restless.shown);
  const prompt = (on: Staged) => on.told.filter(({ event }) => PROMPT.includes(event.type));
  const ofTime = (on: Staged) => on.told.filter(({ event }) => !PROMPT.includes(event.type));
  expect(prompt(resting).map(wordsOf)).toEqual(prompt(restless).map(wordsOf));
  expect(prompt(resting).map(({ at }) => at)).toEqual(prompt(restless).map(({ at }) => at));
  // An event that was due less than `LATE_MS` before a stop may be missing.
  for (const { at, event } of ofTime(resting)) {
    const same = ofTime(restless).find(
      (other) => JSON.stringify(wordsOf(other)) === JSON.stringify(wordsOf({ at, event })),
    );
    const dueAt = same?.at ?? Number.NaN;
    const isWithin = (when: number) => when >= dueAt && when <= dueAt + LATE_MS + A_FRAME_MS;
    // So may a view that is interrupted so soon: the late look finds the interruption, and the view begins again.
    const beginsAnew = event.type === 'viewed' && resting.brokeOffAt.some(isWithin);
    expect([event.type, beginsAnew || at - dueAt <= LATE_MS + A_FRAME_MS]).toEqual([event.type, true]);
  }
  return resting;
}

it('the stage shows the same frames even if its timers are late, and its reports are late by no more', async () => {
  const latenesses = fc.infiniteStream(fc.integer({ min: 0, max: LATE_MS }));
  await fc.assert(
    // With a lead, a page is loaded by a timer, and `prepared` is as late.
    fc.asyncProperty(script(happening([])), latenesses, async (happenings, late) => {
      await showsTheSameWithLateTimers(happenings, () => late.next().value);
    }),
    { numRuns: 300 },
  );
});

it('the stage starts a view again that was interrupted before the late check at its end', async () => {
  const image = following({ kind: 'image', url: 'media://cache/a', durationMs: 5_000, volume: 0, marks: [] });
  const covered: Happening = { run: (on) => on.cover(true), toString: () => 'covered' };
  const uncovered: Happening = { run: (on) => on.cover(false), toString: () => 'uncovered' };
  const meanwhile = [image, passing(1_100), covered, passing(FRAME_MS), uncovered];
  const { told } = await showsTheSameWithLateTimers(meanwhile, () => LATE_MS);
  const { at: presentedAt } = told.find(({ event }) => event.type === 'presented') ?? { at: Number.NaN };
  const views = told.filter(({ event }) => event.type === 'viewed').map(({ at }) => at - presentedAt);
  expect(views).toEqual([expect.closeTo(2_300, -2)]);
});
