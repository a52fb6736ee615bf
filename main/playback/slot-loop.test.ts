import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepSlotLoop } from './slot-loop';
import {
  initialLoopState,
  type LoopEffect,
  type LoopEvent,
  type LoopStageEvent,
  type LoopState,
  type LoopWorld,
} from './slot-loop-state';

/** Drives the loop with a list of ads and a clock that the test can change. */
function drive() {
  let state: LoopState<string> = initialLoopState();
  const world = {
    now: 1_000_000,
    /** By how much the clock was set, ms; the monotonic one only goes on. */
    set: 0,
    silentMs: 0,
    ads: ['a', 'b', 'c'] as string[],
    until: Number.POSITIVE_INFINITY,
    blocked: [] as string[],
    unfit: [] as string[],
    onStrike: (_ad: string) => {},
  };
  let turn = 0;
  const effects: LoopEffect<string>[] = [];
  const loopWorld = (): LoopWorld<string> => ({
    now: world.now,
    monotonic: world.now - world.set,
    silentMs: world.silentMs,
    choose: () => world.ads[turn % Math.max(1, world.ads.length)] ?? null,
    mayPlay: (choice, at) => world.ads.includes(choice) && at <= world.until,
    stillFits: (choice) => !world.unfit.includes(choice),
    isBlocked: (choice) => world.blocked.includes(choice),
    same: (a, b) => a === b,
    // An ad's name is its file and, after a dot, the answer that it came in.
    sameCreative: (a, b) => a.split('.')[0] === b.split('.')[0],
  });
  /** Returns the effects of the event, and of what is chosen after them. */
  const send = (event: LoopEvent): LoopEffect<string>[] => {
    const step = stepSlotLoop(state, event, loopWorld());
    state = step.state;
    const own = step.effects.filter((effect) => effect.do !== 'choose');
    effects.push(...own);
    for (const effect of own) {
      if (effect.do === 'reserve') turn += 1;
      if (effect.do === 'failed') world.onStrike(effect.choice);
    }
    return own.length === step.effects.length ? own : [...own, ...send({ type: 'changed' })];
  };
  const stage = (event: LoopStageEvent) => send({ type: 'stage', event });
  const report = { viewedMs: 8000, presentedFrames: null, droppedFrames: null, stalls: null };
  return {
    world,
    setClock(by: number) {
      world.now += by;
      world.set += by;
    },
    effects,
    send,
    stage,
    state: () => state,
    /** Goes from an empty stage to the first frame of a slot. */
    showFirst() {
      stage({ type: 'ready' });
      stage({ type: 'prepared', slot: 1, durationMs: 8000 });
      send({ type: 'reserved', slot: 1, stored: true });
      stage({ type: 'presented', slot: 1 });
    },
    prepared: (slot: number) => stage({ type: 'prepared', slot, durationMs: 8000 }),
    ending: (slot: number, remainingMs = 250) => stage({ type: 'ending', slot, remainingMs }),
    ended: (slot: number, reason: 'ended' | 'stopped' | 'stalled' | 'error' | 'no-sound' = 'ended') =>
      stage({ type: 'ended', slot, reason, report }),
  };
}

