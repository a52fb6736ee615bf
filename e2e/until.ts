import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../main/describe-error';

const LOOK_MS = 100;
/** An answer that takes longer counts as false, and the question is asked again, ms. */
const ANSWER_MS = 30_000;

/**
 * Waits until `holds` gives true; an error (such as a port that is not open yet) counts as false. Throws after
 * `withinMs` with what was waited for and the last error.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
  what: string | (() => string) = 'a condition',
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    let reason = '';
    const late = sleep(ANSWER_MS, false, { ref: false });
    const held = await Promise.race([Promise.resolve().then(holds), late]).catch((error: unknown) => {
      reason = messageOf(error);
      return false;
    });
    if (held) return;
    if (performance.now() > deadline) {
      const awaited = typeof what === 'string' ? what : what();
      throw new Error(`timed out after ${withinMs / 1000} s waiting for ${awaited}. ${reason}`);
    }
    await sleep(LOOK_MS);
  }
}
