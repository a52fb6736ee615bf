import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DisplayChoice } from '../settings/locate-settings';
import { chooseDisplay } from './choose-display';

const at = (x: number, y: number, label = '') => ({ label, bounds: { x, y } });
const WALL = [at(1920, 0, 'right'), at(0, 1080, 'below'), at(0, 0, 'left')];

test.each<readonly [DisplayChoice, string | undefined]>([
  [1, 'left'],
  [2, 'below'],
  [3, 'right'],
  [4, undefined],
  ['right', 'right'],
  ['Right', undefined],
  ['', undefined],
  [null, undefined],
])('of three displays, %j selects the %s one', (choice, label) => {
  expect(chooseDisplay(WALL, choice)?.label).toBe(label);
});

test('each display has one number, whatever the order in which the system lists them', () => {
  const displays = fc.uniqueArray(fc.tuple(fc.integer(), fc.integer()), { maxLength: 6, selector: String });
  fc.assert(
    fc.property(displays, fc.infiniteStream(fc.nat()), (places, order) => {
      const listed = places.map(([x, y]) => at(x, y));
      const shuffled = listed.map((one) => [order.next().value, one] as const);
      shuffled.sort(([a], [b]) => a - b);
      const chosen = listed.map((_, index) => chooseDisplay(listed, index + 1));
      expect(new Set(chosen)).toEqual(new Set(listed));
      const again = shuffled.map(([, one]) => one);
      expect(listed.map((_, index) => chooseDisplay(again, index + 1))).toEqual(chosen);
      expect(chooseDisplay(listed, listed.length + 1)).toBeNull();
    }),
  );
});
