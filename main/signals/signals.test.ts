import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { type Context, EMPTY_CONTEXT } from '../decisions/audience';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { readSignal, type Signal, type SignalKind } from './signal-bodies';
import { createSignals } from './signals';

function signal(kind: SignalKind, body: unknown): Signal {
  const reading = readSignal(kind, body);
  if (!reading.ok) throw new Error(reading.fault.message);
  return reading.signal;
}

function start() {
  const time = handTurnedTime();
  const signals = createSignals({ clock: time.clock, schedule: time.schedule, log: silentLog });
  const told: Context[] = [];
  /** What `somebodyThere` returns at each of these calls. */
  const present: boolean[] = [];
  const stop = signals.onChange((context) => {
    told.push(context);
    present.push(signals.somebodyThere());
  });
  return { time, signals, told, present, stop };
}

const woman = { people: [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' }] };

describe('signals', () => {
  it('knows nothing at first', () => {
    expect(start().signals.current()).toEqual(EMPTY_CONTEXT);
  });

  it('counts until its time to live is over, and not at its very end', () => {
    const { time, signals } = start();
    signals.set(signal('cart', { skus: ['1'], ttlSeconds: 2 }));
    time.drift(1999);
    expect(signals.current().cart).toEqual({ skus: ['1'], items: [] });
    time.drift(1);
    expect(signals.current().cart).toBeNull();
  });

  it('replaces the earlier signal of its kind with its time to live, and no other kind', () => {
    const { time, signals } = start();
    signals.set(signal('cart', { skus: ['1'], ttlSeconds: 100 }));
    signals.set(signal('weather', { types: ['WEATHER_TYPE_SUNNY'], ttlSeconds: 100 }));
    signals.set(signal('cart', { skus: ['2'], ttlSeconds: 1 }));
    expect(signals.current().cart).toEqual({ skus: ['2'], items: [] });
    time.pass(1000);
    expect(signals.current()).toEqual({
      shopper: null,
      cart: null,
      weather: { types: ['WEATHER_TYPE_SUNNY'] },
    });
  });

  it('tells when a signal comes, goes and runs out', () => {
    const { time, signals, told } = start();
    signals.set(signal('shopper', woman));
    signals.set(signal('cart', { items: ['milk'] }));
    signals.clear('cart');
    time.pass(10_000);
    expect(told.map(({ shopper, cart }) => [shopper !== null, cart !== null])).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [false, false],
    ]);
    expect(time.waits()).toEqual([]);
  });

  it('renews a time to live in silence when the signal says the same', () => {
    const { time, signals, told } = start();
    for (let i = 0; i < 5; i += 1) {
      signals.set(signal('shopper', woman));
      time.pass(9000);
    }
    expect(told).toHaveLength(1);
    expect(signals.current().shopper).not.toBeNull();
  });

  it('tells of the gap when a signal returns after it ran out, though its timer is late', () => {
    const { time, signals, told } = start();
    signals.set(signal('shopper', woman));
    time.drift(10_000);
    expect(signals.current().shopper).toBeNull();
    signals.set(signal('shopper', woman));
    expect(told.map(({ shopper }) => shopper !== null)).toEqual([true, false, true]);
  });

  it('hears from the very first signal of a sensor that nobody is there (rule 19)', () => {
    const { signals, present } = start();
    expect(signals.somebodyThere()).toBe(true);
    signals.set(signal('shopper', { people: [], groupSize: 0 }));
    expect([signals.somebodyThere(), present]).toEqual([false, [false]]);
  });

  it('takes a silent sensor for none: only a signal that still counts says that nobody is there', () => {
    const { time, signals, present } = start();
    signals.set(signal('shopper', woman));
    time.pass(10_000);
    expect([signals.somebodyThere(), present]).toEqual([true, [true, true]]);
    signals.set(signal('shopper', { groupSize: 0 }));
    time.pass(9_999);
    expect(signals.somebodyThere()).toBe(false);
    time.pass(1);
    expect([signals.somebodyThere(), present]).toEqual([true, [true, true, false, true]]);
    signals.set(signal('shopper', { groupSize: 0 }));
    signals.clear('shopper');
    expect(signals.somebodyThere()).toBe(true);
  });

  it('looks again when its timer fires early', () => {
    let now = 0;
    const tasks: Array<() => void> = [];
    const signals = createSignals({
      clock: { monotonic: () => now },
      schedule(_ms, task) {
        tasks.push(task);
        return () => tasks.splice(tasks.indexOf(task), 1);
      },
      log: silentLog,
    });
    const told: Context[] = [];
    signals.onChange((context) => told.push(context));
    signals.set(signal('cart', { skus: ['1'], ttlSeconds: 1 }));
    now = 999.5;
    tasks.shift()?.();
    expect(told).toHaveLength(1);
    now = 1000.5;
    tasks.shift()?.();
    expect(told).toHaveLength(2);
    expect(tasks).toHaveLength(0);
  });

  it('tells the others though one listener fails', () => {
    const time = handTurnedTime();
    const errors: string[] = [];
    const log = { ...silentLog, error: (event: string) => errors.push(event) };
    const signals = createSignals({ clock: time.clock, schedule: time.schedule, log });
    let heard = 0;
    signals.onChange(() => {
      throw new Error('a bug');
    });
    signals.onChange(() => {
      heard += 1;
    });
    signals.set(signal('shopper', woman));
    expect(heard).toBe(1);
    expect(errors).toHaveLength(1);
  });

  it('tells nobody who stopped listening', () => {
    const { signals, told, stop } = start();
    stop();
    signals.set(signal('shopper', woman));
    expect(told).toEqual([]);
  });

  it('gives ages and counts, and never what a signal says', () => {
    const { time, signals } = start();
    signals.set(signal('shopper', { ...woman, groupSize: 3 }));
    signals.set(signal('cart', { skus: ['secret-sku'], items: ['wine'], ttlSeconds: 60 }));
    signals.set(signal('weather', { temperatureCelsius: 25 }));
    time.pass(4000);
    expect(signals.ages()).toEqual({
      shopper: { ageMs: 4000, remainingMs: 6000, count: 3 },
      cart: { ageMs: 4000, remainingMs: 56_000, count: 2 },
      weather: { ageMs: 4000, remainingMs: 10_796_000, count: 1 },
    });
    time.pass(6000);
    expect(signals.ages().shopper).toBeNull();
  });

  it('forgets everything and leaves no timer when it is disposed of', () => {
    const { time, signals } = start();
    signals.set(signal('shopper', woman));
    signals.dispose();
    expect(signals.current()).toEqual(EMPTY_CONTEXT);
    expect(time.waits()).toEqual([]);
  });

  it('always shows the latest unexpired signal, and tells of every change once', () => {
    const kind = fc.constantFrom<SignalKind>('shopper', 'cart', 'weather');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('set' as const),
        kind,
        variant: fc.integer({ min: 0, max: 2 }),
        ttlSeconds: fc.integer({ min: 1, max: 20 }).map((tenths) => tenths / 10),
      }),
      fc.record({ do: fc.constant('clear' as const), kind }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 1500 }) }),
      fc.record({ do: fc.constant('drift' as const), ms: fc.integer({ min: 0, max: 500 }) }),
    );
    const bodies: Record<SignalKind, (variant: number) => Record<string, unknown>> = {
      shopper: (variant) => ({ groupSize: variant }),
      cart: (variant) => ({ skus: [`sku-${variant}`] }),
      weather: (variant) => ({ types: [`WEATHER_TYPE_${variant}`] }),
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { time, signals, told, present } = start();
        const history: Array<{ kind: SignalKind; at: number; signal: Signal | null }> = [];
        // The oracle: the last entry of each kind in the whole history, if it has not expired.
        const expected = (): Context => {
          const now = time.clock.monotonic();
          const value = <K extends SignalKind>(name: K) => {
            const last = history.filter((entry) => entry.kind === name).at(-1);
            if (last === undefined || last.signal === null || now - last.at >= last.signal.ttlMs) return null;
            return last.signal.value;
          };
          return { shopper: value('shopper'), cart: value('cart'), weather: value('weather') } as Context;
        };
        const saysNobody = (): boolean => {
          const last = history.filter((entry) => entry.kind === 'shopper').at(-1);
          if (!last?.signal || time.clock.monotonic() - last.at >= last.signal.ttlMs) return false;
          return last.signal.value === null;
        };
        for (const action of steps) {
          if (action.do === 'set') {
            const body = { ...bodies[action.kind](action.variant), ttlSeconds: action.ttlSeconds };
            const next = signal(action.kind, body);
            history.push({ kind: action.kind, at: time.clock.monotonic(), signal: next });
            signals.set(next);
          } else if (action.do === 'clear') {
            history.push({ kind: action.kind, at: time.clock.monotonic(), signal: null });
            signals.clear(action.kind);
          } else if (action.do === 'advance') {
            time.pass(action.ms);
          } else {
            time.drift(action.ms);
          }
          expect(signals.current()).toEqual(expected());
          expect(signals.somebodyThere()).toBe(!saysNobody());
          if (action.do === 'drift') continue;
          expect(told.at(-1) ?? EMPTY_CONTEXT).toEqual(expected());
          expect(present.at(-1) ?? true).toBe(!saysNobody());
        }
        time.pass(5000);
        expect(signals.current()).toEqual(EMPTY_CONTEXT);
        expect(time.waits()).toEqual([]);
        for (const [i, context] of told.entries())
          expect([context, present[i]]).not.toEqual([told[i - 1] ?? EMPTY_CONTEXT, present[i - 1] ?? true]);
      }),
    );
  });
});
