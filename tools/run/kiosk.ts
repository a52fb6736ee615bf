import { homedir } from 'node:os';
import { join } from 'node:path';
import { readKioskArguments } from './arguments.ts';
import { runAsUser } from './as-user.ts';
import { givenDisplay, startXvfb } from './display.ts';
import { ensureElectron } from './electron.ts';
import { keepRunning, SUPERVISED } from './keep-running.ts';
import { demandDataFolder, demandReadable, ordinaryUser } from './ordinary-user.ts';
import { callerFolder, repositoryRoot } from './places.ts';
import { kioskAnd, prepare } from './prepare.ts';
import { withParentDeathSignal } from './programs.ts';
import { makeSandbox, sandboxArguments } from './sandbox.ts';
import { printStatus } from './say.ts';

/**
 * Sets up everything that a kiosk from source needs, so that its start needs no network.
 * @param args `[--official]`
 * @returns the exit code
 */
export async function setUp(args: readonly string[]): Promise<number> {
  const preferOfficial = args.includes('--official');
  const electron = await ensureElectron({ preferOfficial });
  await prepare(kioskAnd());
  const user = await ordinaryUser();
  if (user === null) sandboxArguments(electron.dist);
  else makeSandbox(user, electron.dist);
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
 * @param stop asks the kiosk to end, as SIGTERM does
 * @returns the exit code
 */
export async function start(args: readonly string[], stop?: AbortSignal): Promise<number> {
  const { config, dataDir, forKiosk } = readKioskArguments(args, callerFolder());
  const user = await ordinaryUser();
  if (user !== null) {
    if (config !== undefined) demandReadable(user, config);
    if (dataDir !== undefined) demandDataFolder(user, dataDir);
    // Only the user can tell whether it can use root's display, but cannot install programs. So both are installed
    // now.
    await prepare(process.env.DISPLAY ? kioskAnd('xdpyinfo') : kioskAnd());
    return await runAsUser(user, 'start', args, { onlyReads: true, stop });
  }
  const given = await givenDisplay();
  // Before a display is started: after a failed build, that display would keep running, and this process with it.
  await prepare({ programs: given === null ? ['Xvfb'] : [], electron: true, built: true });
  const electron = await ensureElectron();
  if (electron.origin === 'fallback') {
    printStatus(`Electron ${electron.version}, a third party's repackaging: for development and tests only`);
  }
  const display = given ?? (await startXvfb());
  try {
    const env: NodeJS.ProcessEnv = { ...process.env, ...display.env, ...SUPERVISED };
    const dataFolder = dataDir ?? defaultDataFolder();
    if (display.isOurs) {
      env.ENDCAP_SCREENSHOT = join(dataFolder, 'screenshot.png');
      printStatus(
        `no display here, so it plays on ${display.name}. A fresh screenshot is written to ${env.ENDCAP_SCREENSHOT}`,
      );
    }
    const ours = [...sandboxArguments(electron.dist), ...display.electronArguments];
    printStatus(`data folder ${dataFolder}. Stop it with Ctrl-C`);
    const command = withParentDeathSignal([electron.executable, ...ours, repositoryRoot, ...forKiosk]);
    return await keepRunning(command, { cwd: repositoryRoot, env }, stop);
  } finally {
    await display.close();
  }
}

/** Where Electron keeps an app's data by default. */
function defaultDataFolder(): string {
  const { XDG_CONFIG_HOME = join(homedir(), '.config') } = process.env;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/endcap');
  return join(XDG_CONFIG_HOME, 'endcap');
}
