import { join, relative, sep } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer, type ViteDevServer } from 'vite';
import { ensureBuilt } from './build.ts';
import { start } from './kiosk.ts';
import { repositoryRoot } from './places.ts';
import { CommandError, printStatus } from './say.ts';

/**
 * Sources of the kiosk page, whose modules Vite replaces in the running page. Other sources need a build and a
 * restart.
 */
const PAGE = ['renderer/kiosk', 'renderer/admin', 'renderer/keyboard'];
const WATCHED = ['main', 'preload', 'shared', 'renderer/records'];
/** Port of Vite's server, on loopback. */
const PORT = 5173;
/**
 * The page is at endcap://kiosk/ and its files are at /kiosk/. Vite finds the style sheet to replace by its full
 * path.
 */
const namesFromTheRoot = {
  name: 'names-from-the-root',
  transformIndexHtml: (html: string) => html.replaceAll('"./', '"/kiosk/'),
};
/** An editor that saves several files does so within this time. */
const SETTLE_MS = 200;

/**
 * Runs the kiosk, and updates it when sources change.
 * @param args the options of `npm start`
 * @returns the exit code
 */
export async function startDev(args: readonly string[]): Promise<number> {
  const server = await createServer({
    configFile: false,
    root: join(repositoryRoot, 'renderer'),
    cacheDir: join(repositoryRoot, 'out/.vite-dev'),
    plugins: [react(), namesFromTheRoot],
    logLevel: 'warn',
    server: {
      host: '127.0.0.1',
      port: PORT,
      strictPort: true,
      // The page comes from endcap://kiosk, so it cannot tell the server's address from its own.
      hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: PORT },
    },
  });
  server.watcher.add(WATCHED.map((folder) => join(repositoryRoot, folder)));
  try {
    await server.listen().catch((error) => {
      throw new CommandError(`endcap: ${error.message}. Another npm run dev may be using it`);
    });
    printStatus(`the running page follows changes in ${PAGE.join(', ')}; other changes restart the kiosk`);
    return await runWhileChanging(server.watcher, args);
  } finally {
    await server.close();
  }
}

/**
 * Runs the kiosk, and restarts it with a new build whenever a source outside the kiosk page changes.
 * @returns the exit code of a kiosk that ended by itself, or because a person asked for it
 */
async function runWhileChanging(watcher: ViteDevServer['watcher'], args: readonly string[]): Promise<number> {
  let built = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let building = Promise.resolve();
  watcher.on('all', (_event, path) => {
    const name = relative(repositoryRoot, path).split(sep).join('/');
    if (/\.test\.\w+$/.test(name) || !WATCHED.some((folder) => name.startsWith(`${folder}/`))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const running = built;
      building = building.then(async () => {
        if (await build()) running.abort();
      });
    }, SETTLE_MS).unref();
  });
  process.env.ENDCAP_DEV_SERVER = `http://127.0.0.1:${PORT}`;
  for (;;) {
    built = new AbortController();
    const code = await start(args, built.signal);
    if (!built.signal.aborted) return code;
  }
}

/** Resolves with false when the build failed: the kiosk runs on until the next change. */
async function build(): Promise<boolean> {
  try {
    return (await ensureBuilt()).built;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    printStatus('the kiosk keeps running as it was; save a correction to build again');
    return false;
  }
}
