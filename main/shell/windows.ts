import { app } from 'electron';
import type { Log } from '../../shared/log';
import { ERROR_EXIT_CODE } from '../end-on-errors';
import { createRecordsClient } from '../records/records-client';
import { timers } from '../schedule';
import type { RestartedProcess } from '../status/status';
import { openAdminChannel } from './admin-channel';
import { serveMedia } from './app-protocol';
import { endInOrder } from './application';
import { createDecidedClock } from './decided-clock';
import { readConnectors, watchDisplayPower } from './display-power';
import type { EmbeddedService } from './embedded-service';
import { superviseKioskWindow } from './kiosk-window';
import { watchLiveness } from './liveness';
import { type NewWindows, newKioskWindow, newRecordsWindow, type WindowMaking } from './new-windows';
import { superviseRecordsWindow } from './records-window';
import { keepServiceManager, systemdNotify } from './service-manager';
import { createRestartBudget } from './unexpected-ends';
import { endingInOrder, givingUp } from './unexpected-errors';

/** The two windows of a playing kiosk, and the channels to them. The windows are kept open until the kiosk ends. */
export type Windows = ReturnType<typeof superviseWindows>;

/** How long an orderly end may take before the process exits anyway, ms. */
const SHUTDOWN_MS = 10_000;

/**
 * Keeps both windows open; they load while the rest of the kiosk is built. Call it in the turn in which the first
 * ones were created.
 *
 * @param parts.onRecordsBack called when a new records window has replaced a lost one
 * @param parts.settle runs when the kiosk is asked to end, before the process exits; see `endInOrder`
 */
export function superviseWindows(parts: {
  readonly first: NewWindows;
  readonly making: WindowMaking;
  readonly log: Log;
  readonly onRecordsBack: () => void;
  readonly settle: () => Promise<void>;
}) {
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
    log.error('a failed window could not be replaced; the kiosk exits to be restarted');
    exit(ERROR_EXIT_CODE);
  };
  const isEnding = () => ending;
  const liveness = watchLiveness({ clock, schedule: timers, log, isEnding, giveUp });
  const restarts: Record<RestartedProcess, number> = { kiosk: 0, records: 0, graphics: 0, service: 0 };
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (type === 'GPU' && reason !== 'clean-exit') restarts.graphics += 1;
  });
  const budget = () => createRestartBudget(clock.monotonic, giveUp);
  const supervision = { log, isEnding, liveness };
  const showMedia = serveMedia();
  const recordsWindow = superviseRecordsWindow(records, {
    ...supervision,
    mayReplace: budget(),
    first: first.records,
    make() {
      restarts.records += 1;
      return newRecordsWindow(making);
    },
    onBack: parts.onRecordsBack,
  });
  const stage = superviseKioskWindow({
    ...supervision,
    mayReplace: budget(),
    first: first.kiosk,
    make() {
      restarts.kiosk += 1;
      return newKioskWindow(making);
    },
    ...{ kiosk: making.kiosk, display: making.display },
  });
  // Before the kiosk window has its page, or the overlay's first calls are lost.
  const adminChannel = openAdminChannel(stage.owns, log);
  if (process.platform === 'linux')
    watchDisplayPower({
      read: readConnectors,
      schedule: timers,
      tell: (isOn) => stage.displayIs(isOn, 'connectors'),
    });
  const serviceManager = keepServiceManager({
    environment: process.env,
    isWell: liveness.isWell,
    schedule: timers,
    send: systemdNotify(log),
  });
  // Already now, because the windows cannot be closed in any other way.
  endInOrder(async () => {
    serviceManager.stopping();
    ending = true;
    await parts.settle();
  }, SHUTDOWN_MS);
  return {
    clock,
    /** Whether the window draws frames, the records answer, and so does the embedded service. */
    liveness,
    serviceManager,
    stage,
    /** The display that the kiosk covers now. */
    display: making.display,
    adminChannel,
    records,
    recordsWindow,
    /** Sets the files that `media://` serves. */
    showMedia,
    /** Starts the embedded service over when it ends or does not answer. */
    watchService(watched: EmbeddedService) {
      const mayTry = budget();
      watched.supervise(liveness, () => {
        if (!mayTry()) return false;
        restarts.service += 1;
        return true;
      });
    },
    /** The kiosk is ending: nothing is started over any more. */
    isEnding,
    /** Ends at once. */
    exit,
    /** How often each process was started again because it ended or hung. */
    restarts: () => restarts,
  };
}
