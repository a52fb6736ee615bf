import { app } from 'electron';
import type { Log } from '../../shared/log';
import type { AdminChannel } from '../admin/admin-parts';
import { ERROR_EXIT_CODE } from '../end-on-errors';
import { createRecordsClient, type RecordsClient } from '../records/records-client';
import { timers } from '../service/schedule';
import type { RestartedProcess } from '../signals/metric-facts';
import { openAdminChannel } from './admin-channel';
import { endInOrder } from './application';
import { createDecidedClock, type DecidedClock } from './decided-clock';
import { readConnectors, watchDisplayPower } from './display-power';
import type { EmbeddedService } from './embedded-service';
import { type Liveness, watchLiveness } from './liveness';
import { type MediaStores, serveMedia } from './media-protocol';
import { type NewWindows, newKioskWindow, newRecordsWindow, type WindowMaking } from './new-windows';
import { createRestartBudget, TRIES, WITHIN_MS } from './restart-budget';
import { keepServiceManager, type ServiceManager, systemdNotify } from './service-manager';
import {
  type KioskScreen,
  keepKioskWindow,
  keepRecordsWindow,
  type RecordsWindowKeeper,
} from './supervised-windows';
import { endingInOrder, givingUp } from './unexpected-errors';

/** The two windows of a playing kiosk, and what talks through them. They are kept open until `end`. */
export interface Windows {
  readonly clock: DecidedClock;
  readonly stage: KioskScreen;
  readonly adminChannel: AdminChannel;
  readonly records: RecordsClient;
  readonly recordsWindow: RecordsWindowKeeper;
  /** What `media://` leads to from now on. */
  showMedia(stores: MediaStores): void;
  /** Whether the window draws frames, the records answer, and so does the embedded service. */
  readonly liveness: Liveness;
  /** How often each process was started again because it ended or hung. */
  restarts(): Readonly<Record<RestartedProcess, number>>;
  /** Hears of it. */
  readonly serviceManager: ServiceManager;
  /** The embedded service is brought back too when it ends or says nothing. */
  watchService(service: EmbeddedService): void;
  /** The kiosk is ending: what dies from now on stays dead. */
  isEnding(): boolean;
  /** Ends at once: what dies from now on stays dead. */
  exit(code: number): void;
}

/** How long an orderly end may take before the process ends all the same, ms. */
const SHUTDOWN_MS = 10_000;

/**
 * Keeps both windows, from the first ones on; they load while the rest of the kiosk
 * is built. To be called in the turn in which those were made.
 *
 * @param parts.onRecordsBack another records window took over from one that died
 * @param parts.settle done when something asks the kiosk to end, before the process ends as `endInOrder` says
 */
export function keepWindows(parts: {
  readonly first: NewWindows;
  readonly making: WindowMaking;
  readonly log: Log;
  readonly onRecordsBack: () => void;
  readonly settle: () => Promise<void>;
}): Windows {
  const { first, making, log } = parts;
  const clock = createDecidedClock();
  const records = createRecordsClient(timers);
  let ending = false;
  const exit = (code: number) => {
    ending = true;
    if (code === ERROR_EXIT_CODE) givingUp();
    else endingInOrder();
    app.exit(code);
  };
  const giveUp = () => {
    log.error('what failed could not be brought back; the kiosk ends, to be started over');
    exit(ERROR_EXIT_CODE);
  };
  const isEnding = () => ending;
  const liveness = watchLiveness({ clock, schedule: timers, log, isEnding, giveUp });
  const restarts: Record<RestartedProcess, number> = { kiosk: 0, records: 0, graphics: 0, service: 0 };
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (type === 'GPU' && reason !== 'clean-exit') restarts.graphics += 1;
  });
  const supervision = { clock, log, isEnding, giveUp, liveness };
  const showMedia = serveMedia();
  const recordsWindow = keepRecordsWindow(records, {
    ...supervision,
    first: first.records,
    make() {
      restarts.records += 1;
      return newRecordsWindow(making);
    },
    onBack: parts.onRecordsBack,
  });
  const stage = keepKioskWindow({
    ...supervision,
    first: first.kiosk,
    make() {
      restarts.kiosk += 1;
      return newKioskWindow(making);
    },
    kiosk: making.kiosk,
  });
  // Before the kiosk window has its page: nothing the overlay says is lost.
  const adminChannel = openAdminChannel(stage.owns, log);
  if (process.platform === 'linux')
    watchDisplayPower({ read: readConnectors, schedule: timers, tell: stage.displayIs });
  const serviceManager = keepServiceManager({
    environment: process.env,
    isWell: liveness.isWell,
    schedule: timers,
    send: systemdNotify(log),
  });
  // From the first moment on: the windows themselves refuse to be closed.
  endInOrder(async () => {
    serviceManager.stopping();
    ending = true;
    await parts.settle();
  }, SHUTDOWN_MS);
  return {
    clock,
    liveness,
    serviceManager,
    stage,
    adminChannel,
    records,
    recordsWindow,
    showMedia,
    watchService(watched) {
      const mayTry = createRestartBudget(TRIES, WITHIN_MS, clock.monotonic);
      watched.supervise({
        mayTry() {
          const may = mayTry();
          if (may) restarts.service += 1;
          return may;
        },
        giveUp,
        liveness,
      });
    },
    isEnding,
    exit,
    restarts: () => restarts,
  };
}
