import { beforeEach, describe, expect, it } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import type { StageCreative, StageEvent } from '../../shared/stage';
import { Stage } from './stage';
import type { EachLayer, Place } from './stage-state';
import { PretendFrames } from './testing/pretend-frames';
import { PretendLayer, type PretendRun } from './testing/pretend-layer';

const FRAME_MS = 1000 / 60;

let layers: EachLayer<PretendLayer>;
let card: string;
let covered: boolean;
let events: StageEvent[];
let now: number;
let frames: PretendFrames;
let stage: Stage;

beforeEach(freshStage);

function freshStage(): void {
  layers = [new PretendLayer(), new PretendLayer(), new PretendLayer()];
  card = 'none';
  covered = false;
  events = [];
  now = 1_000;
  frames = new PretendFrames(() => now);
  const page = {
    show(shown: string) {
      card = shown;
    },
    isSeen: () => frames.visible && !covered && card === 'none',
    emit: (event: StageEvent) => void events.push(event),
  };
  stage = new Stage(layers, Object.assign(frames, page));
}

/** Draws frames for this long, and lets promises settle in between. */
async function pass(ms: number): Promise<void> {
  const until = now + ms;
  while (now < until) {
    now += FRAME_MS;
    frames.draw();
    await Promise.resolve();
  }
}

const image = (durationMs = 1_000, marks: StageCreative['marks'] = []): StageCreative => ({
  kind: 'image',
  url: 'media://cache/a',
  durationMs,
  volume: 0,
  marks,
});
const video: StageCreative = {
  kind: 'video',
  url: 'media://cache/v',
  durationMs: null,
  volume: 0,
  marks: [],
};
const page: StageCreative = { kind: 'page', url: 'guest://p/', partition: 'g', durationMs: 1_000, marks: [] };
const banner: StageCreative = {
  kind: 'card',
  content: {} as NativeCardContent,
  language: 'en',
  video: null,
  banner: { url: 'http://b.localhost/', partition: 'g', leadMs: 2_500 },
  durationMs: 5_000,
  volume: 0,
  marks: [],
};
const at = (place: Place) => {
  const layer = layers.find((candidate) => candidate.place === place);
  if (!layer) throw new Error(`no layer is ${place}`);
  return layer;
};
async function prepare(slot: number, creative: StageCreative): Promise<void> {
  stage.take({ type: 'prepare', slot, creative });
  await pass(FRAME_MS);
}
async function show(slot: number, creative: StageCreative): Promise<void> {
  await prepare(slot, creative);
  stage.take({ type: 'show', slot });
  await pass(4 * FRAME_MS);
}
const types = () => events.map(({ type }) => type);
const last = <T extends StageEvent['type']>(type: T) =>
  events.findLast((event): event is Extract<StageEvent, { type: T }> => event.type === type);

