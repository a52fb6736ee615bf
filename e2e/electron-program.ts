import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'vite';
import { dataFolder, launchElectron, root } from './kiosk';

/** A test's own program that runs in Electron, with a data folder of its own. */
export type ElectronProgram = Awaited<ReturnType<typeof startProgram>>;

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
export async function startProgram(entry: string, ...args: string[]) {
  const program = await buildProgram(join(__dirname, entry));
  const folder = dataFolder();
  const electron = await launchElectron([program, `--user-data-dir=${folder.path}`, ...args]);
  return {
    electron,
    /** Closes it, and removes the build and the data folder. */
    async close(): Promise<void> {
      await electron.close();
      folder.remove();
      rmSync(dirname(program), { recursive: true, force: true });
    },
  };
}

/** Opens an address in a window without a kiosk, over a data folder. */
export async function openBareWindow(folder: string, address: string) {
  const app = await launchElectron([join(__dirname, 'bare-window.cjs'), folder, address]);
  const page = await app.firstWindow();
  await page.waitForURL(address);
  return { app, page };
}
