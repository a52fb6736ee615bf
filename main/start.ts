import { join } from 'node:path';
import type { Log } from '../shared/log';
import { ERROR_EXIT_CODE } from './end-on-errors';
import type { KioskStart } from './kiosk';
import type { Late } from './late';
import { cutTornLogs } from './records/cut-torn-logs';
import type { SettingsFault, SettingsResult } from './settings/find-settings';
import type { LocatedSettings, SettingsPlaces } from './settings/locate-settings';
import type { Settings } from './settings/settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import type { PagesAsked } from './shell/app-protocol';
import type { Graphics } from './shell/graphics';
import { systemKeyring } from './shell/keyring';
import type { LockDown } from './shell/lock-down';
import { showMessage } from './shell/message-screen';
import type { NewWindows, WindowMaking } from './shell/new-windows';
import { rememberUnexpectedErrors } from './shell/remember-errors';
import { restart } from './shell/restart';
import type { StartOptions } from './shell/start-options';
import { thisProgram, versions } from './shell/this-machine';
import { endForError } from './shell/unexpected-errors';
import { keepWindows } from './shell/windows';

/** Windows that load at all have asked for their pages by then, ms. */
const PAGES_MS = 1_000;

/** Lines wait so long for the log to be loaded, ms: behind the first picture, as a rule. */
const LOG_MS = 700;

/** What there is when both windows have just been made. */
export interface Start {
  readonly options: StartOptions;
  readonly places: SettingsPlaces;
  readonly located: LocatedSettings;
  readonly first: NewWindows;
  readonly making: WindowMaking;
  readonly lockDown: LockDown;
  readonly graphics: Graphics;
  /** Takes lines already. */
  readonly lateLog: Late<Log>;
  readonly pagesAsked: PagesAsked;
  /** Folder of the built programs. */
  readonly programs: string;
}

/**
 * From the settings to a kiosk that plays, or to a message that says why it cannot.
 * To be called in the turn in which the windows were made.
 */
export async function start(given: Start): Promise<void> {
  const { options, places, located, first, making, lockDown, graphics, programs } = given;
  const { dataDir: dataDirectory } = places;
  const { calls: log } = given.lateLog;
  const { isSafeStart, safeStartOver } = rememberUnexpectedErrors(dataDirectory, given.lateLog);
  let logging: Promise<void> | null = null;
  /** Its library brings half of Node's network along, and comes behind all that the first picture waits for. */
  const openLog = () => {
    logging ??= import('./shell/log').then(({ createLog }) => {
      const created = createLog(dataDirectory, places.env.ENDCAP_LOG === 'debug' ? 'debug' : 'info');
      given.lateLog.use(created, created.asOf);
    });
    return logging;
  };
  const late = pause(PAGES_MS);
  const pagesServed = Promise.race([given.pagesAsked.whole, late]);
  setTimeout(openLog, LOG_MS);
  // What went wrong is known of even if the power fails in the next moment.
  given.lateLog.whenCalled(['warn', 'error'], () => void openLog());
  log.info('Endcap starts', { ...versions, dataDirectory });
  const windows = keepWindows(first, making, log, openLog);
  const { exit } = windows;
  graphics.watch({
    log,
    onDeath: (isAgain) => windows.stage.harmed('graphics', isAgain),
    onDriverFault: () => windows.stage.driverAtFault(),
    startOver: restart,
    giveUp: () => exit(ERROR_EXIT_CODE),
  });
  // Before the turn is over: their pages come from this process, and so does the first to open the database.
  cutTornLogs(join(dataDirectory, 'IndexedDB'), log);

  const search = { ...places, readFile: readFileOnDisk, openSealed: systemKeyring.open };
  const play = async (settings: Settings, origin: KioskStart['origin'], isCovered: boolean) => {
    windows.stage.showAs({ rotation: settings.playback.rotation, language: settings.ui.language });
    await pagesServed;
    const { playKiosk } = await import('./kiosk');
    const safeStart = isSafeStart ? { over: safeStartOver } : null;
    return playKiosk({ settings, origin, windows, isCovered, safeStart, lockDown, dataDirectory, log });
  };
  const playFound = (result: SettingsResult, isCovered: boolean) => {
    if (result.kind === 'fault') return refuse(result, isCovered);
    if (result.kind === 'none') throw new Error('the settings that were just stored are not there');
    for (const warning of result.warnings) log.warn(warning);
    const { settings, file, warnings, sealed } = result;
    if (sealed.length > 0) log.info('the keyring opened secrets of the settings', { sealed });
    return play(settings, { file, warnings, service: null }, isCovered);
  };
  const playDemo = async (isCovered: boolean) => {
    const { startDemo } = await import('./shell/demo-settings');
    const { settings, service } = await startDemo(programs, dataDirectory, log);
    return play(settings, { file: null, warnings: [], service }, isCovered);
  };
  /** Wrong settings stop the start: on a terminal from source, in the window of an installed kiosk. */
  const refuse = (fault: SettingsFault, isCovered: boolean) => {
    log.error(fault.message);
    if (!thisProgram.isPackaged) return exit(1);
    // The set-up that nobody answers any more would lie over the message.
    if (isCovered) windows.stage.replace();
    showMessage({ title: 'This kiosk cannot start', text: fault.message }, windows);
  };

  try {
    // Their pages first: the windows read them while settings are checked here.
    await Promise.race([given.pagesAsked.both, late]);
    const { findSettings, readLocated } = await import('./settings/find-settings');
    if (located.kind !== 'none') return await playFound(await readLocated(located, search), false);
    if (!thisProgram.isPackaged && !options.setUp) return await playDemo(false);
    const language = thisProgram.locale();
    windows.stage.showAs({ rotation: 0, language });
    const { firstSetUp } = await import('./first-set-up');
    const outcome = await firstSetUp({ windows, dataDirectory, language, log });
    return await (outcome === 'demo' ? playDemo(true) : playFound(await findSettings(search), true));
  } catch (fault) {
    // Nothing of it plays: as good as an error that nothing handles.
    endForError(fault);
  }
}

const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