describe('the stage', () => {
  it('reports a creative as presented once the frame after its raising was drawn, and not before', async () => {
    stage.take({ type: 'light-up' });
    await prepare(1, image());
    expect([types(), card]).toEqual([['prepared'], 'brand']);
    expect(at('next').creative?.kind).toBe('image');
    stage.take({ type: 'show', slot: 1 });
    await pass(FRAME_MS);
    expect([types(), at('front').wasShown]).toEqual([['prepared'], 1]);
    await pass(FRAME_MS);
    expect(types()).toEqual(['prepared']);
    await pass(FRAME_MS);
    expect(types()).toEqual(['prepared', 'presented']);
  });

  it('tells nothing of a creative before it is presented, however long its first frame takes', async () => {
    await prepare(1, image(1_000, [{ of: 'time', ms: 100 }]));
    stage.take({ type: 'show', slot: 1 });
    now += 700;
    frames.draw();
    expect(types()).toEqual(['prepared']);
    await pass(2 * FRAME_MS);
    expect(types()).toEqual(['prepared', 'presented', 'mark', 'progress', 'progress', 'ending']);
  });

  it('raises the first creative of a dark screen at once, a video with its prepared frame', async () => {
    await prepare(1, video);
    stage.take({ type: 'show', slot: 1 });
    expect([at('front').wasShown, at('front').run?.startMs]).toEqual([1, null]);
    await pass(FRAME_MS);
    expect(types()).toEqual(['prepared']);
    await pass(FRAME_MS);
    expect(types()).toEqual(['prepared', 'presented']);
    await pass(3_000);
    expect(last('ended')).toMatchObject({ slot: 1, reason: 'ended' });
  });

  describe('that is still dark', () => {
    /** Creatives are ready only once `load` is called. */
    function loading(): { load: () => void } {
      let load = () => {};
      const until = new Promise<void>((resolve) => {
        load = resolve;
      });
      for (const layer of layers) layer.until = until;
      return { load };
    }

    it('raises a creative that was committed meanwhile at the frame at which it is prepared', async () => {
      for (const creative of [image(), video]) {
        const { load } = loading();
        await prepare(1, creative);
        stage.take({ type: 'show', slot: 1 });
        await pass(3 * FRAME_MS);
        expect([types(), at('next').wasShown]).toEqual([[], 0]);
        load();
        await pass(FRAME_MS);
        expect([types(), at('front').wasShown]).toEqual([['prepared'], 1]);
        await pass(2 * FRAME_MS);
        expect(types()).toEqual(['prepared', 'presented']);
        freshStage();
      }
    });

    it('releases a committed creative if the stage lights up without it, because its reservation is too old', async () => {
      const { load } = loading();
      await prepare(1, image());
      stage.take({ type: 'show', slot: 1 });
      stage.take({ type: 'light-up' });
      expect(events).toMatchObject([{ type: 'failed', slot: 1, code: 'stopped' }]);
      const other = video;
      await prepare(2, other);
      load();
      await pass(4 * FRAME_MS);
      expect(events.slice(1)).toMatchObject([{ type: 'prepared', slot: 2 }]);
      expect([card, at('next').creative]).toEqual(['brand', other]);
    });

    it('does not load a released creative again for its next slot', async () => {
      const { load } = loading();
      await prepare(1, image());
      stage.take({ type: 'show', slot: 1 });
      stage.take({ type: 'light-up' });
      const { generation } = at('next');
      await prepare(2, image());
      load();
      await pass(FRAME_MS);
      expect(events.slice(1)).toMatchObject([{ type: 'prepared', slot: 2 }]);
      expect([card, at('next').generation]).toEqual(['brand', generation]);
      stage.take({ type: 'show', slot: 2 });
      await pass(4 * FRAME_MS);
      expect([last('presented')?.slot, at('front').wasShown]).toEqual([2, 1]);
    });

    it('shows no creative that is committed after it has lit up and is not prepared yet', async () => {
      const { load } = loading();
      await prepare(1, image());
      stage.take({ type: 'light-up' });
      stage.take({ type: 'show', slot: 1 });
      expect(events).toMatchObject([{ type: 'failed', slot: 1, code: 'not-prepared' }]);
      load();
      await pass(4 * FRAME_MS);
      expect([card, at('front').wasShown]).toEqual(['brand', 0]);
    });

    it('reports why a creative could not be prepared, before or after its commitment', async () => {
      const broken = { type: 'failed', slot: 1, code: 'decode-failed', detail: 'broken' };
      const { load } = loading();
      for (const layer of layers) layer.outcome = { code: 'decode-failed', detail: 'broken' };
      await prepare(1, image());
      stage.take({ type: 'show', slot: 1 });
      load();
      await pass(FRAME_MS);
      expect(events).toEqual([broken]);
      stage.take({ type: 'show', slot: 1 });
      expect(events).toEqual([broken, broken]);
    });

    it('releases the creative that it prepares when it is stopped', async () => {
      const { load } = loading();
      await prepare(1, video);
      stage.take({ type: 'show', slot: 1 });
      stage.take({ type: 'stop' });
      load();
      await pass(4 * FRAME_MS);
      expect(events).toMatchObject([{ type: 'failed', slot: 1, code: 'stopped' }]);
    });
  });

  it('starts a later video before it is raised, also the first one over the brand card', async () => {
    stage.take({ type: 'light-up' });
    await prepare(1, video);
    stage.take({ type: 'show', slot: 1 });
    expect(at('next').wasShown).toBe(0);
    await pass(FRAME_MS);
    expect(at('next').wasShown).toBe(0);
    await pass(4 * FRAME_MS);
    expect([at('front').wasShown, at('front').run?.startMs]).toEqual([1, expect.any(Number)]);
  });

  it('keeps the current creative in front until the next is raised, and releases it once that is drawn', async () => {
    await show(1, image());
    const first = at('front');
    await prepare(2, image());
    stage.take({ type: 'show', slot: 2 });
    await pass(500);
    expect([first.place, first.creative?.kind]).toEqual(['front', 'image']);
    while (first.place === 'front') await pass(FRAME_MS);
    expect(first.creative?.kind).toBe('image');
    await pass(3 * FRAME_MS);
    expect([first.place, first.creative]).toEqual(['behind', null]);
  });

  it('ends a slot after its duration, without drift over a hundred slots', async () => {
    const from = now;
    await show(1, image(500));
    for (let slot = 2; slot <= 101; slot += 1) {
      await prepare(slot, image(500));
      stage.take({ type: 'show', slot });
      while (last('presented')?.slot !== slot) await pass(FRAME_MS);
    }
    expect(now - from).toBeGreaterThan(50_000 - FRAME_MS);
    expect(now - from).toBeLessThan(50_000 + 8 * FRAME_MS);
    expect(events.filter(({ type }) => type === 'ended')).toHaveLength(100);
  });

  it('compensates slots that started late, so that a hundred of them take their planned time', async () => {
    const from = now;
    await show(1, image(500));
    for (let slot = 2; slot <= 101; slot += 1) {
      await prepare(slot, image(500));
      // The reservation is late in every fifth slot, and once much too late.
      while (last('ended')?.slot !== slot - 1) await pass(FRAME_MS);
      await pass(slot === 40 ? 900 : slot % 5 === 0 ? 250 : 0);
      stage.take({ type: 'show', slot });
      while (last('presented')?.slot !== slot) await pass(FRAME_MS);
    }
    expect(now - from).toBeLessThan(50_000 + 250 + 8 * FRAME_MS);
  });

  it('requests the next creative half a second before the end', async () => {
    await show(1, image(2_000));
    await pass(1_300);
    expect(types()).not.toContain('ending');
    await pass(200);
    expect(last('ending')?.remainingMs).toBeGreaterThan(450);
    expect(last('ending')?.remainingMs).toBeLessThanOrEqual(500);
  });

  it('reports quartiles and progress by time played, each once, the last at the end', async () => {
    await show(
      1,
      image(1_000, [
        { of: 'time', ms: 400 },
        { of: 'length', share: 1 },
        { of: 'time', ms: 1_001 },
      ]),
    );
    await pass(1_100);
    const said = events.flatMap(
      (event): Array<string | number> =>
        event.type === 'progress' ? [event.quartile] : event.type === 'mark' ? [event.mark] : [],
    );
    expect(said).toEqual(['firstQuartile', 0, 'midpoint', 'thirdQuartile', 1]);
    expect(types().at(-1)).toBe('ended');
  });

  it('keeps the last frame if no creative follows in time', async () => {
    await show(1, image());
    await pass(3_000);
    const { reason, report } = last('ended') ?? { reason: null, report: null };
    expect(reason).toBe('ended');
    expect(report).toMatchObject({ presentedFrames: null, droppedFrames: null, stalls: null });
    expect(report?.viewedMs).toBeGreaterThan(960);
    expect(report?.viewedMs).toBeLessThan(1_040);
    expect([at('front').creative?.kind, at('front').isFrozen, card]).toEqual(['image', true, 'none']);
  });

  it('reports a tap on the slot in front even while its last frame stays, but none on the brand card (rule 18)', async () => {
    const taps = () => events.flatMap((event) => (event.type === 'tap' ? [event.slot] : []));
    const tap = () => stage.take({ type: 'tap', part: 'call-to-action' });
    await show(1, image());
    tap();
    while (last('ended')?.slot !== 1) await pass(FRAME_MS);
    await pass(500);
    tap();
    expect(taps()).toEqual([1, 1]);
    await show(2, image());
    tap();
    expect(taps()).toEqual([1, 1, 2]);
    stage.take({ type: 'stop' });
    tap();
    expect(taps()).toEqual([1, 1, 2]);
  });

  it('reports how much longer than planned a slot was shown, once it is replaced', async () => {
    await show(1, image());
    await prepare(2, image());
    stage.take({ type: 'show', slot: 2 });
    await pass(1_100);
    expect(last('left')?.slot).toBe(1);
    expect(last('left')?.overrunMs).toBeLessThan(FRAME_MS);
    while (last('ended')?.slot !== 2) await pass(FRAME_MS);
    const endedAt = now;
    await pass(500);
    expect(last('left')?.slot).toBe(1);
    stage.take({ type: 'brand' });
    while (last('left')?.slot !== 2) await pass(FRAME_MS);
    expect(Math.abs((last('left')?.overrunMs ?? 0) - (now - endedAt))).toBeLessThan(FRAME_MS);
    await pass(1_000);
    expect(types().filter((type) => type === 'left')).toHaveLength(2);
  });

  it('reports no such time for a slot that was stopped', async () => {
    await show(1, image());
    stage.take({ type: 'stop' });
    await pass(500);
    expect(types()).not.toContain('left');
  });

  it('starts a video before its slot, and raises it only when it plays', async () => {
    await show(1, image());
    at('behind').startTakesMs = 300;
    await prepare(2, video);
    stage.take({ type: 'show', slot: 2 });
    const first = at('front');
    await pass(1_050);
    expect([first.place, last('ended')?.slot]).toEqual(['front', 1]);
    await pass(200);
    expect(last('presented')?.slot).toBe(2);
  });

  it('draws a picture shortly before its slot, but a video only at its slot', async () => {
    await show(1, image(1_000));
    await prepare(2, image(1_000));
    stage.take({ type: 'show', slot: 2 });
    await pass(700);
    expect(at('next').creative).not.toBeNull();
    await pass(200);
    expect(at('rising').creative).not.toBeNull();
    await pass(200);
    expect(events).toContainEqual({ type: 'presented', slot: 2 });
    await prepare(3, video);
    stage.take({ type: 'show', slot: 3 });
    await pass(720);
    expect(at('next').creative?.kind).toBe('video');
  });

  it('hides a drawn creative again that is discarded before its slot', async () => {
    await show(1, image(1_000));
    await prepare(2, image(1_000));
    stage.take({ type: 'show', slot: 2 });
    await pass(900);
    stage.take({ type: 'discard', slot: 2 });
    expect(layers.map(({ place }) => place).sort()).toEqual(['behind', 'front', 'next']);
  });

  it('drops a video that does not play within two seconds: its play showed no frame', async () => {
    stage.take({ type: 'light-up' });
    for (const layer of layers) layer.startTakesMs = Number.POSITIVE_INFINITY;
    await prepare(1, video);
    stage.take({ type: 'show', slot: 1 });
    await pass(1_900);
    expect(types()).toEqual(['prepared']);
    await pass(200);
    expect(last('failed')).toMatchObject({ slot: 1, code: 'start-timeout' });
    expect(types()).not.toContain('presented');
  });

  it('shows a video that lit a dark screen and then stands still for three seconds, and counts no view', async () => {
    for (const layer of layers) layer.startTakesMs = Number.POSITIVE_INFINITY;
    await prepare(1, video);
    stage.take({ type: 'show', slot: 1 });
    await pass(2_900);
    expect(types()).toEqual(['prepared', 'presented']);
    await pass(200);
    const ended = last('ended');
    expect(ended).toMatchObject({ slot: 1, reason: 'stalled' });
    expect(ended?.report.viewedMs).toBeLessThan(100);
    expect(types()).not.toContain('viewed');
  });

  it('drops a video that fails before it plays', async () => {
    stage.take({ type: 'light-up' });
    for (const layer of layers) layer.startTakesMs = Number.POSITIVE_INFINITY;
    await prepare(1, video);
    stage.take({ type: 'show', slot: 1 });
    await pass(2 * FRAME_MS);
    const { run } = at('next');
    if (run) run.isBroken = true;
    await pass(2 * FRAME_MS);
    expect(last('failed')).toMatchObject({ slot: 1, code: 'decode-failed' });
  });

  /** Starts a video in slot 2 while a picture shows, until it moves. */
  async function startBehindPicture() {
    for (const layer of layers) layer.startTakesMs = 10;
    await show(1, image());
    await prepare(2, video);
    stage.take({ type: 'show', slot: 2 });
    while (typeof at('next').run?.startMs !== 'number') await pass(FRAME_MS);
    return at('next').run;
  }

  it('drops a video that fails after it began to move, but before it is raised: no frame of it was shown', async () => {
    const run = await startBehindPicture();
    if (run) run.isBroken = true;
    await pass(200);
    expect(last('failed')).toMatchObject({ slot: 2, code: 'decode-failed' });
    expect(last('presented')?.slot).toBe(1);
  });

  it('drops a video of one frame without sound, which ends at once: nobody would see it for its length', async () => {
    const run = await startBehindPicture();
    run?.end(now);
    await pass(1_000);
    expect(last('failed')).toMatchObject({ slot: 2, code: 'decode-failed' });
    expect(last('presented')?.slot).toBe(1);
  });

  it('reports what was reached before it is stopped, even if no frame was drawn since', async () => {
    await show(1, image(1_000, [{ of: 'time', ms: 400 }]));
    await pass(100);
    now += 500;
    stage.take({ type: 'stop' });
    expect(types()).toEqual(['prepared', 'presented', 'progress', 'mark', 'progress', 'ended']);
  });

  it.each([
    ['stalls', 'stalled', (run: PretendRun) => Object.assign(run, { stuckSince: now })],
    ['breaks', 'error', (run: PretendRun) => Object.assign(run, { isBroken: true })],
    [
      'loses its sound',
      'no-sound',
      (run: PretendRun) => Object.assign(run, { lacksSound: true, isBroken: true }),
    ],
    ['ends long before its stated end', 'error', (run: PretendRun) => run.end(now)],
  ] as const)(
    'ends a video that %s in its middle as %s, with its viewed time',
    async (_what, reason, spoil) => {
      await show(1, video);
      await pass(800);
      const { run } = at('front');
      if (run) spoil(run);
      await pass(4_000);
      expect(last('ended')).toMatchObject({
        slot: 1,
        reason,
        report: { presentedFrames: 100, droppedFrames: 2 },
      });
      expect(types().filter((type) => type === 'presented')).toHaveLength(1);
    },
  );

  it('counts only the time in which a stalling video played as viewed', async () => {
    await show(1, video);
    await pass(800);
    const { run } = at('front');
    if (run) run.stuckSince = now;
    await pass(4_000);
    expect(last('ended')?.reason).toBe('stalled');
    expect(last('ended')?.report.viewedMs).toBeGreaterThan(780);
    expect(last('ended')?.report.viewedMs).toBeLessThan(1_000);
  });

  it('plays a video that stalled to its end', async () => {
    await show(1, video);
    const { run } = at('front');
    if (run) run.stuckSince = now;
    await pass(600);
    if (run) run.stuckSince = null;
    Object.assign(run ?? {}, { startedAt: (run?.startedAt ?? 0) + 600 });
    await pass(1_500);
    expect(types()).not.toContain('ended');
    await pass(700);
    expect(last('ended')?.reason).toBe('ended');
  });

  it.each([
    ['was held up', 600],
    ['stalls shortly before its end', 3_100],
  ])('shows a video from its beginning after one that %s', async (_what, stillMs) => {
    await show(1, video);
    await pass(1_300);
    await prepare(2, video);
    stage.take({ type: 'show', slot: 2 });
    await pass(200);
    const { run } = at('front');
    if (run) run.stuckSince = now;
    await pass(stillMs);
    if (run) Object.assign(run, { stuckSince: null, startedAt: run.startedAt + stillMs });
    while (last('presented')?.slot !== 2) await pass(FRAME_MS);
    expect(at('front').run?.positionMs).toBeLessThan(150);
    expect(last('progress')?.slot).toBe(1);
  });

  describe('whose next video runs already behind the one in front', () => {
    let front: PretendRun;
    beforeEach(async () => {
      for (const layer of layers) layer.startTakesMs = 240;
      await show(1, video);
      Object.assign(at('behind'), { startTakesMs: 10, lengthMs: 1_000 });
      await prepare(2, video);
      stage.take({ type: 'show', slot: 2 });
      while (typeof at('next').run?.startMs !== 'number') await pass(FRAME_MS);
      const { run } = at('front');
      if (!run) throw new Error('no video is in front');
      front = run;
      front.stuckSince = now;
    });

    it('plays that one to its end after a standstill that nobody notices', async () => {
      await pass(200);
      Object.assign(front, { stuckSince: null, startedAt: front.startedAt + 200 });
      while (last('ended')?.slot !== 1) await pass(FRAME_MS);
      expect(front.positionMs).toBeGreaterThan(2_000 - 160);
    });

    it('ends that one as played if it stands still longer: the next one is heard, and would be over', async () => {
      await pass(400);
      expect(last('ended')).toMatchObject({ slot: 1, reason: 'ended' });
      expect(front.positionMs).toBeGreaterThan(2_000 - 400);
      expect(last('presented')?.slot).toBe(2);
      expect(at('front').run?.positionMs).toBeLessThan(500);
    });
  });

  it('reports quartiles of a video by its played time, not by its time on the screen', async () => {
    await show(1, video);
    await pass(300);
    const { run } = at('front');
    if (run) run.stuckSince = now;
    await pass(1_000);
    expect(types()).not.toContain('progress');
  });

  it('prepares in the layer that has just left the front', async () => {
    await show(1, image());
    await prepare(2, image());
    stage.take({ type: 'show', slot: 2 });
    const first = at('front');
    for (let frame = 0; frame < 90 && first.place === 'front'; frame += 1) await pass(FRAME_MS);
    stage.take({ type: 'prepare', slot: 3, creative: video });
    await pass(5 * FRAME_MS);
    expect([last('presented')?.slot, last('prepared')?.slot]).toEqual([2, 3]);
    expect(first.creative?.kind).toBe('video');
  });

  it('releases a committed slot if another is prepared instead', async () => {
    await show(1, image());
    await prepare(2, image());
    stage.take({ type: 'show', slot: 2 });
    await prepare(3, image());
    expect(last('failed')).toMatchObject({ slot: 2, code: 'stopped' });
    expect(last('prepared')?.slot).toBe(3);
  });

  it('reports why a creative could not be prepared, and releases it', async () => {
    for (const layer of layers) layer.outcome = { code: 'decode-failed', detail: 'x'.repeat(900) };
    await prepare(1, image());
    expect(last('failed')).toEqual({
      type: 'failed',
      slot: 1,
      code: 'decode-failed',
      detail: 'x'.repeat(500),
    });
    expect(at('next').creative).toBeNull();
  });

  it('ignores a late answer about an earlier creative', async () => {
    let arrive = () => {};
    const next = at('next');
    next.until = new Promise((resolve) => {
      arrive = resolve;
    });
    stage.take({ type: 'prepare', slot: 1, creative: image() });
    next.until = Promise.resolve();
    await prepare(2, image());
    arrive();
    await pass(FRAME_MS);
    expect(events).toEqual([{ type: 'prepared', slot: 2, durationMs: 1_000 }]);
  });

  it('does not show a creative that is not prepared', async () => {
    stage.take({ type: 'show', slot: 7 });
    expect(last('failed')).toMatchObject({ slot: 7, code: 'not-prepared' });
  });

  it('releases a committed slot that is discarded before its first frame', async () => {
    await show(1, image());
    await prepare(2, image());
    stage.take({ type: 'show', slot: 2 });
    stage.take({ type: 'discard', slot: 2 });
    expect(last('failed')).toMatchObject({ slot: 2, code: 'stopped' });
  });

  it('stops under the brand card, and reports what was viewed until then', async () => {
    await show(1, image());
    await pass(300);
    stage.take({ type: 'stop' });
    expect(last('ended')).toMatchObject({ slot: 1, reason: 'stopped' });
    await pass(4 * FRAME_MS);
    expect([card, at('front').creative]).toEqual(['brand', null]);
  });

  it('shows the brand card after the end of the current creative, not before', async () => {
    await show(1, image());
    stage.take({ type: 'brand' });
    await pass(500);
    expect(card).toBe('none');
    await pass(600);
    expect(card).toBe('brand');
  });

  it('lights up with the brand card only if no creative arrived', async () => {
    stage.take({ type: 'light-up' });
    expect(card).toBe('brand');
    await show(1, image());
    expect(card).toBe('none');
    stage.take({ type: 'light-up' });
    expect(card).toBe('none');
  });

  describe('requests no frames while nothing is due', () => {
    const asked = async (ms: number) => {
      const before = frames.asked;
      await pass(ms);
      return frames.asked - before;
    };

    it('from its counted view to the notice of its end, except for reports in between', async () => {
      await show(1, image(5_000));
      await pass(1_200);
      // Three quartiles, with one or two frames each.
      expect(await asked(3_000)).toBeLessThanOrEqual(6);
      await prepare(2, image(5_000));
      await pass(250);
      expect(types().at(-1)).toBe('ending');
      stage.take({ type: 'show', slot: 2 });
      await pass(100);
      expect(await asked(300)).toBeGreaterThanOrEqual(17);
      expect(at('rising').creative).not.toBeNull();
    });

    it('with an empty stage, and after an end without a next creative', async () => {
      await show(1, image());
      await pass(1_500);
      expect(last('ended')?.slot).toBe(1);
      expect(await asked(5_000)).toBe(0);
      await show(2, image(5_000));
      await pass(1_300);
      stage.take({ type: 'stop' });
      await pass(4 * FRAME_MS);
      expect(await asked(10_000)).toBeLessThanOrEqual(1);
    });

    it.each([
      ['a video plays', video],
      ['a page stands', page],
      ['a picture stands that nobody has seen for a second yet', image(5_000)],
    ])('while %s: until its view is counted it checks ten times a second', async (_what, creative) => {
      await show(1, creative);
      expect(await asked(400)).toBeLessThanOrEqual(5);
    });

    it('while a video plays, except for its quartiles', async () => {
      for (const layer of layers) layer.lengthMs = 20_000;
      await show(1, video);
      await pass(1_200);
      // Three quartiles, with one or two frames each, and a check every 2.5 s whether the video has stalled.
      expect(await asked(18_000)).toBeLessThanOrEqual(14);
      expect(types()).toEqual(['prepared', 'presented', 'viewed', 'progress', 'progress', 'progress']);
      await pass(1_000);
      expect(last('ended')?.reason).toBe('ended');
    });

    it('while something covers an uncounted creative, and notices at once when it is uncovered', async () => {
      await show(1, image(9_000));
      covered = true;
      stage.changed();
      await pass(2 * FRAME_MS);
      expect(await asked(1_500)).toBe(0);
      covered = false;
      stage.changed();
      await pass(1_000 + 2 * FRAME_MS);
      expect(types().at(-1)).toBe('viewed');
    });

    it('while a committed page waits, and drops it at once when it crashes', async () => {
      await show(1, image(5_000));
      await pass(1_300);
      await prepare(2, page);
      stage.take({ type: 'show', slot: 2 });
      expect(await asked(500)).toBeLessThanOrEqual(3);
      at('next').isLost = true;
      await pass(FRAME_MS);
      expect(last('failed')).toMatchObject({ slot: 2, code: 'decode-failed' });
    });

    it('and drops a committed page at once if it has already crashed', async () => {
      await show(1, image(5_000));
      await prepare(2, page);
      at('next').isLost = true;
      await pass(2 * FRAME_MS);
      stage.take({ type: 'show', slot: 2 });
      expect(last('failed')).toMatchObject({ slot: 2, code: 'decode-failed' });
    });

    it('except during a long start of a video, even if its timer is late', async () => {
      for (const layer of layers) layer.startTakesMs = 240;
      const presented = async (slot: number) => {
        while (last('presented')?.slot !== slot) await pass(FRAME_MS);
        return now;
      };
      await show(1, video);
      await presented(1);
      await prepare(2, image(3_000));
      stage.take({ type: 'show', slot: 2 });
      const from = await presented(2);
      frames.lateness = () => 200;
      await prepare(3, video);
      stage.take({ type: 'show', slot: 3 });
      expect((await presented(3)) - from).toBeLessThan(3_000 + 2 * FRAME_MS);
    });

    it('but reacts to each command at once', async () => {
      await show(1, image(5_000));
      await pass(1_500);
      stage.take({ type: 'stop' });
      expect(last('ended')).toMatchObject({ slot: 1, reason: 'stopped' });
      await show(2, image(5_000));
      expect([last('presented')?.slot, card]).toEqual([2, 'none']);
    });

    it('and a timer that is much too late delays it once, without losing a report', async () => {
      await show(1, image(5_000, [{ of: 'time', ms: 4_000 }]));
      await pass(1_100);
      frames.lateness = () => 9_000;
      await pass(9_000);
      expect(types()).toEqual(['prepared', 'presented', 'viewed', 'progress']);
      await pass(2_000);
      expect(types().slice(4)).toEqual(['progress', 'progress', 'mark', 'ending', 'ended']);
      expect(last('ending')?.remainingMs).toBe(0);
    });
  });

  describe('with a page', () => {
    it('loads it as long before its slot as it needs, because it runs from then on', async () => {
      await show(1, image(8_000));
      await prepare(2, { ...page, leadMs: 2_500 });
      await pass(5_300);
      expect(at('next').creative).toBeNull();
      await pass(200);
      expect([at('next').creative?.kind, last('prepared')?.slot]).toEqual(['page', 2]);
    });

    it('loads it when the slot before it begins if nobody knows how long that takes', async () => {
      await show(1, image(8_000));
      await prepare(2, page);
      expect([at('next').creative?.kind, last('prepared')?.slot]).toEqual(['page', 2]);
    });

    it('that crashes while shown is replaced by the brand card at once, without a last frame', async () => {
      await show(1, page);
      await pass(300);
      at('front').isLost = true;
      await pass(2 * FRAME_MS);
      expect([last('ended')?.reason, card]).toEqual(['error', 'brand']);
      await show(2, image());
      expect(card).toBe('none');
    });

    it('that crashes between its raising and its first frame was not shown: its play is void', async () => {
      await show(1, image(1_000));
      await prepare(2, page);
      stage.take({ type: 'show', slot: 2 });
      while (at('front').creative?.kind !== 'page') await pass(FRAME_MS);
      at('front').isLost = true;
      await pass(4 * FRAME_MS);
      expect(events.filter((event) => 'slot' in event && event.slot === 2).map(({ type }) => type)).toEqual([
        'prepared',
        'failed',
      ]);
      expect(card).toBe('brand');
      await show(3, image());
      expect([last('presented')?.slot, card]).toEqual([3, 'none']);
    });

    it('that crashes after its end, while its last frame stays, is replaced by the brand card', async () => {
      await show(1, page);
      await pass(2_000);
      expect([last('ended')?.reason, card]).toEqual(['ended', 'none']);
      at('front').isLost = true;
      await pass(2 * FRAME_MS);
      expect(card).toBe('brand');
      expect(types().filter((type) => type === 'ended')).toHaveLength(1);
      expect(last('left')).toEqual({ type: 'left', slot: 1, overrunMs: expect.closeTo(1_080, -2) });
      await show(2, image());
      expect(card).toBe('none');
      expect(types().filter((type) => type === 'left')).toHaveLength(1);
    });

    it('that crashes while it waits is dropped, and the current creative stays', async () => {
      await show(1, image());
      await prepare(2, page);
      stage.take({ type: 'show', slot: 2 });
      at('next').isLost = true;
      await pass(2 * FRAME_MS);
      expect(last('failed')).toMatchObject({ slot: 2, code: 'decode-failed' });
      expect([at('front').creative?.kind, card]).toEqual(['image', 'none']);
    });
  });

  describe('with a banner in a card', () => {
    it('that is killed after its end, while the card stays, is replaced by the brand card', async () => {
      await show(1, banner);
      await pass(7_000);
      expect([last('ended')?.reason, card]).toEqual(['ended', 'none']);
      at('front').isBannerBroken = true;
      await pass(2 * FRAME_MS);
      expect(card).toBe('brand');
      expect(types().filter((type) => type === 'ended')).toHaveLength(1);
      expect(last('left')).toEqual({ type: 'left', slot: 1, overrunMs: expect.closeTo(2_100, -2) });
      await show(2, image());
      expect([at('front').creative?.kind, card]).toEqual(['image', 'none']);
    });

    it.each([
      ['nothing follows yet', async () => {}],
      ['the next is not loaded yet', () => prepare(2, { ...page, leadMs: 2_500 })],
    ])('that breaks while it is shown, and %s, is replaced by the brand card', async (_what, follows) => {
      await show(1, banner);
      await follows();
      at('front').isBannerBroken = true;
      await pass(2 * FRAME_MS);
      expect([last('ended')?.reason, card]).toEqual(['error', 'brand']);
      await show(3, image());
      expect([at('front').creative?.kind, card]).toEqual(['image', 'none']);
    });
  });

  describe('counts a view (rules 15 and 16)', () => {
    const viewed = () => types().filter((type) => type === 'viewed').length;

    it('of two continuous seconds of a video', async () => {
      for (const layer of layers) layer.lengthMs = 5_000;
      await show(1, { ...video, durationMs: 5_000 });
      await pass(1_900);
      expect(viewed()).toBe(0);
      await pass(200);
      expect(viewed()).toBe(1);
    });

    it('of one continuous second, once', async () => {
      await show(1, image(5_000));
      await pass(900);
      expect(viewed()).toBe(0);
      await pass(200);
      expect(viewed()).toBe(1);
      await pass(3_000);
      expect(viewed()).toBe(1);
    });

    it.each([
      [
        'something covers it',
        (isSo: boolean) => {
          covered = isSo;
        },
      ],
      [
        'the window is hidden',
        (isSo: boolean) => {
          frames.visible = !isSo;
        },
      ],
    ])('again after %s', async (_what, disturb) => {
      await show(1, image(5_000));
      await pass(800);
      disturb(true);
      stage.changed();
      await pass(2 * FRAME_MS);
      disturb(false);
      stage.changed();
      await pass(900);
      expect(viewed()).toBe(0);
      await pass(200);
      expect(viewed()).toBe(1);
    });

    it.each([800, 1_200])(
      'but not of a card whose banner breaks before it counts: its slot ends with an error, as it does after %d ms (rules 11 and 16)',
      async (brokenAfterMs) => {
        await show(1, image(5_000));
        await pass(brokenAfterMs);
        at('front').isBannerBroken = true;
        await pass(2_000);
        expect(viewed()).toBe(brokenAfterMs < 1_000 ? 0 : 1);
        expect(last('ended')).toMatchObject({ slot: 1, reason: 'error' });
        // A card with a hole is covered (rule 12).
        expect([at('front').creative?.kind, card]).toEqual(['image', 'brand']);
      },
    );

    it('but not of a video whose frames stand still', async () => {
      await show(1, video);
      const { run } = at('front');
      if (run) run.stuckSince = now;
      await pass(2_500);
      expect(viewed()).toBe(0);
    });

    it('but not over a gap between two frames', async () => {
      await show(1, image(5_000));
      await pass(700);
      now += 400;
      await pass(700);
      expect(viewed()).toBe(0);
    });
  });
});
