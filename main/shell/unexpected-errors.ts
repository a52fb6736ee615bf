import { writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { describeError } from '../describe-error';
import { createErrorEnd, ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';
import { isStartedOver } from './service-manager';
import { createStartOver, openUnexpectedEnds } from './unexpected-ends';

const errorEnd = createErrorEnd(exitAtOnce);
const relaunchOnce = createStartOver(app.isPackaged, () => app.relaunch());
let isEndingInOrder = false;
/** The record of ends in the data folder; null until the kiosk starts to play. */
let ends: ReturnType<typeof openUnexpectedEnds> | null = null;

/**
 * Runs `run` when an unexpected error ends this process, before the exit. It has to be short and synchronous: promises
 * are not awaited. An error of its own is ignored.
 */
export const beforeErrorExit = errorEnd.beforeExit;

/**
 * Ends the process because of an error after which it cannot go on, as for an unhandled error: it is logged and
 * stored, and the kiosk is started over.
 */
export const endForError = errorEnd.end;

/** From now on every unexpected error in main ends the process at once, without a dialog (rule 25). */
export function endOnUnexpectedErrors(): void {
  beforeErrorExit((error) => writeSync(2, `an unexpected error ended the kiosk: ${describeError(error)}\n`));
  endOnErrors(endForError);
}

/**
 * Logs unexpected errors in the data folder, remembers them for the next start, and starts the kiosk over. Nothing
 * else has to be saved: plays and beacons are on the disk before they are shown or sent (rules 8 and 15).
 */
export function rememberUnexpectedErrors(dataDirectory: string, log: Log) {
  const opened = openUnexpectedEnds(join(dataDirectory, 'unexpected-ends.json'), uptime);
  ends = opened;
  if (opened.wasCutOff) log.info('the last run was cut off: killed, out of memory, or without power');
  let count = 1;
  beforeErrorExit(() => {
    count = opened.note();
  });
  beforeErrorExit((error) => {
    log.error('an unexpected error ended the kiosk', { error: describeError(error), withinAMinute: count });
  });
  beforeErrorExit(() => startOver(count));
  return opened;
}

/** Starts the kiosk over after this process, unless it ends in order or a service manager or `npm start` does it. */
function startOver(endsWithinAMinute: number): void {
  if (!isEndingInOrder && !isStartedOver(process.env)) relaunchOnce(endsWithinAMinute);
}

/** The kiosk ends because it was asked to: an error during that does not start it over. */
export function endingInOrder(): void {
  isEndingInOrder = true;
  ends?.endsInOrder();
}

/** Call it when the kiosk ends because a part that failed could not be started over. */
export function givingUp(): void {
  if (isEndingInOrder) return;
  let count = 1;
  try {
    count = ends?.note() ?? count;
  } catch {
    // The kiosk ends anyway; the next start finds that it was cut off.
  }
  startOver(count);
}

/** Not `app.exit`, which closes windows, so that their listeners would still run; this runs no more JavaScript. */
function exitAtOnce(): void {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(ERROR_EXIT_CODE);
}
