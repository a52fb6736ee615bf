import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromZero, hours, powersOfTen } from './axes';

const texts = ({ ticks }: { ticks: ReadonlyArray<{ text: string }> }) => ticks.map(({ text }) => text);

describe('an axis', () => {
  it.each([
    [[3], ['0', '1', '2', '3', '4', '5']],
    [[7], ['0', '2', '4', '6', '8']],
    [
      [420, 17],
      ['0', '100', '200', '300', '400', '500'],
    ],
    [[8_640], ['0', '2,000', '4,000', '6,000', '8,000', '10,000']],
    [[], ['0', '1', '2', '3', '4', '5']],
  ])('from zero, for %j', (values, expected) => {
    expect(texts(fromZero('plays', values))).toEqual(expected);
  });

  it.each([
    [[1_000], ['1,000', '10,000']],
    [
      [10_000, 10_000_000],
      ['10,000', '100,000', '1,000,000', '10,000,000'],
    ],
    [
      [0.4, 90],
      ['1', '10', '100'],
    ],
  ])('of powers of ten, for %j', (values, expected) => {
    expect(texts(powersOfTen('plays', values))).toEqual(expected);
  });

  it('of hours, with the date', () => {
    const at = (hour: number) => Date.UTC(2026, 10, 21, hour);
    expect(texts(hours('hour', [at(17), at(30), at(41)]))).toEqual([
      '11-21 18:00',
      '11-22 00:00',
      '11-22 06:00',
      '11-22 12:00',
    ]);
    expect(texts(hours('hour', [at(18)]))).toEqual(['11-21 18:00']);
  });

  it('covers every value, in order, and its ticks', () => {
    const values = fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(fromZero, powersOfTen, hours), values, (axisOf, some) => {
        const { place, ticks } = axisOf('a name', some);
        const places = [...some.sort((a, b) => a - b), ...ticks.map(({ value }) => value)].map(place);
        for (const each of places) expect(each).toBeGreaterThanOrEqual(-1e-9);
        for (const each of places) expect(each).toBeLessThanOrEqual(1 + 1e-9);
        const ofValues = places.slice(0, some.length);
        expect(ofValues).toEqual([...ofValues].sort((a, b) => a - b));
        expect(ticks.length).toBeLessThanOrEqual(12);
      }),
    );
  });
});
