import { reasonOf } from '../describe-error';
import { DiskError } from '../records/open-books';
import { createLiveSettings } from '../settings/live-settings';
import { firstRead } from '../settings/locate-settings';
import { whenUsable } from '../settings/settings-watch';
import { demandWritable } from '../shell/application';
import { exitWith, isEnding, rememberUnexpectedErrors, restart } from '../shell/kiosk-end';
import { isPackaged, versions } from '../shell/this-machine';
import { endForError } from '../shell/unexpected-errors';
import { type Base, type Core, type Opened, openWindows } from './core';
import { openDecisions } from './decisions';
import { startPlayback } from './playback';
import { asksForSettings, openSettings, type SettingsSource, searchOf, WrongSettingsError } from './settings';

/** Deferred work starts after this time even if no frame was shown, ms: then the status says why. */
const DEFERRED_AT_LATEST_MS = 10_000;

/** How long an error of the disk is shown before the kiosk ends, ms: a third end within a minute would be a safe start. */
const DISK_ERROR_MS = 30_000;

/**
 * The application, phase by phase. What a phase starts is stopped at an orderly end, the
 * last one first. Call it in the turn in which the windows were made.
 */
export async function startApplication(start: Opened & { readonly source: SettingsSource }): Promise<void> {
  const { dataDirectory, log } = start;
  const { isSafeStart, safeStartOver } = rememberUnexpectedErrors(dataDirectory, log);
  log.info('Endcap starts', { ...versions, dataDirectory });
  const base = openWindows(start);
  const { windows, lifecycle } = base;
  const isCovered = asksForSettings(start.source);
  try {
    checkDisk(dataDirectory);
    const found = await openSettings(base, start.source);
    const { playback: shown, ui, admin } = found.settings;
    const { corner } = admin.gesture;
    windows.stage.keep({ type: 'screen', rotation: shown.rotation, language: ui.language, corner });
    const live = createLiveSettings(found.settings);
    const core: Core = { ...base, found, live, settings: found.settings, isCovered };
    lifecycle.keep({ dispose: () => log.info('Endcap ended in order') });

    const decisions = lifecycle.keep(await openDecisions(core, isSafeStart));
    if (isSafeStart) void decisions.network.gate.opened.then(safeStartOver);
    const playback = lifecycle.keep(startPlayback(core, decisions));

    await Promise.race([playback.firstFrame, waited(DEFERRED_AT_LATEST_MS)]);
    if (isEnding()) return;
    // Overlay and API take longer to load than all that comes before.
    const { startDeferred } = await import('./deferred');
    await startDeferred(core, decisions, playback);
  } catch (error) {
    // If the kiosk has to end while it starts, parts that are already closed cause errors.
    if (isEnding()) return;
    const { rotation } = firstRead(start.source.located);
    if (error instanceof WrongSettingsError) {
      log.error(error.message);
      // From source, the terminal says why.
      if (!isPackaged) return exitWith(1);
      showCannotStart(windows, error.message, isCovered, rotation);
      whenUsable(searchOf(start.source), base.schedule, () => {
        log.info('the settings can be used now; the kiosk starts over');
        restart();
      });
      return;
    }
    if (error instanceof DiskError) {
      log.error(error.message);
      showCannotStart(windows, error.message, isCovered, rotation);
      await waited(DISK_ERROR_MS);
      if (isEnding()) return;
    }
    // Nothing plays, so this is handled like an unhandled error.
    endForError(error);
  }
}

/** Throws a `DiskError` where nothing can be stored. */
function checkDisk(folder: string): void {
  try {
    demandWritable(folder);
  } catch (cause) {
    const why = `Nothing can be written to ${folder} (${reasonOf(cause)}).`;
    throw new DiskError(`${why} Check whether the disk is damaged, and whose folder this is.`, { cause });
  }
}

/** Says on the screen and to the service manager why nothing plays. */
function showCannotStart(
  { stage, serviceManager }: Base['windows'],
  text: string,
  isCovered: boolean,
  rotation: ReturnType<typeof firstRead>['rotation'],
): void {
  const title = 'This kiosk cannot start';
  // The set-up would cover the message.
  if (isCovered) stage.replace();
  stage.keep({ type: 'screen', rotation, language: 'en', corner: 'top-left' });
  stage.keep({ type: 'message', title, text });
  serviceManager.describe(() => title);
}

const waited = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
