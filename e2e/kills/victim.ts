import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright';
import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';
import { readTables } from '../kiosk';
import { spawnKiosk } from '../spawned-kiosk';

/** Everything that is stored, read in one transaction. */
export interface StoredBooks {
  readonly plays: readonly Play[];
  readonly flights: readonly FlightCounters[];
  readonly environments: ReadonlyArray<{ readonly key: string; readonly playCount: number }>;
}

const BOOKS = [{ plays: null, flights: null, environments: null }, false] as const;

export type Victim = ReturnType<typeof startVictim>;

/**
 * Starts a real kiosk that is going to be killed. Its windows are reached over the DevTools protocol.
 *
 * @param env added to the environment, such as another display's
 */
export function startVictim(dataDir: string, settings: object, env: Readonly<Record<string, string>> = {}) {
  const portFile = join(dataDir, 'DevToolsActivePort');
  rmSync(portFile, { force: true });
  // Each kill counts by itself: three unexpected ends within a minute would cause a safe start without
  // network.
  rmSync(join(dataDir, 'unexpected-ends.json'), { force: true });
  const kiosk = spawnKiosk(dataDir, settings, { args: ['--remote-debugging-port=0'], env });
  let browser: Promise<Browser> | null = null;

  async function connect(): Promise<Browser> {
    const [port = ''] = readFileSync(portFile, 'utf8').split('\n');
    return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  }
  const disconnect = () => browser?.then((connected) => connected.close()).catch(() => {});

  return {
    spawnedAt: kiosk.spawnedAt,

    output: kiosk.output,
    /** The books; null while there are none yet. Rejects when the kiosk dies meanwhile. */
    async books(): Promise<StoredBooks | null> {
      browser ??= connect();
      browser.catch(() => {
        browser = null;
      });
      const pages = (await browser).contexts().flatMap((context) => context.pages());
      const page = pages.find((candidate) => candidate.url() === 'endcap://records/');
      const read = page ? await page.evaluate(readTables, BOOKS) : null;
      return read === null ? null : JSON.parse(read);
    },
    /** Sends SIGKILL to all its processes at once; resolves when none is left. */
    async killTree(): Promise<void> {
      await kiosk.killTree();
      await disconnect();
    },
    /** Asks it to end, as a service manager does; resolves with the exit code, null when it had to be killed. */
    async terminate(): Promise<number | null> {
      const code = await kiosk.stop(ENDED_WITHIN_MS);
      await disconnect();
      return code;
    },
  };
}

/** Longest wait for an orderly end, ms. */
const ENDED_WITHIN_MS = 60_000;
