import { app } from 'electron';
import type { Log } from '../../shared/log';
import { createRecordsClient } from '../records/records-client';
import { timers } from '../schedule';
import type { RestartedProcess } from '../status/status';
import { openAdminChannel } from './admin-channel';
import { serveMedia } from './app-protocol';
import { createDecidedClock } from './decided-clock';
import { readConnectors, watchDisplayPower } from './display-power';
import { endInOrder, giveUp, isEnding } from './kiosk-end';
import { superviseKioskWindow } from './kiosk-window';
import { watchLiveness } from './liveness';
import { type NewWindows, newKioskWindow, newRecordsWindow, type WindowMaking } from './new-windows';
import { superviseRecordsWindow } from './records-window';
import { keepServiceManager, systemdNotify } from './service-manager';
import { createRestartBudget } from './unexpected-ends';

/** The two windows of a playing kiosk, and the channels to them. The windows are kept open until the kiosk ends. */
export type Windows = ReturnType<typeof superviseWindows>;

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
  const endUnmended = () => {
    log.error('a failed window could not be replaced; the kiosk exits to be restarted');
    giveUp();
  };
  const liveness = watchLiveness({ clock, schedule: timers, log, isEnding, giveUp: endUnmended });
  const restarts: Record<RestartedProcess, number> = { kiosk: 0, records: 0, graphics: 0, service: 0 };
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (type === 'GPU' && reason !== 'clean-exit') restarts.graphics += 1;
  });
  const budget = () => createRestartBudget(clock.monotonic, endUnmended);
  const mayRestartService = budget();
  const supervision = { log, liveness };
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
      tell(isOn) {
        log.warn(isOn ? 'a display is back' : 'the last display was unplugged or switched off');
        stage.displayIs(isOn, 'connectors');
      },
    });
  const serviceManager = keepServiceManager({
    environment: process.env,
    isWell: liveness.isWell,
    schedule: timers,
    send: systemdNotify(log),
  });
  // Already now, because the windows cannot be closed in any other way.
  endInOrder(() => {
    serviceManager.stopping();
    return parts.settle();
  });
  return {
    clock,
    /** Whether the window draws frames, and the records answer. */
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
    /** Whether the embedded service may be started once more. */
    mayRestartService() {
      const may = mayRestartService();
      if (may) restarts.service += 1;
      return may;
    },
    /** How often each process was started again because it ended or hung. */
    restarts: () => restarts,
  };
}
