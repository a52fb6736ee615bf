import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { describeError } from '../describe-error';
import { TRIES } from './restart-budget';
import { isStartedOver } from './service-manager';
import { openUnexpectedEnds, type UnexpectedEnds } from './unexpected-ends';
import { isAskedToEnd, onLastWords, whenEnding } from './unexpected-errors';
import { uptime } from './uptime';

/**
 * Has unexpected errors written to the log in the data folder, remembered for the next start, and the kiosk started
 * over. Nothing else has to be saved: what counts is on the disk before anything is shown or sent (rules 8 and 15).
 */
export function rememberUnexpectedErrors(dataDirectory: string, log: Log): UnexpectedEnds {
  const ends = openUnexpectedEnds(join(dataDirectory, 'unexpected-ends.json'), uptime);
  if (ends.wasCutOff) log.info('the last run was cut off: killed, out of memory, or without power');
  whenEnding({ asked: ends.endsInOrder, givenUp: ends.note });
  let count = 1;
  onLastWords(() => {
    count = ends.note();
  });
  onLastWords((error) => {
    log.error('an unexpected error ended the kiosk', { error: describeError(error), withinAMinute: count });
  });
  onLastWords(() => {
    if (isAskedToEnd() || isStartedOver(process.env)) return;
    // Installed there is nobody else to bring it back; from source somebody watches.
    if (app.isPackaged || count <= TRIES) app.relaunch();
  });
  return ends;
}
