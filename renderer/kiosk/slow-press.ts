/** Not those of an ad: what counts as its click is decided by main (rule 18). */
const BUTTONS = ':is(.link-frame, .a-screen) button';

/**
 * Chromium makes no click of a touch of more than half a second, but a `contextmenu` while it lasts. For people with
 * slow hands it is a click on our buttons, if it ends on the one on which it began.
 */
export function clickAtSlowPresses(): void {
  let held: HTMLElement | null = null;
  const capture = { capture: true, passive: true };
  const begin = () => {
    held = null;
  };
  const becomeLong = ({ target, pointerType }: PointerEvent) => {
    if (pointerType === 'touch' && target instanceof Element) held = target.closest<HTMLElement>(BUTTONS);
  };
  const end = ({ clientX, clientY }: PointerEvent) => {
    if (held?.contains(document.elementFromPoint(clientX, clientY))) held.click();
    held = null;
  };
  addEventListener('pointerdown', begin, capture);
  addEventListener('contextmenu', becomeLong, capture);
  addEventListener('pointerup', end, capture);
}
