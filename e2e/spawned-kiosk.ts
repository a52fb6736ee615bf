import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { electronExecutable, root } from './kiosk';
import { isAlive, processTree } from './process-tree';
import { until } from './until';

const KEPT_OUTPUT = 200_000;
/** Longest wait for killed processes to be gone, ms. */
const GONE_WITHIN_MS = 20_000;

export interface SpawnOptions {
  /** A script of the main process that runs before the kiosk's own. */
  readonly requiredScript?: string;
  readonly args?: readonly string[];
  /** Added to the environment, such as another display's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the kiosk from outside, without Playwright: it can be killed from its first moment on. */
export function spawnKiosk(
  dataDir: string,
  settings: object,
  { requiredScript, args = [], env }: SpawnOptions = {},
) {
  const config = join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const required = requiredScript === undefined ? [] : ['-r', requiredScript];
  return spawnElectron([...required, root, `--config=${config}`, `--data-dir=${dataDir}`, ...args], env);
}

export type SpawnedKiosk = ReturnType<typeof spawnKiosk>;

/** Starts Electron as a user would, without a debugger on it. */
export function spawnElectron(args: readonly string[], env: SpawnOptions['env'] = {}) {
  const spawnedAt = Date.now();
  const child = spawn(electronExecutable(), args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${electronExecutable()} could not be started`);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    });
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.once('exit', (code, signal) => done(code ?? signal)),
  );

  const killAll = async (tree: readonly number[]): Promise<void> => {
    for (const target of [-pid, ...tree]) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    await until(() => !tree.some(isAlive), GONE_WITHIN_MS, 'the end of killed processes');
    await ended;
  };

  return {
    pid,
    /** When its process was started, ms since the epoch. */
    spawnedAt,
    isRunning: () => isAlive(pid),
    /** The end of what it wrote to its terminal. */
    output: () => output,
    /** Resolves with its exit code, or the signal that ended it. */
    ended,
    /** Sends SIGKILL to all its processes at once; resolves when none is left. */
    // Listed before the kill: orphans are no longer descendants.
    killTree: () => killAll(processTree(pid)),
    /**
     * Sends SIGTERM, as a service manager does, and kills what is left after its end, or after `withinMs`.
     * Resolves with the exit code; null when it had to be killed.
     */
    async stop(withinMs: number): Promise<number | null> {
      const tree = processTree(pid);
      child.kill('SIGTERM');
      const end = await Promise.race([ended, sleep(withinMs, null, { ref: false })]);
      await killAll(tree);
      return typeof end === 'number' ? end : null;
    },
  };
}
