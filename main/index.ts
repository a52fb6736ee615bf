import { join } from 'node:path';
import { app, session } from 'electron';
import type { Log } from '../shared/log';
import type { KioskStart } from './kiosk';
import { cutTornLogs } from './records/cut-torn-logs';
import { findSettings, type SettingsFault } from './settings/find-settings';
import type { Settings } from './settings/settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import { serveApp } from './shell/app-protocol';
import { prepareApplication } from './shell/application';
import { denyPermissions, lockDownContents } from './shell/lock-down';
import { createLog } from './shell/log';
import { showMessage } from './shell/message-screen';
import { readStartOptions } from './shell/start-options';
import { versions } from './shell/this-machine';
import { openWindows } from './shell/windows';

const options = readStartOptions(process.argv, process.cwd());
const programs = __dirname;
const preloads = join(programs, '../preload');
const pages = join(programs, '../renderer');

if (prepareApplication(options)) {
  const dataDirectory = app.getPath('userData');
  const log = createLog(dataDirectory, process.env.ENDCAP_LOG === 'debug' ? 'debug' : 'info');
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

  const [found] = await Promise.all([
    findSettings({
      configPath: options.configPath,
      env: process.env,
      platform: process.platform,
      dataDir: dataDirectory,
      readFile: readFileOnDisk,
    }),
    app.whenReady(),
    cutTornLogs(join(dataDirectory, 'IndexedDB'), log),
  ]);
  denyPermissions(session.defaultSession);
  serveApp(session.defaultSession, pages);

  /** Both windows first: they load while the code of a playing kiosk is loaded, and its parts are built. */
  const play = async (settings: Settings, origin: KioskStart['origin']) => {
    const windows = openWindows({
      preloads,
      kiosk:
        settings.playback.kiosk &&
        !options.windowed &&
        (app.isPackaged || origin.file !== null || options.kiosk),
      rotation: settings.playback.rotation,
      language: settings.ui.language,
      log,
    });
    const { playKiosk } = await import('./kiosk');
    return playKiosk({ settings, origin, windows, lockDown, dataDirectory, log });
  };

  switch (found.kind) {
    case 'settings':
      for (const warning of found.warnings) log.warn(warning);
      return play(found.settings, { file: found.file, warnings: found.warnings, service: null });
    case 'fault':
      return refuse(found, log);
    case 'none': {
      if (app.isPackaged) return askForSettings(log);
      const { startDemo } = await import('./shell/demo-settings');
      const { settings, service } = await startDemo(programs, dataDirectory, log);
      return play(settings, { file: null, warnings: [], service });
    }
  }
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

/** Installed without settings: never demo ads in a store. */
function askForSettings(log: Log): void {
  log.error('no settings were found');
  const text =
    'Endcap is installed but not set up.\nWrite its settings to /etc/endcap/config.json (Windows: %ProgramData%\\Endcap\\config.json) and restart it.';
  showMessage({ title: 'Not set up yet', text }, { preload: join(preloads, 'kiosk.js'), kiosk: true, log });
}
