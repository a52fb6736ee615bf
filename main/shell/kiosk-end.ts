import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { describeError } from '../describe-error';
import { ERROR_EXIT_CODE } from '../end-on-errors';
import { exitCodeOfLeaving, isStartedOver, isSupervised, RESTART_EXIT_CODE } from './service-manager';
import { createKioskEnd, openUnexpectedEnds } from './unexpected-ends';
import { beforeErrorExit } from './unexpected-errors';

/** How long an orderly end may take before the process exits anyway, ms. */
const SHUTDOWN_MS = 10_000;

const kioskEnd = createKioskEnd(app.isPackaged, relaunch);
/** The record of ends in the data folder; null until the kiosk starts to play. */
let ends: ReturnType<typeof openUnexpectedEnds> | null = null;

/** Whether the kiosk is ending: nothing is started over any more. */
export const isEnding = kioskEnd.hasBegun;

/**
 * Logs unexpected errors in the data folder, remembers them for the next start, and starts the kiosk over. Nothing
 * else has to be saved: plays and beacons are on the disk before they are shown or sent (rules 8 and 15).
 */
export function rememberUnexpectedErrors(dataDirectory: string, log: Log) {
  const opened = openUnexpectedEnds(join(dataDirectory, 'unexpected-ends.json'), uptime, bootId());
  ends = opened;
  if (opened.wasCutOff) log.info('the last run was cut off: killed, out of memory, or without power');
  let count = 1;
  beforeErrorExit(() => {
    count = opened.note();
  });
  beforeErrorExit((error) => {
    log.error('an unexpected error ended the kiosk', { error: describeError(error), withinAMinute: count });
  });
  beforeErrorExit(() => kioskEnd.beginUnexpected(count));
  return opened;
}

/** What Linux calls this boot of the machine; empty elsewhere. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Starts one more kiosk after this process, unless something else does it. */
function relaunch(): void {
  if (!isStartedOver(process.env)) app.relaunch();
}

/** Exits at once because a part that failed could not be started over. */
export function giveUp(): void {
  let count = 1;
  try {
    if (!isEnding()) count = ends?.note() ?? count;
  } catch {
    // The kiosk ends anyway; the next start finds that it was cut off.
  }
  kioskEnd.beginUnexpected(count);
  app.exit(ERROR_EXIT_CODE);
}

/**
 * Runs `settle` once when the kiosk is asked to end (SIGTERM, SIGINT, the last window closed, `app.quit`). Exits with 0
 * afterwards, or with 1 if `settle` rejects or takes too long. A `process.exitCode` that was set before is kept in all
 * cases.
 */
export function endInOrder(settle: () => Promise<void>): void {
  const exit = (code: number) => app.exit(typeof process.exitCode === 'number' ? process.exitCode : code);
  const end = () => {
    if (!kioskEnd.begin()) return;
    ends?.endsInOrder();
    setTimeout(() => exit(1), SHUTDOWN_MS);
    settle().then(
      () => exit(0),
      () => exit(1),
    );
  };
  app.on('before-quit', (event) => {
    event.preventDefault();
    end();
  });
  app.on('window-all-closed', end);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** Exits in order with this code. */
export function exitWith(code: number): void {
  process.exitCode = code;
  app.quit();
}

/**
 * Exits in order and starts over. A service manager or `npm start` does the start itself, because it would not know a
 * process that we start.
 */
export function restart(): void {
  // A second call would start a second program, and one after `leave` would bring the kiosk back.
  if (isEnding()) return;
  if (isSupervised(process.env)) process.exitCode = RESTART_EXIT_CODE;
  relaunch();
  app.quit();
}

/** Exits in order; the exit code tells the service manager not to start the kiosk over. */
export const leave = (): void => exitWith(exitCodeOfLeaving(process.env));
