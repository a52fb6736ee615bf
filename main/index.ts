import { join } from 'node:path';
import { app, powerSaveBlocker, session } from 'electron';
import { firstRead, locateSettings } from './settings/locate-settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import { serveApp } from './shell/app-protocol';
import { prepareApplication } from './shell/application';
import { openGraphics } from './shell/graphics';
import { kioskDisplay } from './shell/kiosk-display';
import { lockDownContents } from './shell/lock-down';
import { createLog } from './shell/log';
import { newKioskWindow, newRecordsWindow } from './shell/new-windows';
import { readStartOptions } from './shell/start-options';
import { versions } from './shell/this-machine';
import { endForError, endOnUnexpectedErrors } from './shell/unexpected-errors';

endOnUnexpectedErrors();

// Only what the windows need is imported above. Everything else is loaded while their processes start.
const options = readStartOptions(process.argv, process.cwd());
const programs = __dirname;

if (options.command !== null) {
  const { name, args } = options.command;
  void import('./cli/commands')
    .then(({ runCommand }) => runCommand(name, args))
    .then((exitCode) => app.exit(exitCode));
} else if (prepareApplication(options)) {
  openAndStart().catch(endForError);
} else {
  console.error('Endcap already runs on this data folder; this second start ends.');
  app.exit(0);
}

/** Opens both windows, and loads what lets them play. */
async function openAndStart(): Promise<void> {
  const dataDirectory = app.getPath('userData');
  // How pictures are drawn has to be known before Electron is ready.
  const graphics = openGraphics(join(dataDirectory, 'graphics.json'), versions.endcap);
  const log = createLog(dataDirectory, process.env.ENDCAP_LOG === 'debug' ? 'debug' : 'info');
  const lockDown = lockDownContents(log);
  const { configPath } = options;
  const places = { configPath, env: process.env, platform: process.platform, dataDir: dataDirectory };
  const [located] = await Promise.all([
    locateSettings(places, readFileOnDisk),
    app.whenReady(),
    import('./records/cut-torn-logs').then(({ cutTornLogs }) =>
      cutTornLogs(join(dataDirectory, 'IndexedDB'), log),
    ),
  ]);
  const { wantsWindow, wantsLessMotion, display } = firstRead(located);
  // Set before the first page is created, because Chromium reads the switch then.
  if (wantsLessMotion) app.commandLine.appendSwitch('force-prefers-reduced-motion');
  const devServer = app.isPackaged ? null : (process.env.ENDCAP_DEV_SERVER ?? null);
  serveApp(session.defaultSession, join(programs, '../renderer'), devServer);

  const isInstalled = app.isPackaged || located.kind !== 'none' || options.kiosk || options.setUp;
  const making = {
    preloads: join(programs, '../preload'),
    kiosk: isInstalled && !options.windowed && !wantsWindow,
    display: kioskDisplay(display, log),
    devTools: !app.isPackaged,
  };
  // The books first: more waits for them.
  const first = { records: newRecordsWindow(making), kiosk: newKioskWindow(making) };
  // A desktop would blank the display, because nobody touches it (rule 12). `display.power` still switches it.
  if (making.kiosk) powerSaveBlocker.start('prevent-display-sleep');
  // Loaded while the windows' processes start.
  const { startApplication } = await import('./app/start');
  const source = { places, located, setUp: options.setUp, programs };
  await startApplication({ source, first, making, lockDown, graphics, dataDirectory, log });
}
