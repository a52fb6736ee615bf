import { execFile } from 'node:child_process';
import type { Log } from '../../shared/log';

/** How often the state is sent when the service manager sets no watchdog time, ms. */
const STATUS_MS = 10_000;
/** How long passing a message on may take, ms: a machine that starts up has much other work. */
const NOTIFY_MS = 20_000;
/** Two of three messages may be lost or late before the watchdog acts. */
const MESSAGES_PER_TIMEOUT = 3;
const MAX_STATUS_LENGTH = 200;

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a service manager started the kiosk, and starts it over when it ends. */
export function isManaged(environment: Environment): boolean {
  return (environment.NOTIFY_SOCKET ?? '') !== '';
}

/** Whether a service manager or `npm start` starts the kiosk over when it ends. */
export function isStartedOver(environment: Environment): boolean {
  return isManaged(environment) || isSupervised(environment);
}

/**
 * `npm start`, or a shell as in install.md, starts the kiosk over when it ends with an error or `RESTART_EXIT_CODE`.
 */
export function isSupervised(environment: Environment): boolean {
  return (environment.ENDCAP_SUPERVISED ?? '') !== '';
}

/** Exit code that makes `npm start` (`tools/run/keep-running.ts`) start the kiosk over. */
export const RESTART_EXIT_CODE = 75;

/** The unit knows this code and does not start the kiosk over: `RestartPreventExitStatus`. */
export const LEFT_EXIT_CODE = 90;

/**
 * Exit code when staff leave to the desktop. A service manager would start the kiosk over after 0; in all other
 * cases, leaving is an exit without error.
 */
export function exitCodeOfLeaving(environment: Environment): number {
  return isManaged(environment) ? LEFT_EXIT_CODE : 0;
}

/**
 * Reports the state of the kiosk to the service manager (sd_notify): `READY=1` when all is well for the first time,
 * `WATCHDOG=1` as often as requested while all is well, and the state in words. Does nothing without a service
 * manager.
 *
 * @param parts.isWell presented frames advance, the records answer, every process of ours lives
 * @param parts.send passes lines such as `WATCHDOG=1` on, and calls `onLost` if that failed
 */
export function keepServiceManager(parts: {
  readonly environment: Environment;
  readonly isWell: () => boolean;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly send: (lines: readonly string[], onLost: () => void) => void;
}) {
  const { environment, isWell, schedule, send } = parts;
  if (!isManaged(environment)) return { describe() {}, stopping() {} };
  const watchdogMs = Number(environment.WATCHDOG_USEC ?? 0) / 1_000;
  const intervalMs = watchdogMs > 0 ? Math.min(watchdogMs / MESSAGES_PER_TIMEOUT, STATUS_MS) : STATUS_MS;
  let isReady = false;
  let lastStatus = '';
  let cancel = (): void => {};
  let sentence = () => 'Starting.';

  function tell(): void {
    const well = isWell();
    const lines: string[] = [];
    if (well && !isReady) lines.push('READY=1');
    if (well && watchdogMs > 0) lines.push('WATCHDOG=1');
    isReady ||= well;
    const status = `STATUS=${oneLine(sentence())}`;
    if (status !== lastStatus) lines.push(status);
    lastStatus = status;
    if (lines.length > 0)
      send(lines, () => {
        // Sent again, because without `READY=1` the unit's start would fail.
        if (lines.includes('READY=1')) isReady = false;
        if (lines.includes(status)) lastStatus = '';
      });
    // The unit's start waits for READY.
    cancel = schedule(isReady ? intervalMs : Math.min(intervalMs, 1_000), tell);
  }
  tell();
  return {
    /** Sets the function that describes the state in a sentence. */
    describe(given: () => string) {
      sentence = given;
    },
    /** The kiosk ends in order: stops the watchdog messages. */
    stopping() {
      cancel();
      send(['STOPPING=1'], () => {});
    },
  };
}

/**
 * Sends with `systemd-notify`, because Node has no Unix datagram sockets. The unit allows it with `NotifyAccess=all`.
 */
export function systemdNotify(log: Log): (lines: readonly string[], onLost: () => void) => void {
  let hasComplained = false;
  return (lines, onLost) => {
    function over(error: unknown): void {
      if (error) onLost();
      if (error && !hasComplained) log.error('the service manager could not be notified', { error });
      hasComplained = Boolean(error);
    }
    try {
      execFile('systemd-notify', [...lines], { timeout: NOTIFY_MS }, over);
    } catch (error) {
      over(error); // For example the kiosk has no memory left for a process.
    }
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, MAX_STATUS_LENGTH);
}
