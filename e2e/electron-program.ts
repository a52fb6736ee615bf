import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { _electron, type ElectronApplication } from 'playwright';
import { build } from 'vite';
import { makeEvaluateReliable } from './ask-main';
import { dataFolder, electronExecutable, root } from './kiosk';

/** A test's own program that runs in Electron, with a data folder of its own. */
export interface ElectronProgram {
  readonly electron: ElectronApplication;
  /** Closes it, and removes the build and the data folder. */
  close(): Promise<void>;
}

/** Bundles a TypeScript file, with all that it imports as the product has it, into the result: a file for Electron. */
export async function buildProgram(source: string): Promise<string> {
  const outDir = join(root, 'out', 'e2e', basename(source, '.ts'));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      outDir,
      target: 'node24',
      ssr: source,
      rolldownOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'index.js' } },
    },
  });
  return join(outDir, 'index.js');
}

/** Builds a file of this folder and starts it, with `args` as its last arguments. */
export async function startProgram(entry: string, ...args: string[]): Promise<ElectronProgram> {
  const program = await buildProgram(join(__dirname, entry));
  const folder = dataFolder();
  const electron = await launch(program, `--user-data-dir=${folder.path}`, ...args);
  makeEvaluateReliable(electron);
  return {
    electron,
    async close() {
      await electron.close();
      folder.remove();
      rmSync(dirname(program), { recursive: true, force: true });
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
