import { type SpawnOptions, spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Command } from './programs.ts';
import { printStatus } from './say.ts';

/** Tells the kiosk that it is restarted after an error or this exit code; see `main/shell/service-manager.ts`. */
export const SUPERVISED = { ENDCAP_SUPERVISED: '1' };
const RESTART_EXIT_CODE = 75;

/**
 * Exit codes after which a restart does not help: an orderly end, wrong settings or arguments, a program that is
 * missing.
 */
const FOR_GOOD = new Set([0, 1, 2, 127]);

/** The same limit as for parts of the kiosk (`main/shell/unexpected-ends.ts`). */
const TRIES = 5;
const WITHIN_MS = 60_000;

/** How long a program may take to end after it was asked to, ms. */
const SETTLE_MS = 20_000;
/** npm passes on a Ctrl-C that the terminal has sent to this process already: two signals this close are one, ms. */
const SAME_KEYSTROKE_MS = 500;
const ORPHAN_CHECK_MS = 1_000;
/** Signals that ask a program to end. */
export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Runs a kiosk as `supervise` does. Restarts it when it asks for that, and at most five times a minute after an error
 * or a signal that this process did not send.
 * @param stop asks the kiosk to end, as SIGTERM does
 * @returns the last exit code
 */
export async function keepRunning(
  command: Command,
  options: SpawnOptions,
  stop?: AbortSignal,
): Promise<number> {
  let ends: number[] = [];
  for (;;) {
    const { code, wasAsked } = await supervise(command, options, stop);
    if (wasAsked || FOR_GOOD.has(code)) return code;
    if (code === RESTART_EXIT_CODE) {
      printStatus('the kiosk starts over');
      continue;
    }
    const now = performance.now();
    ends = [...ends.filter((at) => at > now - WITHIN_MS), now];
    if (ends.length > TRIES) {
      printStatus(
        `the kiosk ended ${ends.length} times within a minute. It is not started over any more; its log says why`,
      );
      return code;
    }
    printStatus(`the kiosk ended unexpectedly (code ${code}); it is started over`);
  }
}

/**
 * Runs a program: SIGTERM, SIGINT and SIGHUP ask it to end, a second SIGINT or a missed deadline kills it, and no
 * process of its process group remains.
 * @param stop asks it to end, as SIGTERM does
 * @returns its exit code, or 128 and the signal's number when a signal ended it; 127 when it could not be started
 */
export async function supervise(
  [program, ...args]: Command,
  options: SpawnOptions,
  stop?: AbortSignal,
): Promise<{ code: number; wasAsked: boolean }> {
  // A process group of its own, so that a terminal's Ctrl-C reaches the program only through this process, once.
  const child = spawn(program, args, { stdio: 'inherit', ...options, detached: true });
  let askedAt = 0;
  let deadline: NodeJS.Timeout | undefined;
  const killGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended already.
    }
  };
  const ask = (signal: NodeJS.Signals) => {
    if (deadline === undefined) {
      askedAt = performance.now();
      child.kill('SIGTERM');
      deadline = setTimeout(() => {
        printStatus(`it did not end within ${SETTLE_MS / 1000} s: killing it`);
        killGroup();
      }, SETTLE_MS);
    } else if (signal === 'SIGINT' && performance.now() - askedAt > SAME_KEYSTROKE_MS) killGroup();
  };
  for (const signal of SIGNALS) process.on(signal, ask);
  const stopping = stop && addAbortListener(stop, () => ask('SIGTERM'));
  const end = once(child, 'exit').then(([code, signal]) => code ?? codeOf(signal));
  const code = await end.catch(({ message }) => {
    printStatus(message);
    return 127;
  });
  clearTimeout(deadline);
  for (const signal of SIGNALS) process.off(signal, ask);
  stopping?.[Symbol.dispose]();
  killGroup();
  return { code, wasAsked: deadline !== undefined };
}

/** The exit code that shells report for a program that a signal ended. */
export const codeOf = (signal: NodeJS.Signals | null): number =>
  128 + (signal === null ? 0 : constants.signals[signal]);

/** Ends this process when npm is gone: an npm that was killed passes no signal on. */
export function watchNpm(): void {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const check = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM');
  setInterval(check, ORPHAN_CHECK_MS).unref();
}
