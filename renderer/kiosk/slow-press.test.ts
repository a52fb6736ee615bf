import { afterEach, expect, it, vi } from 'vitest';
import { clickAtSlowPresses } from './slow-press';

/** An element of the page: a button, unless it has none around it. */
class PretendElement {
  clicks = 0;
  constructor(private readonly isButton = true) {}
  closest = () => (this.isButton ? this : null);
  contains = (other: unknown) => other === this;
  click(): void {
    this.clicks += 1;
  }
}

afterEach(() => vi.unstubAllGlobals());

const [back, other, picture] = [new PretendElement(), new PretendElement(), new PretendElement(false)];

it.each([
  ['a long touch that begins and ends on a button', back, 'touch', back, 1],
  ['a long touch that ends beside it', back, 'touch', other, 0],
  ['a long touch of what a button then takes the place of', picture, 'touch', back, 0],
  ['a press of the right mouse button', back, 'mouse', back, 0],
  ['a short touch, which is left to Chromium', back, null, back, 0],
] as const)('clicks for %s', (_what, first, longBy, last, clicks) => {
  const listeners = new Map<string, (event: object) => void>();
  vi.stubGlobal('Element', PretendElement);
  vi.stubGlobal('document', { elementFromPoint: () => last });
  vi.stubGlobal('addEventListener', (type: string, run: (event: object) => void) => listeners.set(type, run));
  for (const each of [back, other, picture]) each.clicks = 0;
  clickAtSlowPresses();
  listeners.get('pointerdown')?.({ target: first });
  if (longBy !== null) listeners.get('contextmenu')?.({ target: last, pointerType: longBy });
  listeners.get('pointerup')?.({ clientX: 0, clientY: 0 });
  expect([back, other, picture].map((each) => each.clicks)).toEqual([clicks, 0, 0]);
});
