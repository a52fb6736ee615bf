import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allWell,
  type Help,
  noVitalSigns,
  observeVitals,
  SILENCE_MS,
  START_MS,
  type Vital,
  type VitalEvent,
} from './vital-signs';

/** Looks every second; `told` are events at whole seconds. Answers what help was due, and when. */
function watch(seconds: number, told: (second: number) => readonly VitalEvent[]) {
  let vitals = noVitalSigns;
  const help: (Help & { second: number })[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    for (const event of [...told(second), { type: 'look' } as const]) {
      const step = observeVitals(vitals, event, second * 1_000);
      vitals = step.vitals;
      help.push(...step.help.map((each) => ({ ...each, second })));
    }
  }
  return { help, well: allWell(vitals, seconds * 1_000) };
}
const started = (vital: Vital): VitalEvent => ({ type: 'started', vital });
const heard = (vital: Vital): VitalEvent => ({ type: 'heard', vital });

describe('vital signs', () => {
  it('who is heard of every second needs no help', () => {
    const { help, well } = watch(120, (second) => (second === 0 ? [started('picture')] : [heard('picture')]));
    expect(help).toEqual([]);
    expect(well).toBe(true);
  });

  it.each(Object.entries(SILENCE_MS) as [Vital, number][])(
    'a silent %s is helped after %i ms, and again while it stays silent',
    (vital, silenceMs) => {
      const { help, well } = watch(60, (second) =>
        second === 0 ? [started(vital)] : second <= 10 ? [heard(vital)] : [],
      );
      const first = 10 + Math.ceil(silenceMs / 1_000);
      expect(help[0]).toEqual({ vital, attempt: 1, second: first });
      expect(help[1]).toEqual({ vital, attempt: 2, second: first + Math.ceil(silenceMs / 1_000) });
      expect(well).toBe(false);
    },
  );

  it('what was started, or started over, gets the time to come up', () => {
    const { help } = watch(60, (second) => (second === 0 ? [started('picture')] : []));
    expect(help[0]?.second).toBe(START_MS / 1_000);
  });

  it('attempts go on counting over a replacement, and begin again once it was heard', () => {
    const { help } = watch(80, (second) => {
      if (second === 0) return [started('picture'), heard('picture')];
      if (second === 5) return [started('picture')];
      if (second === 40) return [heard('picture')];
      return [];
    });
    expect(help.map(({ second, attempt }) => [second, attempt])).toEqual([
      [25, 1],
      ...[30, 35].map((second, index) => [second, index + 2]),
      ...[45, 50, 55, 60, 65, 70, 75, 80].map((second, index) => [second, index + 1]),
    ]);
  });

  it('nobody is blamed for a time in which main stood still', () => {
    let { vitals } = observeVitals(noVitalSigns, heard('picture'), 0);
    ({ vitals } = observeVitals(vitals, { type: 'look' }, 0));
    const after = observeVitals(vitals, { type: 'look' }, 60_000);
    expect(after.help).toEqual([]);
    expect(observeVitals(after.vitals, { type: 'look' }, 61_000).help).toEqual([]);
    expect(observeVitals(after.vitals, { type: 'woke' }, 64_000).help).toEqual([]);
  });

  it('who is excused is not missed', () => {
    const { help, well } = watch(60, (second) =>
      second === 0 ? [heard('picture')] : second === 2 ? [{ type: 'excused', vital: 'picture' }] : [],
    );
    expect(help).toEqual([]);
    expect(well).toBe(true);
  });

  it('is not well before everybody expected was heard', () => {
    const both = watch(3, (second) => (second === 0 ? [started('picture'), started('records')] : []));
    expect(both.well).toBe(false);
    const one = watch(3, (second) =>
      second === 0 ? [started('picture'), started('records')] : [heard('records')],
    );
    expect(one.well).toBe(false);
  });

  it('whoever needs help has not been heard for its time, whatever happened', () => {
    const vital = fc.constantFrom<Vital>('picture', 'records', 'service');
    const event = fc.oneof(
      fc.record({ type: fc.constant('started' as const), vital }),
      fc.record({ type: fc.constant('heard' as const), vital }),
      fc.record({ type: fc.constant('excused' as const), vital }),
      fc.constant({ type: 'woke' as const }),
      fc.constant({ type: 'look' as const }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), event)), (story) => {
        let vitals = noVitalSigns;
        let now = 0;
        const lastWord = new Map<Vital, number>();
        for (const [wait, each] of story) {
          now += wait;
          const step = observeVitals(vitals, each, now);
          vitals = step.vitals;
          if (each.type === 'heard' || each.type === 'started') lastWord.set(each.vital, now);
          if (each.type === 'excused') lastWord.delete(each.vital);
          for (const help of step.help) {
            expect(now - (lastWord.get(help.vital) ?? now)).toBeGreaterThanOrEqual(SILENCE_MS[help.vital]);
            expect(help.attempt).toBeGreaterThan(0);
          }
        }
      }),
    );
  });
});
