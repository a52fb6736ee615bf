import electronLog from 'electron-log/node';
import type { Log } from '../../shared/log';
import { logFile } from './last-log';
import { logLine } from './log-line';
import { systemNow } from './system-now';

const FILE_BYTES = 5 * 1024 * 1024;

export interface FileLog extends Log {
  /** The same log for lines of an earlier time, ms since the epoch. */
  asOf(at: number): Log;
}

/**
 * The log of a run: one rotating file in the data folder and, for whoever started
 * the kiosk by hand, standard error. Details are plain JSON; values under a
 * secret's name are blotted out even if a caller forgot.
 */
export function createLog(dataDirectory: string, level: 'debug' | 'info'): FileLog {
  const log = electronLog.create({ logId: 'endcap' });
  log.transports.file.resolvePathFn = () => logFile(dataDirectory);
  log.transports.file.maxSize = FILE_BYTES;
  log.transports.file.level = level;
  log.transports.file.format = '{iso} {level} {text}';
  log.transports.console.level = level;
  log.transports.console.format = '{h}:{i}:{s} {level} {text}';
  const linesAt = (time: () => number): Log => {
    const write =
      (of: keyof Log): Log[keyof Log] =>
      (event, details) =>
        log.processMessage({ data: [logLine(event, details)], date: new Date(time()), level: of });
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  };
  return { ...linesAt(systemNow), asOf: (at) => linesAt(() => at) };
}
