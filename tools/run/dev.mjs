import { join, relative, sep } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer } from 'vite';
import { ensureBuilt } from './build.mjs';
import { start } from './kiosk.mjs';
import { repositoryRoot } from './places.mjs';
import { CommandError, printStatus } from './say.mjs';

/** Sources of the kiosk page: Vite replaces their modules in the running page. All others need a build and a restart. */
const PAGE = ['renderer/kiosk', 'renderer/admin'];
const WATCHED = ['main', 'preload', 'shared', 'renderer/records'];
/** Of Vite's server, on loopback. */
const PORT = 5173;
/** The page lies at endcap://kiosk/, its files at /kiosk/: Vite finds a style sheet to replace by its full path. */
const namesFromTheRoot = {
  name: 'names-from-the-root',
  transformIndexHtml: (/** @type {string} */ html) => html.replaceAll('"./', '"/kiosk/'),
};
/** An editor that saves several files does so within this time. */
const SETTLE_MS = 200;

/**
 * Runs the kiosk, and lets it follow changes of the sources.
 * @param {string[]} args the options of `npm start`
 * @returns {Promise<number>} the exit code
 */
export async function startDev(args) {
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
    printStatus(`the kiosk page is reloaded from ${PAGE.join(' and ')}; other changes start the kiosk over`);
    return await runWhileChanging(server.watcher, args);
  } finally {
    await server.close();
  }
}

/**
 * Runs the kiosk, and starts it over with a new build whenever a source changed that is not of the kiosk page.
 * @param {import('vite').ViteDevServer['watcher']} watcher
 * @param {string[]} args
 * @returns {Promise<number>} the exit code of a kiosk that ended by itself or was asked to by a person
 */
async function runWhileChanging(watcher, args) {
  for (;;) {
    const built = new AbortController();
    const stopWatching = onChange(watcher, async () => {
      if (await build()) built.abort();
    });
    const code = await start(args, {
      env: { ENDCAP_DEV_SERVER: `http://127.0.0.1:${PORT}` },
      stop: built.signal,
    });
    stopWatching();
    if (!built.signal.aborted) return code;
  }
}

/**
 * Calls `work` after changes; changes during its work lead to one more call.
 * @param {import('vite').ViteDevServer['watcher']} watcher
 * @param {() => Promise<void>} work
 * @returns {() => void} stops it
 */
function onChange(watcher, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let last = Promise.resolve();
  const changed = (/** @type {string} */ _event, /** @type {string} */ path) => {
    const name = relative(repositoryRoot, path).split(sep).join('/');
    if (/\.test\.\w+$/.test(name) || !WATCHED.some((folder) => name.startsWith(`${folder}/`))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = last.then(work);
    }, SETTLE_MS);
  };
  watcher.on('all', changed);
  return () => {
    clearTimeout(timer);
    watcher.off('all', changed);
  };
}

/** @returns {Promise<boolean>} false when the build failed: the kiosk runs on until the next change */
async function build() {
  try {
    return (await ensureBuilt()).built;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printStatus('the build failed. The kiosk runs on as it was; save a correction to build again');
    return false;
  }
}
