import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DisplayChoice } from '../settings/locate-settings';
import { chooseAgain, chooseDisplay } from './choose-display';

const at = (x: number, y: number, label = '', id = 0) => ({ id, label, bounds: { x, y } });
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

const TILL = at(1920, 0, 'till', 1);
const OWN = at(0, 0, 'own', 2);

test.each<readonly [string, DisplayChoice, readonly (typeof OWN)[], string | undefined]>([
  ['is gone, and the one beside it has its number', 1, [TILL], undefined],
  ['is gone, and the one beside it has its name', 'own', [{ ...TILL, label: 'own' }], undefined],
  ['is back with another id', 1, [at(0, 0, 'again', 3), TILL], 'again'],
  ['has another number, because one beside it is gone', 2, [OWN], 'own'],
  ['is there, and the places were exchanged', 1, [at(-1920, 0, 'till', 1), OWN], 'till'],
  ['is gone, and nothing else is there', 1, [], undefined],
])('where the display that the kiosk covered %s', (_what, choice, displays, label) => {
  const covered = { display: OWN, others: new Set([TILL.id]) };
  expect(chooseAgain(displays, choice, covered)?.label).toBe(label);
});
