/** Not those of an ad: what counts as its click is decided by main (rule 18). */
const BUTTONS = ':is(.link-frame, .a-screen) button';

/**
 * Chromium makes no click of a touch of more than half a second, but a `contextmenu` while it lasts. For people with
 * slow hands it is a click on our buttons, if it ends on the one on which it began: what appeared under the finger
 * meanwhile was not meant.
 */
export function clickAtSlowPresses(): void {
  let pressed: HTMLElement | null = null;
  let isLong = false;
  const capture = { capture: true, passive: true };
  const begin = ({ target }: PointerEvent) => {
    pressed = target instanceof Element ? target.closest<HTMLElement>(BUTTONS) : null;
    isLong = false;
  };
  const becomeLong = ({ pointerType }: PointerEvent) => {
    isLong = pointerType === 'touch';
  };
  const end = ({ clientX, clientY }: PointerEvent) => {
    if (isLong && pressed?.contains(document.elementFromPoint(clientX, clientY))) pressed.click();
    pressed = null;
  };
  addEventListener('pointerdown', begin, capture);
  addEventListener('contextmenu', becomeLong, capture);
  addEventListener('pointerup', end, capture);
}
