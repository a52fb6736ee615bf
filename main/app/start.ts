import { join } from 'node:path';
import { ERROR_EXIT_CODE } from '../end-on-errors';
import { cutTornLogs } from '../records/cut-torn-logs';
import type { Graphics } from '../shell/graphics';
import type { NewWindows, WindowMaking } from '../shell/new-windows';
import { rememberUnexpectedErrors } from '../shell/remember-errors';
import { restart } from '../shell/restart';
import { versions } from '../shell/this-machine';
import { endForError } from '../shell/unexpected-errors';
import { keepWindows } from '../shell/windows';
import { type Base, createCore } from './core';
import { openDecisions } from './decisions';
import { createEvents } from './events';
import { createLifecycle } from './lifecycle';
import { startPlayback } from './playback';
import { openSettings, type SettingsSource } from './settings';

/** Deferred work starts after this time even if no frame was shown, ms: a kiosk in trouble can be asked why. */
const DEFERRED_AT_LATEST_MS = 10_000;

/** What there is when both windows have just been made. */
export interface Start extends Pick<Base, 'lockDown' | 'dataDirectory' | 'log'> {
  readonly source: SettingsSource;
  readonly first: NewWindows;
  readonly making: WindowMaking;
  readonly graphics: Graphics;
}

/**
 * The application, phase by phase. What a phase starts is stopped at an orderly end, the
 * last one first. To be called in the turn in which the windows were made.
 */
export async function startApplication(start: Start): Promise<void> {
  const { dataDirectory, log } = start;
  const { isSafeStart, safeStartOver } = rememberUnexpectedErrors(dataDirectory, log);
  log.info('Endcap starts', { ...versions, dataDirectory });
  const base = openWindows(start);
  const { windows, lifecycle } = base;
  try {
    const found = await openSettings(base, start.source);
    if (found === null) return;
    const { playback: shown, ui } = found.settings;
    windows.stage.showAs({ rotation: shown.rotation, language: ui.language });
    const core = createCore(base, found);
    lifecycle.keep({ dispose: () => log.info('Endcap ended in order') });

    const decisions = lifecycle.keep(await openDecisions(core, isSafeStart ? { over: safeStartOver } : null));
    const playback = lifecycle.keep(startPlayback(core, decisions));

    await Promise.race([playback.firstPicture, waited(DEFERRED_AT_LATEST_MS)]);
    if (windows.isEnding()) return;
    // Overlay and API take longer to load than all that comes before.
    const { startDeferred } = await import('./deferred');
    await startDeferred(core, decisions, playback);
  } catch (error) {
    // Nothing of it plays: as good as an error that nothing handles.
    endForError(error);
  }
}

/** Listens to both windows, and mends what the last run left of the database before one of them opens it. */
function openWindows(start: Start): Base {
  const { first, making, graphics, lockDown, dataDirectory, log } = start;
  const lifecycle = createLifecycle(log);
  const events = createEvents();
  const windows = keepWindows({
    ...{ first, making, log },
    onRecordsBack: () => events.emit('recordsBack'),
    settle: lifecycle.end,
  });
  graphics.watch({
    log,
    onDeath: (isAgain) => windows.stage.harmed('graphics', isAgain),
    onDriverFault: () => windows.stage.driverAtFault(),
    startOver: restart,
    giveUp: () => windows.exit(ERROR_EXIT_CODE),
  });
  // Before the turn is over: their pages come from this process, and so does the first to open the database.
  cutTornLogs(join(dataDirectory, 'IndexedDB'), log);
  return { windows, lockDown, dataDirectory, lifecycle, events, log };
}

const waited = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
