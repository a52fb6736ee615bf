import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright';
import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';
import { electronExecutable, root } from '../kiosk';
import { isAlive, processTree } from './process-tree';

/** Everything that is stored, read in one transaction. */
export interface StoredBooks {
  readonly plays: readonly Play[];
  readonly flights: readonly FlightCounters[];
  readonly environments: ReadonlyArray<{ readonly key: string; readonly playCount: number }>;
}

/** A real kiosk that is going to be killed. */
export interface Victim {
  /** When its process was started, ms since the epoch. */
  readonly spawnedAt: number;
  /** The books; null while there are none yet. Rejects when the kiosk dies meanwhile. */
  books(): Promise<StoredBooks | null>;
  /** Sends SIGKILL to all its processes at once; resolves when none is left. */
  killTree(): Promise<void>;
  /** Sends SIGTERM, as a service manager does; resolves with the exit code. */
  terminate(): Promise<number | null>;
  isRunning(): boolean;
  /** The end of what it wrote to its terminal. */
  output(): string;
}

const KEPT_OUTPUT = 200_000;
/** Longest wait for killed processes to be gone, ms. */
const GONE_WITHIN_MS = 20_000;

/**
 * Starts the kiosk directly, so that it can be killed from its first moment on. Its windows are reached over
 * the DevTools protocol.
 *
 * @param env added to the environment, such as another display's
 */
export function startVictim(
  dataDir: string,
  settings: object,
  env: Readonly<Record<string, string>> = {},
): Victim {
  const config = join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const portFile = join(dataDir, 'DevToolsActivePort');
  rmSync(portFile, { force: true });
  // Each kill counts by itself: three unexpected ends within a minute would cause a safe start without
  // network.
  rmSync(join(dataDir, 'unexpected-ends.json'), { force: true });
  const spawnedAt = Date.now();
  const child: ChildProcess = spawn(
    electronExecutable(),
    [root, `--config=${config}`, `--data-dir=${dataDir}`, '--remote-debugging-port=0'],
    { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error('the kiosk could not be started');
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let browser: Promise<Browser> | null = null;

  async function connect(): Promise<Browser> {
    const [port = ''] = readFileSync(portFile, 'utf8').split('\n');
    return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  }

  return {
    spawnedAt,
    isRunning: () => isAlive(pid),
    output: () => output,
    async books() {
      browser ??= connect();
      browser.catch(() => {
        browser = null;
      });
      const pages = (await browser).contexts().flatMap((context) => context.pages());
      const page = pages.find((candidate) => candidate.url() === 'endcap://records/');
      return page ? page.evaluate(readBooks) : null;
    },
    async killTree() {
      // Listed before the kill: orphans are no longer descendants.
      const tree = processTree(pid);
      for (const target of [-pid, ...tree]) signal(target, 'SIGKILL');
      const deadline = Date.now() + GONE_WITHIN_MS;
      while (tree.some(isAlive)) {
        if (Date.now() > deadline) throw new Error('killed processes are still there');
        await sleep(10);
      }
      await exited;
      await browser?.then((connected) => connected.close()).catch(() => {});
    },
    async terminate() {
      signal(pid, 'SIGTERM');
      const code = await exited;
      await browser?.then((connected) => connected.close()).catch(() => {});
      return code;
    },
  };
}

function signal(target: number, name: 'SIGKILL' | 'SIGTERM'): void {
  try {
    process.kill(target, name);
  } catch {
    // It has ended already.
  }
}

/** Runs in the records window. */
async function readBooks(): Promise<StoredBooks | null> {
  // Opening the database before the kiosk has made it would create an empty one.
  const known = await indexedDB.databases();
  if (!known.some((database) => database.name === 'endcap' && (database.version ?? 0) >= 10)) return null;
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(['plays', 'flights', 'environments']);
      const all = (table: string) => transaction.objectStore(table).getAll();
      const plays = all('plays');
      const flights = all('flights');
      const environments = all('environments');
      transaction.onerror = () => failed(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        done({ plays: plays.result, flights: flights.result, environments: environments.result });
      };
    };
  });
}
