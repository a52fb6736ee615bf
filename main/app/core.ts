import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import { createReading, readingWorkerFile } from '../reading/reading';
import { cutTornLogs } from '../records/cut-torn-logs';
import { createRecordsClient } from '../records/records-client';
import { timers } from '../schedule';
import type { SettingsSearch } from '../settings/find-settings';
import type { LiveSettingsStore } from '../settings/live-settings';
import type { RemoteTrialParts } from '../settings/remote/remote-trials';
import type { Settings } from '../settings/settings';
import { openAdminChannel } from '../shell/admin-channel';
import { serveMedia } from '../shell/app-protocol';
import { createDecidedClock } from '../shell/decided-clock';
import { readConnectors, watchDisplayPower } from '../shell/display-power';
import type { EmbeddedService } from '../shell/embedded-service';
import type { Graphics } from '../shell/graphics';
import { createPageWatch } from '../shell/guests/watch-pages';
import { isThere, onDisplayChange } from '../shell/kiosk-display';
import { endInOrder, giveUp, isEnding, restart } from '../shell/kiosk-end';
import { type KioskScreen, superviseKioskWindow } from '../shell/kiosk-window';
import { watchLiveness } from '../shell/liveness';
import type { LockDown } from '../shell/lock-down';
import { type NewWindows, newKioskWindow, newRecordsWindow, type WindowMaking } from '../shell/new-windows';
import { deleteRecordsDatabase, openRecordsPort } from '../shell/records-port';
import { superviseRecordsWindow } from '../shell/records-window';
import { keepServiceManager, systemdNotify } from '../shell/service-manager';
import { createRestartBudget } from '../shell/unexpected-ends';
import type { RestartedProcess } from '../status/status';
import { pause } from '../turns';
import { writeWholeFile } from '../whole-file';
import type { AppEmitter, AppEvents } from './events';
import { createLifecycle } from './lifecycle';

/** The parts that exist when both windows were just created. */
export interface Opened {
  readonly first: NewWindows;
  readonly making: WindowMaking;
  readonly graphics: Graphics;
  readonly lockDown: LockDown;
  readonly dataDirectory: string;
  readonly log: Log;
}

/** The parts that exist before the settings are read. */
export type Base = ReturnType<typeof openWindows>;

/** Reports to the stage whether shoppers have a display before them (rule 14). */
function watchDisplay(
  stage: KioskScreen,
  { making, dataDirectory, log }: Pick<Opened, 'making' | 'dataDirectory' | 'log'>,
): void {
  onDisplayChange(() => stage.displayIs(isThere(making.display), 'list'));
  if (process.platform !== 'linux') return;
  const seen = join(dataDirectory, 'display-seen');
  watchDisplayPower({
    read: readConnectors,
    schedule: timers,
    wasOn: existsSync(seen),
    firstOn() {
      writeWholeFile(seen, '', 0o600).catch((error: unknown) =>
        log.error('it could not be stored that a display was on', { error }),
      );
    },
    tell(isOn) {
      log.warn(isOn ? 'a display is back' : 'the last display was unplugged or switched off');
      stage.displayIs(isOn, 'connectors');
    },
  });
}

/**
 * Listens to both windows and keeps them open until the kiosk ends; they load while the rest of the kiosk is built. Call
 * it in the turn in which they were created.
 */
export function openWindows({ first, making, graphics, lockDown, dataDirectory, log }: Opened) {
  const lifecycle = createLifecycle(log);
  // One event may have any number of listeners.
  const events: AppEmitter = new EventEmitter<AppEvents>().setMaxListeners(0);
  const schedule = timers;
  const clock = createDecidedClock();
  const records = createRecordsClient(schedule);
  const endForLostPart = () => {
    log.error('a part that failed could not be started over; the kiosk exits to be restarted');
    giveUp();
  };
  const liveness = watchLiveness({ clock, schedule, log, isEnding, giveUp: endForLostPart });
  const restarts: Record<RestartedProcess, number> = { kiosk: 0, records: 0, graphics: 0, service: 0 };
  const budget = () => createRestartBudget(clock.monotonic, endForLostPart);
  const serviceBudget = budget();
  const showMedia = serveMedia();
  const recordsWindow = superviseRecordsWindow(records, {
    liveness,
    log,
    clock,
    schedule,
    isEnding,
    repairDatabase: () => cutTornLogs(join(dataDirectory, 'IndexedDB'), log),
    deleteDatabase: deleteRecordsDatabase,
    openPort: openRecordsPort,
    mayReplace: budget(),
    first: first.records,
    make() {
      restarts.records += 1;
      return newRecordsWindow(making);
    },
    onBack: () => events.emit('recordsBack'),
  });
  const stage = superviseKioskWindow({
    liveness,
    log,
    mayReplace: budget(),
    first: first.kiosk,
    make() {
      restarts.kiosk += 1;
      return newKioskWindow(making);
    },
    ...making,
  });
  // Opened before the kiosk window loads its page; otherwise the overlay's first calls are lost.
  const adminChannel = openAdminChannel(stage.owns, log);
  graphics.watch({
    log,
    onEnd() {
      restarts.graphics += 1;
    },
    onDeath: (isAgain) => stage.harmed('graphics', isAgain),
    onDriverBlamed(remedy) {
      events.emit('driverBlamed');
      if (remedy === 'startOver') restart();
      else giveUp();
    },
  });
  watchDisplay(stage, { making, dataDirectory, log });
  const serviceManager = keepServiceManager({
    environment: process.env,
    isWell: liveness.isWell,
    schedule,
    send: systemdNotify(log),
  });
  // Registered this early, because nothing else can close the windows.
  endInOrder(() => {
    serviceManager.stopping();
    return lifecycle.end();
  });
  const reading = createReading({ worker: readingWorkerFile(), schedule, log });
  return {
    windows: {
      stage,
      adminChannel,
      records,
      recordsWindow,
      liveness,
      serviceManager,
      /** The display that the kiosk covers now. */
      display: making.display,
      /** Sets the files that `media://` serves. */
      showMedia,
      /** Whether the embedded service may be started once more. */
      mayRestartService() {
        const may = serviceBudget();
        if (may) restarts.service += 1;
        return may;
      },
      /** How often each process was started again because it ended or hung. */
      restarts: () => restarts,
    },
    graphics,
    lockDown,
    dataDirectory,
    lifecycle,
    events,
    clock,
    schedule,
    log,
    reading,
    pageWatch: createPageWatch(reading),
    random: Math.random,
    newId: randomUUID,
    pause,
  };
}

/** The remote settings (rule 30) as found at the start. */
export type FoundRemote = Pick<RemoteTrialParts, 'kept' | 'setAside' | 'check'>;

/** The settings, and their source. */
export interface FoundSettings {
  readonly settings: Settings;
  /** The settings file; null for the embedded demo. */
  readonly file: string | null;
  /** Where it was looked for, and the next start looks; null for the embedded demo. */
  readonly search: SettingsSearch | null;
  readonly warnings: readonly string[];
  /** Null: without a settings file there are no remote settings. */
  readonly remote: FoundRemote | null;
  /** The embedded ad service; null: a real one. */
  readonly service: EmbeddedService | null;
}

/** The parts that every phase after the settings may use. */
export interface Core extends Base {
  readonly found: FoundSettings;
  /** The settings as read at the start. */
  readonly settings: Settings;
  /** The settings that may change while the kiosk plays. */
  readonly live: LiveSettingsStore;
  /** The set-up still covers the stage, until the overlay of this kiosk reports that it is closed (rule 14). */
  readonly isCovered: boolean;
}
