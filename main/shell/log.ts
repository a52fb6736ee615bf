import { join } from 'node:path';
import electronLog from 'electron-log/node';
import type { Log } from '../../shared/log';
import { systemNow } from './system-now';

const FILE_BYTES = 5 * 1024 * 1024;
/** Keys whose values never reach a log, wherever they turn up (rule 23). */
const SECRET_KEY = /secret|token|authorization|password|pin/i;

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
  log.transports.file.resolvePathFn = () => join(dataDirectory, 'logs', 'endcap.log');
  log.transports.file.maxSize = FILE_BYTES;
  log.transports.file.level = level;
  log.transports.file.format = '{iso} {level} {text}';
  log.transports.console.level = level;
  log.transports.console.format = '{h}:{i}:{s} {level} {text}';
  const line = (event: string, details?: Readonly<Record<string, unknown>>) =>
    details && Object.keys(details).length > 0
      ? `${event} ${JSON.stringify(details, withoutSecrets)}`
      : event;
  const linesAt = (time: () => number): Log => {
    const write =
      (of: keyof Log): Log[keyof Log] =>
      (event, details) =>
        log.processMessage({ data: [line(event, details)], date: new Date(time()), level: of });
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  };
  return { ...linesAt(systemNow), asOf: (at) => linesAt(() => at) };
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET_KEY.test(key) && typeof value === 'string') return '…';
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}
