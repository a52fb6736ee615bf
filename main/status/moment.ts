import type { Clock } from '../../shared/clock';

/** What a clock corrects gradually, ms: a moment that moved with it would look like another one, a restart for example. */
const GRADUALLY_MS = 120_000;

/**
 * Returns when it was `agoMs` ms before this call, in ms since the epoch by the clock as it is set when it is asked: at a
 * start a clock may be years off.
 *
 * @param clock its monotonic time has to go on while the machine sleeps
 */
export function momentBefore(clock: Clock, agoMs = 0): () => number {
  const was = clock.monotonic() - agoMs;
  let at: number | null = null;
  return () => {
    const now = clock.now() - (clock.monotonic() - was);
    if (at === null || Math.abs(now - at) >= GRADUALLY_MS) at = now;
    return at;
  };
}
