import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright';
import { test } from 'playwright/test';
import type { DemoService } from '../main/demo-service/demo-service';
import type { StatusJson } from '../main/status/status';
import type { Ad } from '../shared/ad';
import { STAGE_CHANNEL } from '../shared/channels';
import type { Play } from '../shared/play';
import type { StoredPlaylist } from '../shared/records';
import { makeEvaluateReliable } from './ask-main';
import { displayPixel, MIDDLE, type Point } from './display-pixel';
import { expect } from './expect';
import { openAddresses } from './pages-and-processes';
import { isAlive } from './process-tree';
import { signalsCaller } from './signals-caller';

/** The project's folder, which Electron runs from source. */
export const root = resolve(__dirname, '..');

/** The Electron that the set-up found; Playwright needs its executable. Throws when none was found. */
export function electronExecutable(): string {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!dist)
    throw new Error('ELECTRON_OVERRIDE_DIST_PATH is not set: run this with "npm test" or "npm run bench"');
  return join(dist, 'electron');
}

/** Removes a folder with all in it, even while a killed kiosk's last processes still write to it. */
export function removeFolder(path: string): void {
  // `rmSync` alone does not retry when a process has written a file meanwhile.
  for (let tries = 100; existsSync(path); tries -= 1) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (tries === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

/** A new data folder. */
export function dataFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'endcap-e2e-'));
  return { path, remove: () => removeFolder(path) };
}

/** The key fields of a stored playlist. */
interface PlaylistKey {
  readonly environment: string;
  readonly version: string;
}

export interface Kiosk {
  readonly app: ElectronApplication;
  /** Its process id; `app` does not know it any more once the process has ended. */
  readonly pid: number;
  /** The window that shoppers see. */
  readonly screen: Page;
  /** The kiosk's terminal output so far. */
  output(): string;
  status(): Promise<StatusJson>;
  /** All plays in IndexedDB, by time. */
  plays(): Promise<Play[]>;
  /** Every stored playlist in IndexedDB, one per environment. */
  playlists(): Promise<StoredPlaylist[]>;
  /** The log file in the data folder. */
  log(): string;
  /** Colour of one point of the real display, as [red, green, blue], 0 to 255. Default: its middle. */
  colour(at?: Point): Promise<[number, number, number]>;
  /** Sends SIGTERM, as a service manager does; resolves with the exit code. */
  terminate(): Promise<number | null>;
  /** Kills it at once, with all its processes. */
  kill(): Promise<void>;
  /** For `afterEach`: kills it, and prints its log when the test failed. */
  end(): Promise<void>;
}

export interface KioskOptions {
  readonly dataDir: string;
  /** Settings, written to a file for `--config`; null: no `--config`. */
  readonly settings: object | null;
  readonly args?: readonly string[];
  /** A script of the main process that runs before the kiosk's own. */
  readonly requiredScript?: string;
  /** Added to the process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts Electron under Playwright, which disables the sandbox by default: the kiosk under test must have it.
 *
 * @param env added to the process's environment
 */
export async function launchElectron(
  args: readonly string[],
  env: KioskOptions['env'] = {},
): Promise<ElectronApplication> {
  const app = await _electron.launch({
    executablePath: electronExecutable(),
    args: [...args],
    cwd: root,
    env: { ...(process.env as Record<string, string>), ...env },
    chromiumSandbox: true,
    // Not a requirement on the product: a busy machine starts several programs at once.
    timeout: 90_000,
  });
  makeEvaluateReliable(app);
  return app;
}

/** Starts the real kiosk on the test's display. */
export async function startKiosk({
  dataDir,
  settings,
  args = [],
  requiredScript,
  env,
}: KioskOptions): Promise<Kiosk> {
  const config = join(dataDir, 'config.json');
  if (settings !== null) writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const required = requiredScript === undefined ? [] : ['-r', requiredScript];
  const configured = settings === null ? [] : [`--config=${config}`];
  const app = await launchElectron([...required, root, ...configured, `--data-dir=${dataDir}`, ...args], env);
  const child = app.process();
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const screen = await pageAt(app, 'endcap://kiosk/');

  /** The records window whose database is known to exist; the check takes ten times as long as a read. */
  let known: Page | null = null;

  /** All rows of a table of the books, through an index where one is named. */
  async function rows<Row>(table: string, index: string | null): Promise<Row[]> {
    const page = known?.isClosed() === false ? known : await pageAt(app, 'endcap://records/');
    const reading = page.evaluate(readTables, [{ [table]: index }, page === known] as const);
    return reading.then(
      (read) => {
        if (read !== null) known = page;
        return (JSON.parse(read ?? '{}')[table] ?? []) as Row[];
      },
      async (error: unknown) => {
        // The window crashed or was closed during the read; the kiosk opens another.
        const isGone = /Target crashed|has been closed/.test(String(error));
        if (!isGone || child.exitCode !== null || child.signalCode !== null) throw error;
        if (!page.isClosed()) await page.waitForEvent('close');
        return rows<Row>(table, index);
      },
    );
  }

  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };

