import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clickAtSlowPresses } from './slow-press';

/** An element of the page: a button or a field, unless it has none around it. */
class PretendElement {
  /** What was done to it, in order. */
  done: string[] = [];
  constructor(private readonly is: 'button' | 'input' | 'picture' = 'button') {}
  closest = () => (this.is === 'picture' ? null : this);
  matches = (selector: string) => selector === this.is;
  contains = (other: unknown) => other === this;
  focus = () => void this.done.push('focus');
  click = () => void this.done.push('click');
}

const back = new PretendElement();
const other = new PretendElement();
const picture = new PretendElement('picture');
const field = new PretendElement('input');
const ALL = [back, other, picture, field];

let listeners: Map<string, (event: object) => void>;
/** What lies under the fingers. */
let under: PretendElement;

beforeEach(() => {
  listeners = new Map();
  vi.stubGlobal('Element', PretendElement);
  vi.stubGlobal('document', { elementFromPoint: () => under });
  vi.stubGlobal('addEventListener', (type: string, run: (event: object) => void) => listeners.set(type, run));
  for (const each of ALL) each.done = [];
  clickAtSlowPresses();
});
afterEach(() => vi.unstubAllGlobals());

const tell = (type: string, event: object) =>
  listeners.get(type)?.({ type, clientX: 0, clientY: 0, ...event });

/** A finger, or a mouse. Pointers of touches have a new id each. */
function pointer(pointerId: number, { pointerType = 'touch', isPrimary = true } = {}) {
  const same = { pointerId, pointerType, isPrimary };
  return {
    down(target: PretendElement) {
      under = target;
      tell('pointerdown', { ...same, target });
    },
    stay: () => tell('contextmenu', { ...same, target: under }),
    lift(target: PretendElement) {
      under = target;
      tell('pointerup', { ...same, target });
    },
    cancel: () => tell('pointercancel', same),
    /** Returns whether a click that Chromium itself makes of it reaches the page. */
    click() {
      let reaches = true;
      const drop = () => {
        reaches = false;
      };
      tell('click', { ...same, preventDefault: () => undefined, stopImmediatePropagation: drop });
      return reaches;
    },
  };
}
const second = { isPrimary: false };
const done = () => ALL.map((each) => each.done.join());

it.each([
  ['a long touch that begins and ends on a button', back, 'touch', back, 'click'],
  ['a long touch that ends beside it', back, 'touch', other, ''],
  ['a long touch of what a button then takes the place of', picture, 'touch', back, ''],
  ['a press of the right mouse button', back, 'mouse', back, ''],
  ['a short touch, which is left to Chromium', back, null, back, ''],
] as const)('clicks for %s', (_what, first, longBy, last, expected) => {
  const one = pointer(2, { pointerType: longBy ?? 'touch' });
  one.down(first);
  if (longBy !== null) one.stay();
  one.lift(last);
  expect(done()).toEqual([expected, '', '', '']);
});

it('after a long touch of a field, it has the focus before its click', () => {
  const one = pointer(2);
  one.down(field);
  one.stay();
  one.lift(field);
  expect(field.done).toEqual(['focus', 'click']);
});

it('clicks once for each of two touches that overlap, whichever ends first', () => {
  const [one, two] = [pointer(2), pointer(3, second)];
  one.down(back);
  two.down(other);
  two.lift(other);
  expect(done()).toEqual(['', 'click', '', '']);
  one.lift(back);
  expect(done()).toEqual(['click', 'click', '', '']);
  // Should Chromium make one of them too, it does not count again.
  expect([one.click(), two.click()]).toEqual([false, false]);
});

it('clicks for a finger while a palm rests on the glass, and again for the next', () => {
  pointer(2).down(picture);
  for (const id of [3, 4]) {
    const finger = pointer(id, second);
    finger.down(back);
    finger.lift(back);
  }
  expect(done()).toEqual(['click,click', '', '', '']);
});

it('leaves the next touch to Chromium once all fingers are lifted, even if the end of one was not told', () => {
  const lost = pointer(2);
  lost.down(picture);
  const next = pointer(3);
  next.down(back);
  next.lift(back);
  expect(next.click()).toBe(true);
  expect(done()).toEqual(['', '', '', '']);
});

it.each([
  ['two fingers on one button are one press', back, 'lift', back, 'click'],
  ['a touch that scrolls presses nothing', other, 'cancel', other, ''],
] as const)('%s', (_what, on, ends, expectedOn, expected) => {
  const [one, two] = [pointer(2), pointer(3, second)];
  one.down(on);
  two.down(on);
  one[ends](on);
  two[ends](on);
  expect(expectedOn.done.join()).toBe(expected);
});

it('a mouse beside a finger is left to Chromium', () => {
  const [mouse, finger] = [pointer(1, { pointerType: 'mouse' }), pointer(2)];
  mouse.down(other);
  finger.down(back);
  mouse.lift(other);
  finger.lift(back);
  expect([mouse.click(), finger.click()]).toEqual([true, true]);
  expect(done()).toEqual(['', '', '', '']);
});
