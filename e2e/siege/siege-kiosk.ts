import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, processTree } from '../kills/process-tree';
import { electronExecutable, root } from '../kiosk';

/** A kiosk under a service manager: it is started again whenever it ends. Seen from outside only. */
export interface SiegeKiosk {
  readonly dataDir: string;
  /** Of the main process that runs now. */
  pid(): number;
  /** In words, each end that nobody asked for and that has not been told yet. */
  takeEnds(): string[];
  /** `GET` of its loopback API with its token; rejects after `withinMs`. */
  get(path: string, withinMs: number): Promise<Response>;
  /** The end of what all its lives wrote to the terminal. */
  output(): string;
  /** Asks it to end; resolves to the exit code once nothing of it runs. */
  stop(): Promise<number | null>;
}

const KEPT_OUTPUT = 200_000;
const ENDS_WITHIN_MS = 15_000;
/** A kiosk that ends at once must not keep this machine busy, ms. */
const RESTART_MS = 200;

export function startSiegeKiosk(dataDir: string, settings: object): SiegeKiosk {
  const config = join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  let output = '';
  let ends: string[] = [];
  let stopping = false;
  let child: ChildProcess;
  let exited: Promise<number | null> = Promise.resolve(null);

  function start(): void {
    child = spawn(electronExecutable(), [root, `--config=${config}`, `--data-dir=${dataDir}`], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The name of a service manager's socket is all that the kiosk needs to leave starting over to it.
      env: { ...process.env, NOTIFY_SOCKET: join(dataDir, 'no-socket') },
    });
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    exited = new Promise((done) =>
      child.once('exit', (code, signal) => {
        done(code);
        if (stopping) return;
        ends.push(`the kiosk ended by itself (${signal ?? `exit code ${code}`})`);
        setTimeout(() => {
          if (!stopping) start();
        }, RESTART_MS);
      }),
    );
  }
  start();

  return {
    dataDir,
    pid: () => child.pid ?? 0,
    takeEnds() {
      const found = ends;
      ends = [];
      return found;
    },
    async get(path, withinMs) {
      const port = readFileSync(join(dataDir, 'signals-port'), 'utf8').trim();
      const token = readFileSync(join(dataDir, 'signals-token'), 'utf8').trim();
      return fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(withinMs),
      });
    },
    output: () => output,
    async stop() {
      stopping = true;
      const tree = processTree(child.pid ?? 0);
      child.kill('SIGTERM');
      const code = await Promise.race([exited, sleep(ENDS_WITHIN_MS, 'late' as const)]);
      for (const pid of tree) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
      while (tree.some(isAlive)) await sleep(20);
      return code === 'late' ? null : code;
    },
  };
}
