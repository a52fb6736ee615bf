import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, processTree } from '../kills/process-tree';
import { electronExecutable, root } from '../kiosk';

/** A kiosk under a service manager, which restarts it whenever it ends. Observed only from outside. */
export interface SiegeKiosk {
  readonly dataDir: string;
  /** Process id of the current main process. */
  pid(): number;
  /** One sentence for each unexpected end that was not returned before. */
  takeEnds(): string[];
  /** `GET` of its loopback API with its token; rejects after `withinMs`. */
  get(path: string, withinMs: number): Promise<Response>;
  /** The last output of all its processes to the terminal. */
  output(): string;
  /**
   * Asks it to quit, and kills it after 15 s; resolves with the exit code (null when killed) once no process
   * of it runs.
   */
  stop(): Promise<number | null>;
}

const KEPT_OUTPUT = 200_000;
const ENDS_WITHIN_MS = 15_000;
/** Delay before a restart, ms: a kiosk that ends at once must not keep this machine busy. */
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
      // With NOTIFY_SOCKET set, the kiosk leaves restarts to the service manager; nothing has to listen
      // there.
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
