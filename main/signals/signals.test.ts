import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Context, EMPTY_CONTEXT } from '../decisions/audience';
import { expandOnlineParams } from '../service/online-params';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { readSignal, type Signal } from './signal-bodies';
import type { SignalKind } from './signal-kinds';
import { createSignals } from './signals';

function signal(kind: SignalKind, body: unknown): Signal {
  const reading = readSignal(kind, body);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.signal;
}

function start() {
  const time = handTurnedTime();
  const signals = createSignals(time);
  const told: Context[] = [];
  /** What `somebodyThere` returns at each of these calls. */
  const present: boolean[] = [];
  signals.onChange((context) => {
    told.push(context);
    present.push(signals.somebodyThere());
  });
  return { time, signals, told, present };
}

const woman = { people: [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' }] };

describe('the signal store', () => {
  it('is empty at first', () => {
    expect(start().signals.current()).toEqual(EMPTY_CONTEXT);
  });

  it('returns a signal until just before the end of its time to live', () => {
    const { time, signals } = start();
    signals.set(signal('cart', { skus: ['1'], ttlSeconds: 2 }));
    time.drift(1999);
    expect(signals.current().cart).toEqual({ skus: ['1'], items: [] });
    time.drift(1);
    expect(signals.current().cart).toBeNull();
  });

  it('replaces a signal and its time to live only with a signal of the same kind', () => {
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

  it('reports when a signal is set, cleared or expires', () => {
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

  it('renews the time to live without a report if the signal is the same', () => {
    const { time, signals, told } = start();
    for (let i = 0; i < 5; i += 1) {
      signals.set(signal('shopper', woman));
      time.pass(9000);
    }
    expect(told).toHaveLength(1);
    expect(signals.current().shopper).not.toBeNull();
    expect(time.waits()).toHaveLength(1);
  });

  it('reports the gap if a signal returns after it expired, even if its timer is late', () => {
    const { time, signals, told } = start();
    signals.set(signal('shopper', woman));
    time.drift(10_000);
    expect(signals.current().shopper).toBeNull();
    signals.set(signal('shopper', woman));
    expect(told.map(({ shopper }) => shopper !== null)).toEqual([true, false, true]);
  });

  it('reports that no shopper is present after the first signal of a sensor (rule 19)', () => {
    const { signals, present } = start();
    expect(signals.somebodyThere()).toBe(true);
    signals.set(signal('shopper', { people: [], groupSize: 0 }));
    expect([signals.somebodyThere(), present]).toEqual([false, [false]]);
  });

  it('assumes a shopper if the sensor is silent; only an unexpired signal reports that none is present', () => {
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

  it('checks again when its timer fires early', () => {
    let now = 0;
    const tasks: Array<() => void> = [];
    const signals = createSignals({
      clock: { monotonic: () => now },
      schedule(_ms, task) {
        tasks.push(task);
        return () => tasks.splice(tasks.indexOf(task), 1);
      },
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

  it('returns ages and counts, never the content of a signal', () => {
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

  it('has the temperature for the parameters of an online request', () => {
    const { signals } = start();
    signals.set(signal('weather', { temperatureCelsius: 24.5 }));
    expect(expandOnlineParams({ temp: '{weather.temperatureCelsius}' }, signals.current())).toEqual({
      temp: ['24.5'],
    });
  });

  it('always returns the latest unexpired signal, and reports every change once', () => {
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
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
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
