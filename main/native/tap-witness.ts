export type TapWitness = ReturnType<typeof createTapWitness>;

/** The events that end a tap: a released mouse button, or a gesture that the browser recognised as a tap. */
const TAP_ENDS: ReadonlySet<string> = new Set(['mouseUp', 'gestureTap']);
/** After these a touch is no tap. Chromium sends no move while the finger stays within its slop. */
const NO_TAP: ReadonlySet<string> = new Set([
  'touchMove',
  'touchCancel',
  'touchScrollStarted',
  'gestureScrollBegin',
  'gesturePinchBegin',
  'gestureLongPress',
]);
/** Longest touch that is a tap, ms. */
const TAP_MS = 700;
/** A touch is followed by emulated mouse events: together they are one tap, ms. */
const SAME_TAP_MS = 400;
/**
 * Longest time from the input to the page's report of a click, ms: a busy page handles the input late. As long as
 * Chromium itself takes what a page does for the result of a tap (transient activation).
 */
export const CLAIM_WITHIN_MS = 5_000;

/**
 * Rule 18: a click is an input event that main itself has seen. A page can make
 * an event, but not make main see the input behind it. Times: monotonic, ms.
 */
export function createTapWitness() {
  let lastTapAt = Number.NEGATIVE_INFINITY;
  let claimed = true;
  /** Start of a touch that may become a tap. */
  let touchedAt = Number.NEGATIVE_INFINITY;
  /** The gesture of the touch that ended as a tap is still to come: late, where the page is busy. */
  let gestureFollows = false;
  return {
    /** Main saw an input event of this type (Electron's `input-event`) on a window or a registered guest. */
    saw(type: string, at: number): void {
      if (type === 'touchStart') {
        touchedAt = at;
        gestureFollows = false;
      }
      if (NO_TAP.has(type)) touchedAt = Number.NEGATIVE_INFINITY;
      // A page may leave in the event, before the gesture is recognised, or prevent the gesture.
      const isTap = type === 'touchEnd' ? at - touchedAt <= TAP_MS : TAP_ENDS.has(type);
      if (!isTap) return;
      if (type === 'gestureTap' && gestureFollows) {
        gestureFollows = false;
        lastTapAt = at;
        return;
      }
      gestureFollows = type === 'touchEnd';
      if (at - lastTapAt < SAME_TAP_MS) return;
      lastTapAt = at;
      claimed = false;
    },
    /** Whether there was a tap for a click reported at this time. One tap allows one click. */
    claim(at: number): boolean {
      if (claimed || at - lastTapAt > CLAIM_WITHIN_MS) return false;
      claimed = true;
      return true;
    },
  };
}