describe('the slot loop', () => {
  it('prepares as soon as the stage is ready, and shows only after the reservation is stored', () => {
    const loop = drive();
    expect(loop.stage({ type: 'ready' })).toEqual([{ do: 'prepare', slot: 1, choice: 'a' }]);
    expect(loop.prepared(1)).toEqual([
      { do: 'reserve', slot: 1, choice: 'a', at: 1_000_000, durationMs: 8000 },
    ]);
    expect(loop.send({ type: 'reserved', slot: 1, stored: true })).toEqual([{ do: 'show', slot: 1 }]);
    expect(loop.stage({ type: 'presented', slot: 1 })).toEqual([
      { do: 'shown', slot: 1, durationMs: 8000 },
      { do: 'prepare', slot: 2, choice: 'b' },
    ]);
  });

  it('reserves the first ad of a dark stage while it is prepared, and gets its duration meanwhile or later', () => {
    for (const when of ['before it is stored', 'after it']) {
      const loop = drive();
      loop.stage({ type: 'ready' });
      expect(loop.send({ type: 'sent', slot: 1 })).toEqual([
        { do: 'reserve', slot: 1, choice: 'a', at: 1_000_000, durationMs: null },
      ]);
      if (when === 'before it is stored') expect(loop.prepared(1)).toEqual([]);
      expect(loop.send({ type: 'reserved', slot: 1, stored: true })).toEqual([{ do: 'show', slot: 1 }]);
      if (when !== 'before it is stored') expect(loop.prepared(1)).toEqual([]);
      expect(loop.stage({ type: 'presented', slot: 1 })[0]).toEqual({
        do: 'shown',
        slot: 1,
        durationMs: 8000,
      });
      expect(loop.state().showing).toMatchObject({
        shownAt: 1_000_000,
        raisedAt: 1_000_000,
        endsAt: 1_008_000,
      });
      // Only the first slot of a dark stage is reserved so early.
      expect(loop.send({ type: 'sent', slot: 2 })).toEqual([]);
    }
  });

  it('reserves no ad ahead that may no longer play at the latest start', () => {
    const loop = drive();
    loop.world.until = 1_001_499;
    loop.stage({ type: 'ready' });
    expect(loop.send({ type: 'sent', slot: 1 })).toEqual([]);
    loop.world.now += 1_400;
    expect(loop.prepared(1)).toMatchObject([{ do: 'reserve', at: 1_001_400, durationMs: 8000 }]);
  });

  it('makes a play void that was reserved ahead and cannot be shown, with a strike', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.send({ type: 'sent', slot: 1 });
    const broken = { type: 'failed', slot: 1, code: 'decode-failed', detail: 'broken' } as const;
    // The stage reports this again when it is told to show the slot.
    expect(loop.stage(broken)).toEqual([]);
    loop.send({ type: 'reserved', slot: 1, stored: true });
    expect(loop.stage(broken)).toMatchObject([
      { do: 'failed', slot: 1, code: 'decode-failed' },
      { do: 'settle', slot: 1, outcome: 'given-back', endReason: 'decode-failed' },
      { do: 'prepare', slot: 2 },
    ]);
    expect(loop.send({ type: 'sent', slot: 2 })).toEqual([]);
  });

  it('commits the next slot shortly before the end, for the time it will start', () => {
    const loop = drive();
    loop.showFirst();
    expect(loop.prepared(2)).toEqual([]);
    loop.world.now += 7750;
    expect(loop.ending(1)).toEqual([
      { do: 'reserve', slot: 2, choice: 'b', at: 1_008_000, durationMs: 8000 },
    ]);
    loop.send({ type: 'reserved', slot: 2, stored: true });
    loop.world.now += 250;
    expect(loop.ended(1)).toEqual([
      expect.objectContaining({
        do: 'settle',
        slot: 1,
        outcome: 'completed',
        endReason: 'ended',
        shownAt: 1_000_000,
      }),
    ]);
    expect(loop.stage({ type: 'presented', slot: 2 })[0]).toEqual({
      do: 'shown',
      slot: 2,
      durationMs: 8000,
    });
  });

  it('chooses again when the prepared ad may no longer play at its slot (rules 5 to 7)', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    loop.world.now += 7750;
    loop.world.ads = ['c'];
    expect(loop.ending(1)).toEqual([
      { do: 'discard', slot: 2 },
      { do: 'prepare', slot: 3, choice: 'c' },
    ]);
    loop.ended(1);
    expect(loop.prepared(3)).toEqual([expect.objectContaining({ do: 'reserve', slot: 3, choice: 'c' })]);
  });

  describe('when ads are blocked (rule 30)', () => {
    const block = (loop: ReturnType<typeof drive>, ad: string, atOnce = false) => {
      loop.world.blocked = [ad];
      loop.world.ads = loop.world.ads.filter((name) => name !== ad);
      return loop.send({ type: 'take-down', atOnce });
    };

    it('chooses the prepared ad again, and lets the current one continue', () => {
      const loop = drive();
      loop.showFirst();
      loop.prepared(2);
      expect(block(loop, 'b')).toEqual([
        { do: 'discard', slot: 2 },
        { do: 'prepare', slot: 3, choice: 'c' },
      ]);
      expect(block(loop, 'a')).toEqual([]);
      expect(loop.state().showing?.state).toBe('running');
    });

    it('makes the play that is being reserved void, and shows nothing of it', () => {
      const loop = drive();
      loop.showFirst();
      loop.prepared(2);
      loop.ending(1);
      expect(block(loop, 'b')).toEqual([]);
      expect(loop.send({ type: 'reserved', slot: 2, stored: true })).toEqual([
        { do: 'discard', slot: 2 },
        expect.objectContaining({ do: 'settle', slot: 2, outcome: 'given-back', endReason: 'blocked' }),
        expect.objectContaining({ do: 'prepare', slot: 3 }),
      ]);
    });

    it('stops the stage if the blocked ad is about to be shown, and continues with another', () => {
      const loop = drive();
      loop.showFirst();
      loop.prepared(2);
      loop.ending(1);
      loop.send({ type: 'reserved', slot: 2, stored: true });
      expect(block(loop, 'b')).toEqual([{ do: 'stop' }]);
      expect(loop.stage({ type: 'failed', slot: 2, code: 'stopped', detail: '' })).toEqual([
        expect.objectContaining({ do: 'settle', slot: 2, outcome: 'given-back', endReason: 'blocked' }),
        expect.objectContaining({ do: 'prepare', slot: 3 }),
      ]);
      // Nobody blocked the ad before it.
      expect(loop.ended(1, 'stopped')[0]).toMatchObject({
        do: 'settle',
        slot: 1,
        outcome: 'interrupted',
        endReason: 'stopped',
      });
    });

    it('ends the current ad if requested, and continues at once', () => {
      const loop = drive();
      loop.showFirst();
      loop.prepared(2);
      expect(block(loop, 'a', true)).toEqual([
        { do: 'discard', slot: 2 },
        { do: 'stop' },
        expect.objectContaining({ do: 'prepare', slot: 3 }),
      ]);
      expect(loop.ended(1, 'stopped')[0]).toMatchObject({ do: 'settle', slot: 1, outcome: 'interrupted' });
      expect(loop.state().held).toBeNull();
    });

    it('changes nothing on a stage that is held', () => {
      const loop = drive();
      loop.showFirst();
      loop.send({ type: 'hold', reason: 'overlay' });
      expect(block(loop, 'a', true)).toEqual([]);
      expect(loop.state().held).toBe('overlay');
    });
  });

  it('follows a change that comes before the load deadline, and no later (rule 11)', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    loop.world.now += 5000;
    loop.world.ads = ['x'];
    expect(loop.send({ type: 'changed' })).toEqual([
      { do: 'discard', slot: 2 },
      { do: 'prepare', slot: 3, choice: 'x' },
    ]);
    loop.prepared(3);
    loop.world.now += 2500;
    // "y" would be chosen now, but the prepared ad may still play.
    loop.world.ads = ['x', 'y'];
    expect(loop.send({ type: 'changed' })).toEqual([]);
    expect(loop.ending(2)).toEqual([]);
    expect(loop.ending(1)).toMatchObject([{ do: 'reserve', slot: 3, choice: 'x' }]);
  });

  it('lets an ad finish loading that is late, whatever changes while the one before it ends and after (rule 11)', () => {
    const loop = drive();
    loop.showFirst();
    loop.world.now += 7750;
    loop.ending(1);
    loop.world.ads = ['b', 'y'];
    expect(loop.send({ type: 'changed' })).toEqual([]);
    expect(loop.send({ type: 'take-down', atOnce: false })).toEqual([]);
    loop.world.now += 250;
    expect(loop.ended(1).map((effect) => effect.do)).toEqual(['settle']);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    expect(loop.prepared(2)).toMatchObject([{ do: 'reserve', slot: 2, choice: 'b' }]);
  });

  it('chooses again for a slot that is overdue if its ad may no longer play', () => {
    const loop = drive();
    loop.showFirst();
    loop.ending(1);
    loop.ended(1);
    loop.world.ads = ['c'];
    expect(loop.send({ type: 'changed' })).toEqual([
      { do: 'discard', slot: 2 },
      { do: 'prepare', slot: 3, choice: 'c' },
    ]);
  });

  it.each([
    ['shows a play although storing it took long', 60_000, [], ['show']],
    [
      'shows no play whose ad fits no longer when it is stored',
      60_000,
      ['a'],
      ['discard', 'settle', 'prepare'],
    ],
    ['shows a play whose ad fits no longer, if it was stored in time', 1_000, ['a'], ['show']],
  ] as const)('%s (rules 5, 6 and 11)', (_what, tookMs, unfit, expected) => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.world.now += tookMs;
    loop.world.unfit = [...unfit];
    const effects = loop.send({ type: 'reserved', slot: 1, stored: true });
    expect(effects.map((effect) => effect.do)).toEqual(expected);
    const settled = effects.flatMap((effect) =>
      effect.do === 'settle' ? [`${effect.outcome}, ${effect.endReason}`] : [],
    );
    expect(settled).toEqual(expected.length === 1 ? [] : ['given-back, late']);
  });

  it('keeps the prepared ad if it is still the best after a change', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    expect(loop.send({ type: 'changed' })).toEqual([]);
  });

  it('shows a prepared creative for the ad that replaced its ad in a refresh, without loading it again', () => {
    const loop = drive();
    loop.world.ads = ['a.1', 'b.1'];
    loop.showFirst();
    loop.prepared(2);
    loop.world.ads = ['a.2', 'b.2'];
    expect(loop.send({ type: 'changed' })).toEqual([]);
    loop.world.ads = ['a.3', 'b.3'];
    loop.world.now += 7750;
    expect(loop.ending(1)).toEqual([expect.objectContaining({ do: 'reserve', slot: 2, choice: 'b.3' })]);
  });

  it('shows the brand card if no ad is eligible, and continues when one is (rule 12)', () => {
    const loop = drive();
    loop.showFirst();
    loop.world.ads = [];
    loop.send({ type: 'changed' });
    loop.world.now += 7750;
    expect(loop.ending(1)).toEqual([{ do: 'brand' }]);
    loop.world.now += 250;
    expect(loop.ended(1).map((effect) => effect.do)).toEqual(['settle', 'brand']);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    loop.world.ads = ['d'];
    expect(loop.send({ type: 'changed' })).toEqual([expect.objectContaining({ do: 'prepare', choice: 'd' })]);
  });

  it('shows no play that could not be stored, and tries again later (rule 8)', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    expect(loop.send({ type: 'reserved', slot: 1, stored: false })).toEqual([
      { do: 'discard', slot: 1 },
      { do: 'brand' },
    ]);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    loop.world.now += 1000;
    expect(loop.send({ type: 'changed' })).toEqual([expect.objectContaining({ do: 'prepare', slot: 2 })]);
  });

  it('tries again even if the clock was set back by a day meanwhile (rule 10)', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.send({ type: 'reserved', slot: 1, stored: false });
    loop.setClock(-86_400_000);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    loop.world.now += 1_000;
    expect(loop.send({ type: 'changed' })).toEqual([expect.objectContaining({ do: 'prepare', slot: 2 })]);
  });

  it.each([-7_200_000, 7_200_000])(
    'reserves for the end of what is showing, if the clock is set by %i ms just before it (rules 7 and 10)',
    (by) => {
      const loop = drive();
      loop.showFirst();
      loop.world.now += 7_600;
      loop.ending(1, 400);
      loop.world.now += 100;
      loop.setClock(by);
      expect(loop.prepared(2)).toMatchObject([{ do: 'reserve', slot: 2, at: loop.world.now + 300 }]);
    },
  );

  it('skips an ad that cannot be shown, reports it, and prepares another (rule 11)', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.world.ads = ['b'];
    expect(loop.stage({ type: 'failed', slot: 1, code: 'decode-failed', detail: 'bad' })).toEqual([
      { do: 'failed', slot: 1, choice: 'a', code: 'decode-failed', detail: 'bad' },
      { do: 'prepare', slot: 2, choice: 'b' },
    ]);
  });

  it('gives no strike when the sound output breaks, and pauses with the brand card before it tries again', () => {
    const loop = drive();
    loop.showFirst();
    const failed = { type: 'failed', slot: 2, code: 'no-sound', detail: 'AUDIO_RENDERER_ERROR' } as const;
    expect(loop.stage(failed)).toEqual([]);
    expect(loop.ended(1, 'no-sound')).toEqual([
      expect.objectContaining({ do: 'settle', outcome: 'failed', endReason: 'no-sound' }),
      { do: 'brand' },
    ]);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    loop.world.now += 1_000;
    expect(loop.send({ type: 'changed' })).toEqual([{ do: 'prepare', slot: 3, choice: 'b' }]);
  });

  it('shows what is prepared at once when the sound output breaks', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    expect(loop.ended(1, 'no-sound')).toMatchObject([{ do: 'settle' }, { do: 'reserve', slot: 2 }]);
  });

  it('drops a prepared ad with the file that just broke off, once its strike is in force (rule 11)', () => {
    const loop = drive();
    loop.world.ads = ['a.1', 'a.2', 'b'];
    loop.showFirst();
    loop.prepared(2);
    loop.world.onStrike = () => {
      loop.world.ads = ['b'];
    };
    expect(loop.ended(1, 'stalled').map((effect) => effect.do)).toEqual([
      ...['failed', 'settle', 'discard', 'prepare'],
    ]);
    expect(loop.state().next).toMatchObject({ phase: 'preparing', slot: 3, choice: 'b' });
  });

  it('makes a committed play without a frame void', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.send({ type: 'reserved', slot: 1, stored: true });
    const effects = loop.stage({ type: 'failed', slot: 1, code: 'decode-failed', detail: 'gone' });
    expect(effects[1]).toMatchObject({ do: 'settle', slot: 1, outcome: 'given-back' });
  });

  it('gives no strike for a slot that the stage dropped, as between a hold and its end', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.send({ type: 'hold', reason: 'covered' });
    loop.send({ type: 'resume' });
    loop.send({ type: 'reserved', slot: 1, stored: true });
    expect(loop.stage({ type: 'failed', slot: 1, code: 'not-prepared', detail: 'gone' })).toMatchObject([
      { do: 'settle', slot: 1, outcome: 'given-back', endReason: 'not-prepared' },
      { do: 'prepare', slot: 2 },
    ]);
  });

  it('settles as interrupted, without complete, and reserves nothing while held (rule 14)', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    expect(loop.send({ type: 'hold', reason: 'covered' })).toEqual([
      { do: 'discard', slot: 2 },
      { do: 'stop' },
    ]);
    expect(loop.ended(1, 'stopped')).toEqual([
      expect.objectContaining({ do: 'settle', slot: 1, outcome: 'interrupted', endReason: 'covered' }),
    ]);
    expect(loop.send({ type: 'changed' })).toEqual([]);
    expect(loop.send({ type: 'resume' })).toEqual([expect.objectContaining({ do: 'prepare' })]);
  });

  it('makes a reservation void that is stored after the hold', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.send({ type: 'hold', reason: 'covered' });
    expect(loop.send({ type: 'reserved', slot: 1, stored: true })).toEqual([
      { do: 'discard', slot: 1 },
      expect.objectContaining({ do: 'settle', slot: 1, outcome: 'given-back', endReason: 'covered' }),
    ]);
  });

  it('counts a play that may have been shown when the window crashes, and starts again with the next window', () => {
    const loop = drive();
    loop.showFirst();
    loop.prepared(2);
    loop.world.now += 7750;
    loop.ending(1);
    loop.send({ type: 'reserved', slot: 2, stored: true });
    loop.world.now += 5_000;
    const report = expect.objectContaining({ viewedMs: 8_000 });
    expect(loop.send({ type: 'stage-lost' })).toMatchObject([
      { do: 'settle', slot: 1, outcome: 'interrupted', endReason: 'stage-lost', report },
      { do: 'settle', slot: 2, outcome: 'unknown' },
    ]);
    expect(loop.stage({ type: 'ready' })).toEqual([expect.objectContaining({ do: 'prepare', slot: 3 })]);
  });

  it.each([
    ['crashes', 400, 3_600],
    ['hung before', 3_500, 500],
    ['hung since before the first frame', 6_000, 0],
    ['never reported', Number.POSITIVE_INFINITY, 0],
  ])('counts no time as viewed after the last sign of life of a window that %s', (_, silentMs, viewedMs) => {
    const loop = drive();
    loop.showFirst();
    loop.world.now += 4_000;
    loop.world.silentMs = silentMs;
    expect(loop.send({ type: 'stage-lost' })).toEqual([
      expect.objectContaining({ do: 'settle', slot: 1, report: expect.objectContaining({ viewedMs }) }),
    ]);
  });

  it.each([-7_200_000, 7_200_000])(
    'counts what was viewed of a lost window, if the clock is set by %i ms meanwhile (rule 10)',
    (by) => {
      const loop = drive();
      loop.showFirst();
      loop.setClock(by);
      loop.world.now += 4_000;
      loop.world.silentMs = 400;
      const report = expect.objectContaining({ viewedMs: 3_600 });
      expect(loop.send({ type: 'stage-lost' })).toMatchObject([{ do: 'settle', shownAt: 1_000_000, report }]);
    },
  );

  it('prepares for the new window as soon as the reservation for the lost one is void', () => {
    const loop = drive();
    loop.stage({ type: 'ready' });
    loop.prepared(1);
    loop.send({ type: 'stage-lost' });
    expect(loop.stage({ type: 'ready' })).toEqual([]);
    expect(loop.send({ type: 'reserved', slot: 1, stored: true })).toMatchObject([
      { do: 'discard', slot: 1 },
      { do: 'settle', slot: 1, outcome: 'given-back' },
      { do: 'prepare', slot: 2 },
    ]);
  });

  it('assigns a tap to the ad whose frames are on the screen, to its end, and to no other (rule 18)', () => {
    const loop = drive();
    const tap = (slot: number) => loop.stage({ type: 'tap', slot, part: 'picture' });
    const taken = (slot: number) => [{ do: 'tapped', slot, part: 'picture' }];
    loop.showFirst();
    loop.prepared(2);
    expect(tap(1)).toEqual(taken(1));
    loop.world.now += 7750;
    loop.ending(1);
    loop.send({ type: 'reserved', slot: 2, stored: true });
    expect(tap(1)).toEqual(taken(1));
    // A tap as the slots change was meant for the slot before.
    expect(tap(2)).toEqual([]);
    loop.ended(1);
    expect(tap(1)).toEqual(taken(1));
    loop.stage({ type: 'presented', slot: 2 });
    expect(tap(2)).toEqual(taken(2));
    expect(tap(1)).toEqual([]);
  });

  it('ignores taps and views while something covers the stage', () => {
    const loop = drive();
    loop.showFirst();
    loop.send({ type: 'hold', reason: 'link-view' });
    expect(loop.stage({ type: 'tap', slot: 1, part: 'picture' })).toEqual([]);
    expect(loop.stage({ type: 'viewed', slot: 1 })).toEqual([]);
  });

  it('ignores late answers about earlier slots', () => {
    const loop = drive();
    loop.showFirst();
    expect(loop.prepared(1)).toEqual([]);
    expect(loop.stage({ type: 'presented', slot: 1 })).toEqual([]);
    expect(loop.stage({ type: 'failed', slot: 1, code: 'load-failed', detail: '' })).toEqual([]);
    expect(loop.send({ type: 'reserved', slot: 1, stored: true })).toEqual([]);
    expect(loop.ended(99)).toEqual([]);
  });
});

