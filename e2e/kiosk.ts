import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright';
import type { Play } from '../shared/play';

const root = resolve(__dirname, '..');

/** The Electron that the set-up found; Playwright needs its executable. */
function electronExecutable(): string {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!dist) throw new Error('ELECTRON_OVERRIDE_DIST_PATH is not set: run these tests with "npm test"');
  return join(dist, process.platform === 'win32' ? 'electron.exe' : 'electron');
}

/** A data folder of its own, removed by `remove`. */
export function dataFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'endcap-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Kiosk {
  readonly app: ElectronApplication;
  /** The window that shoppers see. */
  readonly screen: Page;
  /** What the kiosk wrote to its terminal. */
  output(): string;
  status(): Promise<KioskStatus>;
  /** All plays in IndexedDB, by time. */
  plays(): Promise<Play[]>;
  /** Colour of the middle of the real display, as [red, green, blue], 0 to 255. */
  colour(): Promise<[number, number, number]>;
  /** Ends it as a service manager would; resolves to the exit code. */
  terminate(): Promise<number | null>;
  /** Ends it at once, with all its processes. */
  kill(): Promise<void>;
}

/** The part of the status that the journeys look at. */
export interface KioskStatus {
  readonly state: string;
  readonly sentence: string;
  readonly now: { readonly adId: string | null; readonly kind: string } | null;
  readonly next: { readonly adId: string | null } | null;
  readonly playlist: {
    readonly ads: number;
    readonly rejected: ReadonlyArray<{ id: string | null; code: string }>;
  } | null;
  readonly noFillAt: string | null;
  readonly service: Readonly<
    Record<string, { lastError: { code: string; message: string; advice: string } | null; failing: boolean }>
  >;
  readonly media: { readonly files: number; readonly problems: readonly string[] };
  readonly clock: { readonly now: string; readonly correctionMs: number; readonly trusted: boolean };
  readonly beacons: { readonly sent: number; readonly failed: number; readonly pending: number };
}

export interface KioskOptions {
  readonly dataDir: string;
  /** A settings object, written to a file for `--config`. */
  readonly settings: object;
  readonly args?: readonly string[];
}

/** Starts the real kiosk on the test's display. */
export async function startKiosk({ dataDir, settings, args = [] }: KioskOptions): Promise<Kiosk> {
  const config = join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const app = await _electron.launch({
    executablePath: electronExecutable(),
    args: [root, `--config=${config}`, `--data-dir=${dataDir}`, ...args],
    cwd: root,
  });
  const child = app.process();
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const screen = await pageAt(app, 'endcap://kiosk/');
  const records = () => pageAt(app, 'endcap://records/');

  return {
    app,
    screen,
    output: () => output,
    async status() {
      const { port, token } = await app.evaluate(async ({ app: electron }) => {
        const { readFileSync } = process.getBuiltinModule('node:fs');
        const folder = electron.getPath('userData');
        return {
          port: readFileSync(`${folder}/signals-port`, 'utf8').trim(),
          token: readFileSync(`${folder}/signals-token`, 'utf8').trim(),
        };
      });
      const response = await fetch(`http://127.0.0.1:${port}/v1/status`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return (await response.json()) as KioskStatus;
    },
    async plays() {
      const page = await records();
      return page.evaluate(
        () =>
          new Promise<Play[]>((done, failed) => {
            const opening = indexedDB.open('endcap');
            opening.onerror = () => failed(opening.error);
            opening.onsuccess = () => {
              const reading = opening.result.transaction('plays').objectStore('plays').index('at').getAll();
              reading.onerror = () => failed(reading.error);
              reading.onsuccess = () => {
                opening.result.close();
                done(reading.result as Play[]);
              };
            };
          }),
      );
    },
    colour: () =>
      app.evaluate(async ({ desktopCapturer, screen: displays }) => {
        const { size } = displays.getPrimaryDisplay();
        const [source] = await desktopCapturer.getSources({ types: ['screen'], thumbnailSize: size });
        if (!source) throw new Error('there is no display to look at');
        const picture = source.thumbnail;
        const { width, height } = picture.getSize();
        const middle = picture.crop({
          x: Math.floor(width / 2),
          y: Math.floor(height / 2),
          width: 1,
          height: 1,
        });
        const [blue = 0, green = 0, red = 0] = middle.toBitmap();
        return [red, green, blue] as [number, number, number];
      }),
    async terminate() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The page at exactly this address; windows open in any order. */
async function pageAt(app: ElectronApplication, address: string): Promise<Page> {
  for (;;) {
    const page = app.windows().find((candidate) => candidate.url() === address);
    if (page) return page;
    await app
      .waitForEvent('window', { predicate: (candidate) => candidate.url() === address })
      .catch(async () => {
        for (const candidate of app.windows()) await candidate.waitForLoadState();
      });
  }
}
