import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import { createReading, readingWorkerFile } from '../reading/reading';
import { cutTornLogs } from '../records/cut-torn-logs';
import { timers } from '../schedule';
import type { LiveSettingsStore } from '../settings/live-settings';
import type { RemoteTrialParts } from '../settings/remote/remote-trials';
import type { Settings } from '../settings/settings';
import type { EmbeddedService } from '../shell/embedded-service';
import type { Graphics } from '../shell/graphics';
import { giveUp, restart } from '../shell/kiosk-end';
import type { LockDown } from '../shell/lock-down';
import type { NewWindows, WindowMaking } from '../shell/new-windows';
import { superviseWindows } from '../shell/windows';
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

/** Listens to both windows, and repairs the database before one of them opens it. */
export function openWindows({ first, making, graphics, lockDown, dataDirectory, log }: Opened) {
  const lifecycle = createLifecycle(log);
  // One event may have any number of listeners.
  const events: AppEmitter = new EventEmitter<AppEvents>().setMaxListeners(0);
  const windows = superviseWindows({
    ...{ first, making, log },
    onRecordsBack: () => events.emit('recordsBack'),
    settle: lifecycle.end,
  });
  graphics.watch({
    log,
    onDeath: (isAgain) => windows.stage.harmed('graphics', isAgain),
    onDriverBlamed: () => events.emit('driverBlamed'),
    startOver: restart,
    giveUp,
  });
  // Done in this turn: this process serves the windows' pages, so no page can open the database earlier.
  cutTornLogs(join(dataDirectory, 'IndexedDB'), log);
  return {
    ...{ windows, lockDown, dataDirectory, lifecycle, events, log },
    clock: windows.clock,
    schedule: timers,
    reading: createReading({ worker: readingWorkerFile(), schedule: timers, log }),
    random: Math.random,
    newId: randomUUID,
    /** Lets timers and I/O run between two steps of long work. */
    pause: (): Promise<void> => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** The remote settings (rule 30) as found at the start. */
export type FoundRemote = Pick<RemoteTrialParts, 'kept' | 'setAside' | 'check'>;

/** The settings, and their source. */
export interface FoundSettings {
  readonly settings: Settings;
  /** The settings file; null for the embedded demo. */
  readonly file: string | null;
  readonly warnings: readonly string[];
  /** Null: without a settings file there are no remote settings. */
  readonly remote: FoundRemote | null;
  /** The embedded ad service; null: a real one. */
  readonly service: EmbeddedService | null;
  /** The set-up still covers the stage, until the overlay of this kiosk reports that it is closed (rule 14). */
  readonly isCovered: boolean;
}

/** The parts that every phase after the settings may use. */
export interface Core extends Base {
  readonly found: FoundSettings;
  /** The settings as read at the start. */
  readonly settings: Settings;
  /** The settings that may change while the kiosk plays. */
  readonly live: LiveSettingsStore;
}
