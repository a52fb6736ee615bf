import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { say } from './say.mjs';

/** How long a program may take to end after it was asked to. */
const SETTLE_MS = 20_000;
/** npm passes a Ctrl-C on that the terminal has sent us already: two this close are one. */
const SAME_KEYSTROKE_MS = 500;
const ORPHAN_CHECK_MS = 1_000;

/**
 * Runs a program as ours: SIGTERM, SIGINT and SIGHUP ask it to end, a second SIGINT
 * or a missed deadline kills it, and nothing of its process group is left behind.
 * @param {[command: string, ...args: string[]]} command
 * @param {import('node:child_process').SpawnOptions} options
 * @param {AbortSignal} [stop] asks it to end, as SIGTERM does
 * @returns {Promise<{ code: number, wasAsked: boolean }>} its exit code, or 128 and the signal's number when a signal
 *   ended it; and whether it was asked to end
 */
export function supervise([command, ...args], options, stop) {
  return new Promise((resolve) => {
    // A group of its own: a terminal's Ctrl-C reaches it through us, once.
    const child = spawn(command, args, { stdio: 'inherit', ...options, detached: true });
    let askedAt = Number.NEGATIVE_INFINITY;
    /** @type {NodeJS.Timeout | undefined} */
    let deadline;
    const killGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The whole group has ended already.
      }
    };
    const ask = (/** @type {NodeJS.Signals} */ signal) => {
      const now = performance.now();
      if (deadline === undefined) {
        askedAt = now;
        child.kill('SIGTERM');
        deadline = setTimeout(() => {
          say(`it did not end within ${SETTLE_MS / 1000} s: killing it`);
          killGroup();
        }, SETTLE_MS);
      } else if (signal === 'SIGINT' && now - askedAt > SAME_KEYSTROKE_MS) {
        killGroup();
      }
    };
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
    for (const signal of signals) process.on(signal, ask);
    const stopNow = () => ask('SIGTERM');
    stop?.addEventListener('abort', stopNow);
    // npm killed the hard way passes nothing on, and would leave us without anybody to stop us.
    const parent = process.ppid;
    const orphanCheck =
      process.env.npm_lifecycle_event === undefined
        ? undefined
        : setInterval(() => {
            if (process.ppid !== parent) ask('SIGTERM');
          }, ORPHAN_CHECK_MS);
    const end = (/** @type {number} */ code) => {
      clearTimeout(deadline);
      clearInterval(orphanCheck);
      for (const signal of signals) process.off(signal, ask);
      stop?.removeEventListener('abort', stopNow);
      killGroup();
      resolve({ code, wasAsked: deadline !== undefined });
    };
    child.once('error', (error) => {
      say(error.message);
      end(127);
    });
    child.once('exit', (code, signal) =>
      end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
