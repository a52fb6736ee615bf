import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWeakPin } from './weak-pin';

describe('the check of a new PIN', () => {
  it.each([
    ['', 'too-short'],
    ['738', 'too-short'],
    ['7382941650273', 'too-long'],
    ['73a8', 'not-digits'],
    ['٣٤٧٩', 'not-digits'],
    ['73 81', 'not-digits'],
    ['0000', 'all-equal'],
    ['1234', 'sequence'],
    ['8901', 'sequence'],
    ['3210', 'sequence'],
    ['1098', 'sequence'],
    ['1212', 'repeats'],
    ['738738', 'repeats'],
    ['1122', 'repeats'],
    ['1987', 'year'],
    ['2026', 'year'],
    ['2580', 'common'],
  ])('%j is refused: %s', (pin) => {
    expect(isWeakPin(pin)).toBe(true);
  });

  it.each(['7382', '1357', '198712', '738291', '738294165027'])('%s is accepted', (pin) => {
    expect(isWeakPin(pin)).toBe(false);
  });

  it('accepts most PINs of four digits', () => {
    const weak = Array.from({ length: 10_000 }, (_, pin) => String(pin).padStart(4, '0')).filter(isWeakPin);
    expect(weak.length).toBeLessThan(500);
  });

  it('never accepts a PIN that repeats one part', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{2,4}$/), fc.integer({ min: 2, max: 3 }), (part, times) => {
        expect(isWeakPin(part.repeat(times))).toBe(true);
      }),
    );
  });
});
