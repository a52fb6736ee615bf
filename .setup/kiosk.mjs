import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { mounted, openDataFolder } from './data-folder.mjs';
import { givenDisplay, startXvfb } from './display.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { keepRunning, SUPERVISED } from './keep-running.mjs';
import { readKioskArguments, writeKioskArguments } from './kiosk-arguments.mjs';
import { environmentOf, ordinaryUser } from './ordinary-user.mjs';
import { calledFrom, startedAsRoot } from './places.mjs';
import { settingsFor } from './private-settings.mjs';
import { endingWithUs } from './programs.mjs';
import { appFor, runtimeFor } from './readable-copies.mjs';
import { findSandbox, sandboxArguments } from './sandbox.mjs';
import { say } from './say.mjs';
import { ensureSystemPackages, lookAgain } from './system-packages.mjs';

const SYSTEM_SETTINGS = '/etc/endcap/config.json';

/**
 * Sets up what a kiosk from source needs, and runs it as an ordinary user on a display.
 * @param {string[]} args `[--config FILE] [--data-dir DIR] [--windowed] [more for Electron]`
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env] added to the kiosk's environment
 * @param {(launch: Launch) => Promise<number>} [options.run] runs it to its last end; resolves with the exit code
 * @returns {Promise<number>} the exit code
 *
 * @typedef {object} Launch
 * @property {[command: string, ...args: string[]]} command
 * @property {import('node:child_process').SpawnOptions} options
 * @property {() => Promise<unknown>} refresh brings a new build to where the kiosk's user can read it
 */
export async function startKiosk(args, { env = {}, run = runOnce } = {}) {
  const asked = readKioskArguments(args, calledFrom());
  const found = await ensureElectron();
  if (found.origin === 'fallback') {
    say(`Electron ${found.version}, a third party's repackaging: for development and tests only`);
  }

  const candidate = await ordinaryUser();
  const reach =
    candidate === null || asked.dataDir === null ? null : openDataFolder(candidate, asked.dataDir);
  const closed = candidate !== null && asked.dataDir !== null && reach === null;
  // A data folder that no ordinary user can be let into leaves only root to run the kiosk.
  const user = closed ? null : candidate;

  const given = await givenDisplay(user);
  await ensureSystemPackages({ executable: found.executable, programs: given === null ? ['Xvfb'] : [] });
  const [display] = await Promise.all([given ?? startXvfb({ user }), ensureBuilt()]);
  const settings = settingsToHand(asked.config);
  const handed = user === null || settings === null ? null : settingsFor(user, settings);
  try {
    const [runtime, app] = await Promise.all([runtimeFor(user, found), appFor(user)]);
    const sandbox = sandboxArguments(findSandbox({ user, dist: runtime.dist }), {
      dist: runtime.dist,
      ...(closed
        ? { why: `It runs as root, because no ordinary user can be let into ${asked.dataDir}` }
        : {}),
    });
    if (user !== null && sandbox.length === 0)
      say(`running as the ordinary user ${user.name}, with Chromium's sandbox`);
    const environment = user === null ? { ...process.env } : environmentOf(user, process.env);
    const dataFolder = asked.dataDir ?? defaultDataFolder(environment);
    const screenshot = join(dataFolder, 'screenshot.png');
    if (display.origin === 'own') {
      say(`no display here, so it plays on ${display.name}. A fresh screenshot is written to ${screenshot}`);
    }
    say(`data folder ${dataFolder}. Stop it with Ctrl-C`);
    const command = [
      runtime.executable,
      ...sandbox,
      ...display.electronArguments,
      ...quietWithoutBus({ ...environment, ...display.env }, asked.others),
      app,
      ...writeKioskArguments({
        config: handed !== null && handed.config !== settings ? handed.config : asked.config,
        dataDir: reach?.at ?? asked.dataDir,
        others: asked.others,
      }),
    ];
    const mount = user !== null && reach !== null && reach.mountFrom !== null;
    const code = await run({
      command: mount
        ? mounted({ user, from: reach.mountFrom ?? '', at: reach.at }, command)
        : endingWithUs(/** @type {[string, ...string[]]} */ (command)),
      options: {
        cwd: user === null ? process.cwd() : '/',
        env: {
          ...environment,
          ...display.env,
          ...SUPERVISED,
          ...(display.origin === 'own'
            ? { ENDCAP_SCREENSHOT: reach === null ? screenshot : join(reach.at, 'screenshot.png') }
            : {}),
          ...env,
        },
        ...(user === null || mount ? {} : { uid: user.uid, gid: user.gid }),
      },
      refresh: () => appFor(user),
    });
    if (code === 127) {
      lookAgain();
      say('Electron could not be started. The next start looks for missing packages again');
    }
    return code;
  } finally {
    handed?.remove();
    await display.close();
  }
}

/** @param {Launch} launch */
function runOnce({ command, options }) {
  return keepRunning(command, options);
}

/**
 * The settings file that the kiosk will look for, as far as root has to hand it over.
 * @param {string | null} asked
 */
function settingsToHand(asked) {
  if (!startedAsRoot) return null;
  if (asked !== null) return asked;
  const named = process.env.ENDCAP_CONFIG;
  if (named !== undefined && named !== '') return resolve(calledFrom(), named);
  return existsSync(SYSTEM_SETTINGS) ? SYSTEM_SETTINGS : null;
}

/**
 * Without a session bus Chromium complains about it line after line; nothing a kiosk does needs one.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string[]} others
 */
function quietWithoutBus(environment, others) {
  const wantsLog = others.some((arg) => /^--(enable-logging|log-level|v)(=|$)/.test(arg));
  return environment.DBUS_SESSION_BUS_ADDRESS === 'disabled:' && !wantsLog ? ['--log-level=3'] : [];
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
