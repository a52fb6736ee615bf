import { uptime } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { describeError } from '../describe-error';
import { isStartedOver } from './service-manager';
import { openUnexpectedEnds, TRIES } from './unexpected-ends';
import { beforeErrorExit, isAskedToEnd, whenEnding } from './unexpected-errors';

/**
 * Logs unexpected errors in the data folder, remembers them for the next start, and starts the kiosk over. Nothing
 * else has to be saved: plays and beacons are on the disk before they are shown or sent (rules 8 and 15).
 */
export function rememberUnexpectedErrors(dataDirectory: string, log: Log) {
  const ends = openUnexpectedEnds(join(dataDirectory, 'unexpected-ends.json'), uptime);
  if (ends.wasCutOff) log.info('the last run was cut off: killed, out of memory, or without power');
  whenEnding({ asked: ends.endsInOrder, givenUp: ends.note });
  let count = 1;
  beforeErrorExit(() => {
    count = ends.note();
  });
  beforeErrorExit((error) => {
    log.error('an unexpected error ended the kiosk', { error: describeError(error), withinAMinute: count });
  });
  beforeErrorExit(() => {
    if (isAskedToEnd() || isStartedOver(process.env)) return;
    // When installed, nothing else would start the kiosk over. From source, a developer sees the error.
    if (app.isPackaged || count <= TRIES) app.relaunch();
  });
  return ends;
}
