import { join } from 'node:path';
import { app, session } from 'electron';
import type { Log } from '../shared/log';
import type { KioskStart } from './kiosk';
import { cutTornLogs } from './records/cut-torn-logs';
import { findSettings, type SettingsFault, type SettingsResult } from './settings/find-settings';
import type { Settings } from './settings/settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import { serveApp } from './shell/app-protocol';
import { prepareApplication } from './shell/application';
import { systemNow } from './shell/decided-clock';
import { openGraphics } from './shell/graphics';
import { systemKeyring } from './shell/keyring';
import { denyPermissions, lockDownContents } from './shell/lock-down';
import { createLog } from './shell/log';
import { showMessage } from './shell/message-screen';
import { restart } from './shell/restart';
import { readStartOptions } from './shell/start-options';
import { versions } from './shell/this-machine';
import { openWindows, type Windows } from './shell/windows';

const options = readStartOptions(process.argv, process.cwd());
const programs = __dirname;
const preloads = join(programs, '../preload');
const pages = join(programs, '../renderer');

if (options.command !== null) {
  const { name, args } = options.command;
  void import('./admin/commands/commands')
    .then(({ runCommand }) => runCommand(name, args))
    .then((exitCode) => app.exit(exitCode));
} else if (prepareApplication(options)) {
  const dataDirectory = app.getPath('userData');
  const graphics = openGraphics(dataDirectory, systemNow());
  const log = createLog(dataDirectory, process.env.ENDCAP_LOG === 'debug' ? 'debug' : 'info');
  graphics.watch({ log, systemNow, startOver: restart, giveUp: () => app.exit(1) });
  start(dataDirectory, log).catch((fault: unknown) => {
    log.error('Endcap could not start', { fault });
    app.exit(1);
  });
} else {
  console.error('Endcap already runs on this data folder; this second start ends.');
  app.exit(0);
}

/** From the settings to a kiosk that plays, or to a message that says why it cannot. */
async function start(dataDirectory: string, log: Log): Promise<void> {
  log.info('Endcap starts', { ...versions, dataDirectory });
  const lockDown = lockDownContents(log);

  const search = () =>
    findSettings({
      configPath: options.configPath,
      env: process.env,
      platform: process.platform,
      dataDir: dataDirectory,
      readFile: readFileOnDisk,
      openSealed: systemKeyring.open,
    });
  const [found] = await Promise.all([search(), app.whenReady()]);
  denyPermissions(session.defaultSession);
  serveApp(session.defaultSession, pages);

  /** Both windows first: they load while the code of a playing kiosk is loaded, and its parts are built. */
  const open = (kiosk: boolean, rotation: Settings['playback']['rotation'], language: string) => {
    const windows = openWindows({ preloads, kiosk: kiosk && !options.windowed, rotation, language, log });
    // While their processes come up, and in the same turn: their pages, from this process, come later, and so
    // does the first to open the database.
    cutTornLogs(join(dataDirectory, 'IndexedDB'), log);
    return windows;
  };
  const play = async (settings: Settings, origin: KioskStart['origin'], opened: Windows | null = null) => {
    const isInstalled = app.isPackaged || origin.file !== null || options.kiosk;
    const { kiosk, rotation } = settings.playback;
    const windows = opened ?? open(kiosk && isInstalled, rotation, settings.ui.language);
    const { playKiosk } = await import('./kiosk');
    return playKiosk({ settings, origin, windows, isCovered: opened !== null, lockDown, dataDirectory, log });
  };
  const playFound = (result: SettingsResult, windows: Windows | null = null) => {
    if (result.kind === 'fault') return refuse(result, log);
    if (result.kind === 'none') throw new Error('the settings that were just stored are not there');
    for (const warning of result.warnings) log.warn(warning);
    const { settings, file, warnings, sealed } = result;
    if (sealed.length > 0) log.info('the keyring opened secrets of the settings', { sealed });
    return play(settings, { file, warnings, service: null }, windows);
  };
  const playDemo = async (windows: Windows | null = null) => {
    const { startDemo } = await import('./shell/demo-settings');
    const { settings, service } = await startDemo(programs, dataDirectory, log);
    return play(settings, { file: null, warnings: [], service }, windows);
  };

  if (found.kind !== 'none') return playFound(found);
  if (!app.isPackaged && !options.setUp) return playDemo();
  const language = app.getLocale();
  const windows = open(true, 0, language);
  const { firstSetUp } = await import('./first-set-up');
  const outcome = await firstSetUp({ windows, dataDirectory, language, log });
  return outcome === 'demo' ? playDemo(windows) : playFound(await search(), windows);
}

/** Wrong settings stop the start: on a terminal from source, on the whole screen of an installed kiosk. */
function refuse(fault: SettingsFault, log: Log): void {
  log.error(fault.message);
  if (!app.isPackaged) {
    app.exit(1);
    return;
  }
  showMessage(
    { title: 'This kiosk cannot start', text: fault.message },
    { preload: join(preloads, 'kiosk.js'), kiosk: true, log },
  );
}
