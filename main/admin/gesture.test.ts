import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cornerSize, isShortcut, stepGesture, type Tap } from './gesture';

const gesture = { corner: 'top-left', taps: 5, withinSeconds: 3 } as const;
const tap = (at: number, x = 10, y = 10): Tap => ({ x, y, width: 1920, height: 1080, at });

/** After which of the taps (from 1) the gesture was recognised. */
function recognisedAfter(taps: readonly Tap[], how: Parameters<typeof stepGesture>[2] = gesture): number[] {
  let state: readonly number[] = [];
  return taps.flatMap((one, index) => {
    const step = stepGesture(state, one, how);
    state = step.state;
    return step.recognised ? [index + 1] : [];
  });
}

describe('the gesture', () => {
  it.each([
    ['five within three seconds', [0, 700, 1400, 2100, 3000], [5]],
    ['five in a little more', [0, 700, 1400, 2100, 3001], []],
    ['a late start of the last five', [0, 5000, 5100, 5200, 5300, 5400], [6]],
    ['four', [0, 1, 2, 3], []],
    ['ten: twice', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [5, 10]],
  ])('%s', (_case, times, expected) => {
    expect(recognisedAfter(times.map((at) => tap(at)))).toEqual(expected);
  });

  it('starts over with a press elsewhere', () => {
    const taps = [tap(0), tap(1), tap(2), tap(3), tap(4, 960, 540), tap(5), tap(6), tap(7), tap(8)];
    expect(recognisedAfter(taps)).toEqual([]);
    expect(recognisedAfter([...taps, tap(9)])).toEqual([10]);
  });

  it.each([
    ['top-left', 5, 5],
    ['top-right', 1915, 5],
    ['bottom-left', 5, 1075],
    ['bottom-right', 1915, 1075],
  ] as const)('is recognised only in the %s corner if that is set', (corner, x, y) => {
    const five = [0, 1, 2, 3, 4].map((at) => tap(at, x, y));
    for (const other of ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const) {
      expect(recognisedAfter(five, { ...gesture, corner: other })).toEqual(other === corner ? [5] : []);
    }
  });

  it.each([
    [1280, 720, 86.4],
    [1080, 1920, 129.6],
    [3840, 2160, 240],
    [320, 240, 72],
  ])('for %i × %i px uses a corner of %d px', (width, height, size) => {
    expect(cornerSize(width, height)).toBeCloseTo(size);
  });

  it('is recognised exactly when enough taps in a row hit the corner within the time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.integer({ min: 0, max: 1500 }), inside: fc.boolean() }), {
          maxLength: 40,
          size: 'max',
        }),
        fc.integer({ min: 3, max: 6 }),
        (presses, taps) => {
          let at = 0;
          const given = presses.map(({ wait, inside }) => {
            at += wait;
            return inside ? tap(at) : tap(at, 960, 540);
          });
          let since = 0;
          const slow = given.flatMap((one, index) => {
            if (one.x > 100) {
              since = index + 1;
              return [];
            }
            const first = given[index - taps + 1];
            if (index - taps + 1 < since || !first || one.at - first.at > 3_000) return [];
            since = index + 1;
            return [index + 1];
          });
          expect(recognisedAfter(given, { ...gesture, taps })).toEqual(slow);
        },
      ),
    );
  });

  it('ignores taps outside the screen', () => {
    for (const x of [Number.NaN, -1, 5_000]) {
      expect(recognisedAfter([0, 1, 2, 3, 4].map((at) => tap(at, x)))).toEqual([]);
    }
  });
});

describe('the shortcut', () => {
  const keys = {
    key: 'F12',
    code: 'F12',
    control: true,
    alt: false,
    shift: true,
    meta: false,
    isAutoRepeat: false,
  };
  it.each([
    ['Ctrl+Shift+F12', {}, true],
    ['Ctrl+Shift+F12', { shift: false }, false],
    ['Ctrl+Shift+F12', { alt: true }, false],
    ['Ctrl+Shift+F12', { isAutoRepeat: true }, false],
    ['Ctrl+Shift+F11', {}, false],
    ['Ctrl+Shift+A', { key: 'A', code: 'KeyA' }, true],
    ['Ctrl+Shift+A', { key: 'Ф', code: 'KeyA' }, true],
    ['Ctrl+Shift+7', { key: '/', code: 'Digit7' }, true],
    [null, {}, false],
  ])('%s with %o: %s', (shortcut, changed, expected) => {
    expect(isShortcut({ ...keys, ...changed }, shortcut)).toBe(expected);
  });
});
