import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { _electron, type ElectronApplication } from 'playwright';
import { build } from 'vite';
import { makeEvaluateReliable } from './ask-main';
import { dataFolder, electronExecutable } from './kiosk';

/** A test's own program that runs in Electron, with a data folder of its own. */
export interface ElectronProgram {
  readonly electron: ElectronApplication;
  /** Closes it, and removes the build and the data folder. */
  close(): Promise<void>;
}

/** Builds a file of this folder and starts it, with `args` as its last arguments. */
export async function startProgram(entry: string, ...args: string[]): Promise<ElectronProgram> {
  const program = join(resolve(__dirname, '..'), 'out', 'e2e', basename(entry, '.ts'));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: program,
      target: 'node22',
      ssr: join(__dirname, entry),
      rolldownOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'index.js' } },
    },
  });
  const folder = dataFolder();
  const electron = await launch(join(program, 'index.js'), `--user-data-dir=${folder.path}`, ...args);
  makeEvaluateReliable(electron);
  return {
    electron,
    async close() {
      await electron.close();
      folder.remove();
      rmSync(program, { recursive: true, force: true });
    },
  };
}

/** Opens an address in a window without a kiosk, over a data folder. */
export async function openBareWindow(folder: string, address: string) {
  const app = await launch(join(__dirname, 'bare-window.cjs'), folder, address);
  const page = await app.firstWindow();
  await page.waitForURL(address);
  return { app, page };
}

const launch = (...args: string[]): Promise<ElectronApplication> =>
  _electron.launch({
    executablePath: electronExecutable(),
    chromiumSandbox: true,
    // As for a kiosk: a busy machine starts several programs at once.
    timeout: 90_000,
    args,
  });