describe('for any order of events', () => {
  const slot = fc.integer({ min: 1, max: 8 });
  const anyEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
    fc.constant<LoopEvent>({ type: 'changed' }),
    fc.record({ type: fc.constant('reserved' as const), slot, stored: fc.boolean() }),
    fc.constant<LoopEvent>({ type: 'hold', reason: 'covered' }),
    fc.constant<LoopEvent>({ type: 'resume' }),
    fc.constant<LoopEvent>({ type: 'stage-lost' }),
    fc
      .oneof(
        fc.constant({ type: 'ready' as const }),
        fc.record({ type: fc.constant('prepared' as const), slot, durationMs: fc.constant(8000) }),
        fc.record({ type: fc.constant('presented' as const), slot }),
        fc.record({
          type: fc.constant('ending' as const),
          slot,
          remainingMs: fc.integer({ min: 0, max: 250 }),
        }),
        fc.record({
          type: fc.constant('ended' as const),
          slot,
          reason: fc.constantFrom('ended' as const, 'stopped' as const, 'stalled' as const),
          report: fc.constant({ viewedMs: 1, presentedFrames: null, droppedFrames: null, stalls: null }),
        }),
        fc.record({
          type: fc.constant('failed' as const),
          slot,
          code: fc.constantFrom('load-failed' as const, 'stopped' as const),
          detail: fc.constant(''),
        }),
      )
      .map((event): LoopEvent => ({ type: 'stage', event })),
  );

  it('a slot is shown only after it was reserved and stored, and settled at most once', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            event: anyEvent,
            pass: fc.integer({ min: 0, max: 9000 }),
            ads: fc.subarray(['a', 'b', 'c']),
          }),
          {
            maxLength: 80,
            size: 'max',
          },
        ),
        (script) => {
          const loop = drive();
          loop.stage({ type: 'ready' });
          const reserved = new Set<number>();
          const stored = new Set<number>();
          const settled = new Set<number>();
          for (const { event, pass, ads } of script) {
            loop.world.now += pass;
            loop.world.ads = ads;
            const before = loop.state();
            for (const effect of loop.send(event)) {
              if (effect.do === 'reserve') {
                expect(before.held === null || event.type === 'resume').toBe(true);
                expect(reserved.has(effect.slot)).toBe(false);
                reserved.add(effect.slot);
              }
              if (effect.do === 'show') {
                expect(event).toMatchObject({ type: 'reserved', slot: effect.slot, stored: true });
                expect(reserved.has(effect.slot)).toBe(true);
                stored.add(effect.slot);
              }
              if (effect.do === 'shown') expect(stored.has(effect.slot)).toBe(true);
              if (effect.do === 'settle') {
                expect(reserved.has(effect.slot)).toBe(true);
                expect(settled.has(effect.slot)).toBe(false);
                settled.add(effect.slot);
              }
            }
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