  return {
    app,
    pid: child.pid ?? Number.NaN,
    screen,
    output: () => output,
    status: signalsCaller(dataDir).status,
    plays: () => rows<Play>('plays', 'at'),
    async playlists() {
      const stored = await rows<Omit<StoredPlaylist, 'ads'> & PlaylistKey>('playlists', null);
      const parts = await rows<PlaylistKey & { part: number; ads: Ad[] }>('playlistAds', null);
      return stored.map((playlist) => ({
        ...playlist,
        ads: parts
          .filter((part) => part.environment === playlist.environment && part.version === playlist.version)
          .sort((one, other) => one.part - other.part)
          .flatMap(({ ads }) => ads),
      }));
    },
    log: () => logOf(dataDir),
    colour: (at = MIDDLE) => displayPixel(at),
    async terminate() {
      child.kill('SIGTERM');
      return exited;
    },
    kill,
    async end() {
      await kill();
      const { status, expectedStatus } = test.info();
      if (status !== expectedStatus) console.log(output.replace(/^.*:ERROR:dbus.*\n/gm, ''));
    },
  };
}

/**
 * Runs in the records window. Returns the rows of tables of the books, by table and as text, because Playwright would
 * serialise every value of every row separately; null while the kiosk has not made its books.
 *
 * @param tables the index that gives the order of the rows; null: by key
 * @param isMade whether the books are known to be there
 */
export async function readTables([tables, isMade]: readonly [
  tables: Readonly<Record<string, string | null>>,
  isMade: boolean,
]): Promise<string | null> {
  // Opening the database before the kiosk has made it would create an empty one.
  const made = isMade ? [] : await indexedDB.databases();
  if (!isMade && !made.some(({ name, version = 0 }) => name === 'endcap' && version >= 10)) return null;
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap');
    opening.onupgradeneeded = () => {
      opening.onerror = () => done(null);
      opening.transaction?.abort();
    };
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(Object.keys(tables));
      const asked = Object.entries(tables).map(([table, index]) => {
        const store = transaction.objectStore(table);
        return [table, (index === null ? store : store.index(index)).getAll()] as const;
      });
      transaction.onerror = () => failed(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        done(JSON.stringify(Object.fromEntries(asked.map(([table, { result }]) => [table, result]))));
      };
    };
  });
}

