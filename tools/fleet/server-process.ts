import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const START_MS = 60_000;
const LOOK_MS = 50;

/**
 * A private server that can be ended and started again.
 *
 * @param serves whether it serves already; called again and again until it does
 * @param options.debian the package that contains the program
 */
export function serverProcess(
  [program, ...args]: readonly [program: string, ...args: string[]],
  serves: () => Promise<boolean>,
  { cwd, debian = program }: { readonly cwd?: string; readonly debian?: string } = {},
) {
  let running: ChildProcess | null = null;

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  }

  return {
    pid: () => running?.pid ?? null,
    /** Resolves when it serves. Rejects if it is not installed or does not start, with the last of what it said. */
    async start(): Promise<void> {
      const child = spawn(program, args, {
        ...(cwd !== undefined && { cwd }),
        env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      running = child;
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4_000);
      });
      const failed = once(child, 'error').then(([error]) => {
        throw new Error(`${program} cannot be started (${error}). Install it: apt-get install ${debian}`);
      });
      failed.catch(() => {});
      for (const deadline = Date.now() + START_MS; Date.now() < deadline; await wait(LOOK_MS)) {
        if (await Promise.race([failed, serves()])) return;
        if (child.exitCode !== null || child.signalCode !== null) break;
      }
      await end('SIGKILL');
      throw new Error(`${program} did not start:\n${said}`);
    },
    /** Resolves when it is gone. */
    kill: () => end('SIGKILL'),
    /** The same, but it may store what it has. */
    stop: () => end('SIGTERM'),
  };
}

/** Whether a server answers to this address with success. Leaves no connection that the server may close under a request. */
export const answers = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<boolean> =>
  fetch(url, { headers: { ...headers, Connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );
