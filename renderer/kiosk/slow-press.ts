/**
 * What the overlay and the link view have to press. Nothing of an ad: what counts as its click is decided by main
 * (rule 18).
 */
const OURS = ':is(.link-frame, .a-screen) button, .a-screen :is(input, summary)';

interface Touch {
  readonly pressed: HTMLElement | null;
  /** Chromium takes it for no tap. */
  isNoTap: boolean;
}

/**
 * Chromium makes a click of taps only: not of a touch of more than half a second, which has a `contextmenu` while it
 * lasts, and not of touches that overlap, of two thumbs or of a finger beside a palm. On what is ours each of them is a
 * click, if it ends where it began: what appeared under the finger meanwhile was not meant.
 */
export function clickAtSlowPresses(): void {
  /** By pointer: those that are down. */
  const touches = new Map<number, Touch>();
  /** Pointers whose click was made here: should Chromium make one too, it is dropped. */
  const clicked = new Set<number>();
  const noneIsTap = () => {
    for (const touch of touches.values()) touch.isNoTap = true;
  };
  const begin = ({ target, pointerId, pointerType, isPrimary }: PointerEvent) => {
    if (pointerType !== 'touch') return;
    if (isPrimary) {
      // No other touch is down.
      touches.clear();
      clicked.clear();
    }
    const pressed = target instanceof Element ? target.closest<HTMLElement>(OURS) : null;
    // Two fingers on one button are one press.
    const isPressed = [...touches.values()].some((touch) => touch.pressed === pressed);
    touches.set(pointerId, { pressed: isPressed ? null : pressed, isNoTap: false });
    if (touches.size > 1) noneIsTap();
  };
  const becomeLong = ({ pointerType }: PointerEvent) => {
    if (pointerType === 'touch') noneIsTap();
  };
  const end = ({ type, pointerId, clientX, clientY }: PointerEvent) => {
    const touch = touches.get(pointerId);
    touches.delete(pointerId);
    if (type === 'pointercancel' || !touch?.isNoTap) return;
    if (!touch.pressed?.contains(document.elementFromPoint(clientX, clientY))) return;
    clicked.add(pointerId);
    // A field is typed into; a button leaves the focus where it is, because some keep the keyboard open.
    if (touch.pressed.matches('input')) touch.pressed.focus();
    touch.pressed.click();
  };
  const dropSecond = (event: PointerEvent) => {
    if (!clicked.has(event.pointerId)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const capture = { capture: true, passive: true };
  addEventListener('pointerdown', begin, capture);
  addEventListener('contextmenu', becomeLong, capture);
  addEventListener('pointerup', end, capture);
  addEventListener('pointercancel', end, capture);
  addEventListener('click', dropSecond, { capture: true });
}
