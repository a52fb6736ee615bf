import { homedir } from 'node:os';
import { join } from 'node:path';
import { copyClone, spawnAsUser } from './as-user.mjs';
import { ensureBuilt } from './build.mjs';
import { givenDisplay, startXvfb } from './display.mjs';
import { ensureElectron } from './electron.mjs';
import { keepRunning, SUPERVISED } from './keep-running.mjs';
import { readKioskArguments, writeKioskArguments } from './kiosk-arguments.mjs';
import {
  demandDataFolder,
  demandReadable,
  giveCookie,
  hasPermission,
  ordinaryUser,
} from './ordinary-user.mjs';
import { callerFolder, repositoryRoot, startedAsRoot } from './places.mjs';
import { prepare } from './prepare.mjs';
import { withParentDeathSignal } from './programs.mjs';
import { makeSandbox, sandboxArguments } from './sandbox.mjs';
import { printStatus } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * @typedef {object} StartOptions
 * @property {NodeJS.ProcessEnv} [env] added to the kiosk's environment
 * @property {AbortSignal} [stop] asks the kiosk to end, as SIGTERM does
 */

/**
 * Sets up all that a kiosk from source needs, but does not start it.
 * @param {boolean} preferOfficial
 * @returns {Promise<number>} the exit code
 */
export async function setUp(preferOfficial) {
  const electron = await ensureElectron({ preferOfficial });
  await prepare({ programs: ['Xvfb'], electron: true, built: true });
  const user = await ordinaryUser();
  if (user !== null) makeSandbox(user, electron.dist);
  else sandboxArguments(electron.dist);
  printStatus(`Electron ${electron.version} (${electron.origin}) in ${electron.dist}`);
  if (preferOfficial && electron.origin !== 'official') {
    printStatus('the fallback stays in use: the official Electron could not be downloaded');
    return 1;
  }
  printStatus('ready: npm start');
  return 0;
}

/**
 * Sets up what a kiosk from source needs, and runs it as an ordinary user on a display.
 * @param {string[]} args `[--config FILE] [--data-dir DIR] [--windowed] [more for Electron]`
 * @param {StartOptions} [options]
 * @returns {Promise<number>} the exit code
 */
export async function start(args, options = {}) {
  if (!startedAsRoot) return startKiosk(args, options);
  const programs = process.env.DISPLAY ? ['Xvfb', 'xdpyinfo'] : ['Xvfb'];
  await prepare({ programs, electron: true, built: true });
  const user = await ordinaryUser();
  return user === null ? startKiosk(args, options) : startAsUser(user, args, options);
}

/**
 * As root: has the user start the kiosk, with settings and a data folder that this user can get at. Root gives
 * nothing away for it.
 * @param {import('./ordinary-user.mjs').User} user
 * @param {string[]} args
 * @param {StartOptions} options
 * @returns {Promise<number>} the exit code
 */
async function startAsUser(user, args, { env = {}, stop }) {
  const asked = readKioskArguments(args, callerFolder());
  if (asked.config !== null) demandReadable(user, asked.config);
  if (asked.dataDir !== null) demandDataFolder(user, asked.dataDir);
  const isOpen = [process.execPath, join(repositoryRoot, 'out/main/entry.js')].every((path) =>
    hasPermission(user, '-r', path),
  );
  const root = isOpen ? repositoryRoot : await copyClone(user);
  makeSandbox(user, process.env.ELECTRON_OVERRIDE_DIST_PATH ?? '');
  printStatus(`running as the ordinary user ${user.name}`);
  return await spawnAsUser(user, {
    ...{ root, name: 'start', args: writeKioskArguments(asked) },
    env: { ...giveCookie(user, process.env.XAUTHORITY ?? join(homedir(), '.Xauthority')), ...env },
    ...(stop && { stop }),
  });
}

/**
 * Runs the kiosk as whoever we are.
 * @param {string[]} args
 * @param {StartOptions} options
 */
async function startKiosk(args, { env = {}, stop }) {
  const asked = readKioskArguments(args, callerFolder());
  const electron = await ensureElectron();
  if (electron.origin === 'fallback') {
    printStatus(`Electron ${electron.version}, a third party's repackaging: for development and tests only`);
  }
  const given = await givenDisplay();
  await ensureSystemPackages({ executable: electron.executable, programs: given === null ? ['Xvfb'] : [] });
  // Before the display: a build that fails would leave that running, and this program with it.
  await ensureBuilt();
  const display = given ?? (await startXvfb());
  try {
    /** @type {NodeJS.ProcessEnv} */
    const environment = { ...process.env, ...display.env, ...SUPERVISED, ...env };
    const dataFolder = asked.dataDir ?? defaultDataFolder(environment);
    if (display.isOurs) {
      environment.ENDCAP_SCREENSHOT = join(dataFolder, 'screenshot.png');
      printStatus(
        `no display here, so it plays on ${display.name}. A fresh screenshot is written to ${environment.ENDCAP_SCREENSHOT}`,
      );
    }
    const sandbox = sandboxArguments(electron.dist);
    printStatus(`data folder ${dataFolder}. Stop it with Ctrl-C`);
    const command = withParentDeathSignal([
      electron.executable,
      ...[...sandbox, ...display.electronArguments],
      ...[repositoryRoot, ...writeKioskArguments(asked)],
    ]);
    return await keepRunning(command, { env: environment }, stop);
  } finally {
    await display.close();
  }
}

/**
 * Where Electron keeps an app's data unless told otherwise.
 * @param {NodeJS.ProcessEnv} environment
 */
function defaultDataFolder(environment) {
  const home = environment.HOME ?? homedir();
  if (process.platform === 'win32') return join(environment.APPDATA ?? home, 'endcap');
  if (process.platform === 'darwin') return join(home, 'Library/Application Support/endcap');
  return join(environment.XDG_CONFIG_HOME ?? join(home, '.config'), 'endcap');
}
