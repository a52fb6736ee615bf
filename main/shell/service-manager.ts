import { execFile } from 'node:child_process';
import type { Log } from '../../shared/log';

/** Some service managers give no watchdog time; the words about the state are still worth sending. */
const STATUS_MS = 10_000;
/** A word in three intervals may be lost, and none is sent late. */
const WORDS_PER_TIMEOUT = 3;
const LONGEST_STATUS = 200;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServiceManager {
  /** What the state in words is from now on. */
  describe(sentence: () => string): void;
  /** The kiosk ends in order: its watchdog is not to be waited for. */
  stopping(): void;
}

/** Whether a service manager started the kiosk, and starts it over when it ends. */
export function isManaged(environment: Environment): boolean {
  return (environment.NOTIFY_SOCKET ?? '') !== '';
}

/** Whether somebody starts the kiosk over when it ends: a service manager, or `npm start`. */
export function isStartedOver(environment: Environment): boolean {
  return isManaged(environment) || isSupervised(environment);
}

/** `npm start` started the kiosk, and starts it over when it ends with an error or `RESTART_EXIT_CODE`. */
export function isSupervised(environment: Environment): boolean {
  return (environment.ENDCAP_SUPERVISED ?? '') !== '';
}

/** What the process ends with to be started over by `npm start`: `.setup/keep-running.mjs` knows it. */
export const RESTART_EXIT_CODE = 75;

/**
 * Tells the service manager how the kiosk does (sd_notify): `READY=1` with the
 * first time that all is well, `WATCHDOG=1` as often as it asks for it, but only
 * while all is well, and the state in words. Without a service manager: nothing.
 *
 * @param parts.isWell presented frames advance, the records answer, every process of ours lives
 * @param parts.send passes lines such as `WATCHDOG=1` on
 */
export function keepServiceManager(parts: {
  readonly environment: Environment;
  readonly isWell: () => boolean;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly send: (lines: readonly string[]) => void;
}): ServiceManager {
  const { environment, isWell, schedule, send } = parts;
  if (!isManaged(environment)) return { describe() {}, stopping() {} };
  const watchdogMs = Number(environment.WATCHDOG_USEC ?? 0) / 1_000;
  const intervalMs = watchdogMs > 0 ? Math.min(watchdogMs / WORDS_PER_TIMEOUT, STATUS_MS) : STATUS_MS;
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
    if (lines.length > 0) send(lines);
    // Until it is ready every second counts: the unit's start is waiting.
    cancel = schedule(isReady ? intervalMs : Math.min(intervalMs, 1_000), tell);
  }
  tell();
  return {
    describe(given) {
      sentence = given;
    },
    stopping() {
      cancel();
      send(['STOPPING=1']);
    },
  };
}

/** Sends by `systemd-notify`: Node has no datagram sockets of the local kind. The unit allows it with `NotifyAccess=all`. */
export function systemdNotify(log: Log): (lines: readonly string[]) => void {
  let hasComplained = false;
  return (lines) => {
    execFile('systemd-notify', [...lines], { timeout: 5_000 }, (fault) => {
      if (fault && !hasComplained) log.error('the service manager could not be told', { fault });
      hasComplained = fault !== null;
    });
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, LONGEST_STATUS);
}
