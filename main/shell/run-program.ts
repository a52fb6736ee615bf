import { execFile } from 'node:child_process';

/** Runs a program of the system to its end; resolves to what it wrote, rejects when it failed or took too long. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** Most output of a program, bytes; one that writes more is killed. */
const MAX_OUTPUT = 256 * 1024;
const MAX_COMPLAINT = 200;

/**
 * Runs programs without a shell, for at most `timeoutMs` and 256 KiB of output. Their output is in English, because we
 * read it: pactl translates even the values in its JSON. The error's message is one line.
 */
export const programRunner =
  (timeoutMs: number): RunProgram =>
  (program, args) =>
    new Promise((resolve, reject) => {
      const bounds = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT } as const;
      const env = { ...process.env, LC_ALL: 'C' };
      execFile(program, [...args], { ...bounds, env, windowsHide: true }, (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const why = whyItFailed(error, timeoutMs, stderr || stdout);
        reject(new Error(`${program} ${why}`, { cause: error }));
      });
    });

export const runProgram = programRunner(10_000);

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
