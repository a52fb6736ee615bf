import { homedir } from 'node:os';
import { join } from 'node:path';
import { readKioskArguments, writeKioskArguments } from './arguments.ts';
import { copyClone } from './as-user.ts';
import { givenDisplay, startXvfb } from './display.ts';
import { ensureElectron } from './electron.ts';
import { keepRunning, SUPERVISED } from './keep-running.ts';
import {
  demandDataFolder,
  demandReadable,
  environmentOf,
  giveCookie,
  hasPermission,
  identityOf,
  ordinaryUser,
  type User,
} from './ordinary-user.ts';
import { callerFolder, repositoryRoot } from './places.ts';
import { prepare } from './prepare.ts';
import { withParentDeathSignal } from './programs.ts';
import { makeSandbox, sandboxArguments } from './sandbox.ts';
import { printStatus } from './say.ts';

/**
 * Sets up all that a kiosk from source needs, so that its start needs no network.
 * @param args `[--official]`
 * @returns the exit code
 */
export async function setUp(args: readonly string[]): Promise<number> {
  const preferOfficial = args.includes('--official');
  const electron = await ensureElectron({ preferOfficial });
  await prepare({ programs: ['Xvfb'], electron: true, built: true });
  const user = await ordinaryUser();
  if (user !== null) makeSandbox(user, electron.dist);
  sandboxArguments(electron.dist, user);
  printStatus(`Electron ${electron.version} (${electron.origin}) in ${electron.dist}`);
  if (preferOfficial && electron.origin !== 'official') {
    printStatus('the fallback stays in use: the official Electron could not be downloaded');
    return 1;
  }
  printStatus('ready: npm start');
  return 0;
}

/**
 * Sets up what a kiosk from source needs, and runs it on a display, as an ordinary user if root has started us.
 * @param args `[--config FILE] [--data-dir DIR] [--windowed] [more for Electron]`
 * @param more `env` is added to the kiosk's environment; `stop` asks the kiosk to end, as SIGTERM does
 * @returns the exit code
 */
export async function start(
  args: readonly string[],
  { env = {}, stop }: { env?: NodeJS.ProcessEnv; stop?: AbortSignal } = {},
): Promise<number> {
  const asked = readKioskArguments(args, callerFolder());
  const electron = await ensureElectron();
  if (electron.origin === 'fallback') {
    printStatus(`Electron ${electron.version}, a third party's repackaging: for development and tests only`);
  }
  const user = await ordinaryUser();
  const session = { ...environmentOf(user) };
  if (user !== null) {
    printStatus(`running as the ordinary user ${user.name}`);
    if (asked.config !== null) demandReadable(user, asked.config);
    if (asked.dataDir !== null) demandDataFolder(user, asked.dataDir);
    // The user plays on root's X display if there is one.
    Object.assign(session, giveCookie(user, process.env.XAUTHORITY ?? join(homedir(), '.Xauthority')));
  }
  const given = await givenDisplay(session, user);
  // Before a display of our own: a build that fails would leave that running, and this program with it.
  await prepare({ programs: given === null ? ['Xvfb'] : [], electron: true, built: true });
  if (user !== null) makeSandbox(user, electron.dist);
  const root = user === null ? repositoryRoot : await cloneFor(user, electron.executable);
  // Electron may lie in the clone.
  const dist = electron.dist.replace(repositoryRoot, root);
  const executable = electron.executable.replace(repositoryRoot, root);
  const display = given ?? (await startXvfb(undefined, user));
  try {
    const environment: NodeJS.ProcessEnv = { ...session, ...display.env, ...SUPERVISED, ...env };
    const dataFolder = asked.dataDir ?? defaultDataFolder(environment);
    if (display.isOurs) {
      environment.ENDCAP_SCREENSHOT = join(dataFolder, 'screenshot.png');
      printStatus(
        `no display here, so it plays on ${display.name}. A fresh screenshot is written to ${environment.ENDCAP_SCREENSHOT}`,
      );
    }
    const sandbox = sandboxArguments(dist, user);
    printStatus(`data folder ${dataFolder}. Stop it with Ctrl-C`);
    const command = withParentDeathSignal([
      executable,
      ...[...sandbox, ...display.electronArguments],
      ...[root, ...writeKioskArguments(asked)],
    ]);
    return await keepRunning(command, { ...identityOf(user), cwd: root, env: environment }, stop);
  } finally {
    await display.close();
  }
}

/** As root: the clone, or a copy of it if the user may not read the clone. */
async function cloneFor(user: User, electron: string): Promise<string> {
  const isOpen =
    hasPermission(user, 'r', join(repositoryRoot, 'out/main/entry.js')) && hasPermission(user, 'x', electron);
  return isOpen ? repositoryRoot : await copyClone(user);
}

/** Where Electron keeps an app's data unless told otherwise. */
function defaultDataFolder(environment: NodeJS.ProcessEnv): string {
  const home = environment.HOME ?? homedir();
  if (process.platform === 'win32') return join(environment.APPDATA ?? home, 'endcap');
  if (process.platform === 'darwin') return join(home, 'Library/Application Support/endcap');
  return join(environment.XDG_CONFIG_HOME ?? join(home, '.config'), 'endcap');
}
