import { performance } from 'node:perf_hooks';
import { say } from './say.mjs';
import { supervise } from './supervise.mjs';

/** Tells the kiosk that it is started over when it ends so; `main/shell/service-manager.ts` knows both. */
export const SUPERVISED = { ENDCAP_SUPERVISED: '1' };
const RESTART_EXIT_CODE = 75;

/** Ends that starting over does not mend: in order, for wrong settings or arguments, or without a program to start. */
const FOR_GOOD = new Set([0, 1, 2, 127]);

/** As often as parts of the kiosk are brought back: `main/shell/restart-budget.ts`. */
const TRIES = 5;
const WITHIN_MS = 60_000;

/**
 * Runs a kiosk as `supervise` does, and starts it over when it asks for it, when an error or a signal that we did
 * not send has ended it: the latter five times a minute at most.
 * @param {[command: string, ...args: string[]]} command
 * @param {import('node:child_process').SpawnOptions} options
 * @param {AbortSignal} [stop] asks it to end, as SIGTERM does
 * @returns {Promise<number>} the last exit code
 */
export async function keepRunning(command, options, stop) {
  /** @type {number[]} */
  let ends = [];
  for (;;) {
    const { code, wasAsked } = await supervise(command, options, stop);
    if (wasAsked || FOR_GOOD.has(code)) return code;
    if (code === RESTART_EXIT_CODE) {
      say('the kiosk starts over');
      continue;
    }
    const now = performance.now();
    ends = [...ends.filter((at) => at > now - WITHIN_MS), now];
    if (ends.length > TRIES) {
      say(
        `the kiosk ended ${ends.length} times within a minute. It is not started over any more; its log says why`,
      );
      return code;
    }
    say(`the kiosk ended unexpectedly (code ${code}); it is started over`);
  }
}
