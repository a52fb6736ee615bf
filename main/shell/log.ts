import { join } from 'node:path';
import electronLog from 'electron-log/node';
import type { Log } from '../../shared/log';

const FILE_BYTES = 5 * 1024 * 1024;
/** Keys whose values never reach a log, wherever they turn up (rule 23). */
const SECRET_KEY = /secret|token|authorization|password|pin/i;

/**
 * The log of a run: one rotating file in the data folder and, for whoever started
 * the kiosk by hand, standard error. Details are plain JSON; values under a
 * secret's name are blotted out even if a caller forgot.
 */
export function createLog(dataDirectory: string, level: 'debug' | 'info'): Log {
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
  return {
    debug: (event, details) => log.debug(line(event, details)),
    info: (event, details) => log.info(line(event, details)),
    warn: (event, details) => log.warn(line(event, details)),
    error: (event, details) => log.error(line(event, details)),
  };
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET_KEY.test(key) && typeof value === 'string') return '…';
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}