/** The page at exactly this address, once main knows the address too; windows open in any order. */
export async function pageAt(app: ElectronApplication, address: string): Promise<Page> {
  const child = app.process();
  const find = () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the kiosk ended (${child.signalCode ?? child.exitCode}) without a page at ${address}`);
    return app.windows().find((candidate) => candidate.url() === address);
  };
  for (;;) {
    // Not the event of a new window: that may come before the window has its address.
    await expect.poll(() => find() !== undefined, { intervals: [5], message: address }).toBe(true);
    const page = find();
    if (page === undefined) continue;
    // Playwright learns the address a moment before main.
    await expect.poll(() => openAddresses({ app }), { intervals: [5, 20, 100] }).toContain(address);
    return page;
  }
}

/**
 * Moves the monotonic clock of the main process forward, so that waiting times are over. Timers that run
 * already and the time of day do not change.
 */
export async function advanceMonotonicClock({ app }: Kiosk, ms: number): Promise<void> {
  await app.evaluate((_electron, by) => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + by;
  }, ms);
}

/**
 * Lets time pass for the kiosk and its service together, so that no clock jump is seen. The system's clock
 * does not change, because the kiosk uses trusted time.
 */
export async function letPass(kiosk: Kiosk, service: DemoService, ms: number): Promise<void> {
  await advanceMonotonicClock(kiosk, ms);
  const faults = service.faults();
  service.setFaults({ ...faults, clockOffsetSeconds: (faults.clockOffsetSeconds ?? 0) + ms / 1000 });
}

/**
 * Makes timers of the main process that are set from now on run `times` as fast; below 1, slower. Slots are
 * timed in the kiosk window and do not change. With a factor below 1, a wait for one of main's timers can be
 * distinguished from a machine that is slow for a second or two.
 *
 * @param limits whether the limits of main's requests change too
 */
export async function speedUpTimers(
  { app }: Kiosk,
  times: number,
  { limits = true }: { readonly limits?: boolean } = {},
): Promise<void> {
  const change = { factor: times, limits };
  await app.evaluate((_electron, { factor, limits }) => {
    const set = globalThis.setTimeout;
    // Timers above the maximum would fire at once.
    const hurried = (run: () => void, ms = 0, ...more: []) =>
      set(run, Math.min(ms / factor, 2 ** 31 - 1), ...more);
    globalThis.setTimeout = Object.assign(hurried, set);
    const limit = AbortSignal.timeout.bind(AbortSignal);
    if (limits) AbortSignal.timeout = (ms) => limit(Math.round(ms / factor));
  }, change);
}

/** The same from the first line of main on, as options for `startKiosk`. */
export const fastTimersFromStart = (times: number): Pick<KioskOptions, 'requiredScript' | 'env'> => ({
  requiredScript: join(__dirname, 'hurried.cjs'),
  env: { ENDCAP_E2E_HURRY: String(times) },
});

/**
 * The same for the timers of a page. In the kiosk window, the only one is the deadline for preparing a
 * creative; slots and views are counted in frames and do not change.
 *
 * @param fromMs shorter timers keep their length
 */
export async function speedUpPageTimers(page: Page, times: number, fromMs = 0): Promise<void> {
  await page.evaluate(
    ([factor, from]) => {
      const set = window.setTimeout;
      const hurried = (run: () => void, ms = 0) => set(run, ms >= from ? ms / factor : ms);
      window.setTimeout = Object.assign(hurried, set);
    },
    [times, fromMs] as const,
  );
}

/** Duration of a card that only has to count as seen, ms: one second of view, and half a second for late frames. */
const SEEN_MS = 1_500;

/**
 * Makes cards without a video that are prepared from now on end after `SEEN_MS`. The kiosk itself shows none for
 * less than three seconds. The required second of view does not change.
 */
export async function shortenCards({ app }: Kiosk): Promise<void> {
  await app.evaluate(
    ({ webContents }, { stage, durationMs }) => {
      const window = webContents.getAllWebContents().find((one) => one.getURL() === 'endcap://kiosk/');
      if (!window) throw new Error('there is no kiosk window');
      const send = window.send.bind(window);
      window.send = (channel: string, ...messages: unknown[]) => {
        const [message] = messages as Array<{
          value: { type: string; creative?: { kind: string; durationMs: number | null } };
        }>;
        const creative = channel === stage ? message?.value.creative : undefined;
        if (creative?.kind === 'card' && creative.durationMs !== null) creative.durationMs = durationMs;
        send(channel, ...messages);
      };
    },
    { stage: STAGE_CHANNEL, durationMs: SEEN_MS },
  );
}

/** The log of the kiosks on a data folder so far. */
export function logOf(dataDir: string): string {
  const file = join(dataDir, 'logs', 'endcap.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Process id of the kiosk that runs on a data folder; null while there is none. */
export function kioskOn(dataDir: string): number | null {
  try {
    const pid = Number(readlinkSync(join(dataDir, 'SingletonLock')).split('-').at(-1));
    return isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}

/** Waits until a kiosk that restarts itself has a successor process, calls `look`, and quits the successor. */
export async function lookAtSuccessor(
  { pid }: Kiosk,
  dataDir: string,
  look: () => Promise<void>,
): Promise<void> {
  const next = () => [null, pid].every((known) => known !== kioskOn(dataDir));
  await expect.poll(next).toBe(true);
  const successor = kioskOn(dataDir) ?? Number.NaN;
  try {
    await look();
  } finally {
    process.kill(successor, 'SIGTERM');
    // Until it has settled its play and sent its last beacons.
    await expect.poll(() => isAlive(successor)).toBe(false);
  }
}
