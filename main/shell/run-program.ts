import { execFile } from 'node:child_process';
import { beforeDeadline, isTimeout, startDeadline } from '../deadline';
import { type Schedule, timers } from '../schedule';

/** Runs a program of the system to its end; resolves to what it wrote, rejects when it failed or took too long. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** Most output of a program, bytes; one that writes more is killed. */
const MAX_OUTPUT = 256 * 1024;
const MAX_COMPLAINT = 200;
/** A killed program ends within this time unless it hangs in the kernel, ms. */
const KILLED_MS = 1_000;

/**
 * Runs programs without a shell, for at most `timeoutMs` and 256 KiB of output. Their output is in English, because we
 * read it: pactl translates even the values in its JSON. The error's message is one line.
 */
export const programRunner = (timeoutMs: number): RunProgram =>
  endedWithin(untilItEnds(timeoutMs), timeoutMs + KILLED_MS, timers);

export const runProgram = programRunner(10_000);

/**
 * Gives a program up after `limitMs` although it has not ended: one that hangs in the kernel cannot be killed, and its
 * end would never be reported. Until it ends, the same command is rejected, because each of them would stay, too.
 */
export function endedWithin(run: RunProgram, limitMs: number, schedule: Schedule): RunProgram {
  const hanging = new Set<string>();
  return async (program, args) => {
    const line = [program, ...args].join(' ');
    if (hanging.has(line)) throw new Error(`${program} hangs and cannot be killed`);
    const ended = run(program, args);
    return beforeDeadline(startDeadline(limitMs, schedule), () => ended).catch((error: unknown) => {
      if (!isTimeout(error)) throw error;
      hanging.add(line);
      const isGone = () => void hanging.delete(line);
      ended.then(isGone, isGone);
      throw new Error(`${program} did not end within ${limitMs / 1000} s`, { cause: error });
    });
  };
}

function untilItEnds(timeoutMs: number): RunProgram {
  return (program, args) =>
    new Promise((resolve, reject) => {
      const bounds = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT } as const;
      const env = { ...process.env, LC_ALL: 'C' };
      execFile(program, [...args], { ...bounds, env, windowsHide: true }, (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const why = whyItFailed(error, timeoutMs, stderr || stdout);
        reject(new Error(`${program} ${why}`, { cause: error }));
      });
    });
}

function whyItFailed(
  error: Error & { code?: unknown; killed?: boolean },
  timeoutMs: number,
  output: string,
): string {
  // EACCES also occurs if this user may not read a folder of PATH.
  if (error.code === 'ENOENT' || error.code === 'EACCES') return 'is not installed';
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'wrote too much';
  if (error.killed) return `did not end within ${timeoutMs / 1000} s`;
  const complaint = output.trim().split('\n')[0]?.trim().slice(0, MAX_COMPLAINT);
  return `failed (${error.code ?? 'a signal ended it'})${complaint ? `: ${complaint}` : ''}`;
}
