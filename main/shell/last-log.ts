import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileLog } from './log';
import { logLine } from './log-line';
import { systemNow } from './system-now';

/** The log's file in a data folder. */
export const logFile = (dataDirectory: string): string => join(dataDirectory, 'logs', 'endcap.log');

/**
 * A log whose lines are in the file when the call returns, for a process that ends now: the usual log's library
 * may not be loaded yet. It does not rotate the file. Throws what the file system throws.
 */
export function lastLog(dataDirectory: string): FileLog {
  const file = logFile(dataDirectory);
  mkdirSync(dirname(file), { recursive: true });
  const linesAt = (time: () => number) => {
    const write =
      (level: string) =>
      (event: string, details?: Readonly<Record<string, unknown>>): void =>
        appendFileSync(file, `${new Date(time()).toISOString()} ${level} ${logLine(event, details)}\n`);
    return { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') };
  };
  return { ...linesAt(systemNow), asOf: (at) => linesAt(() => at) };
}
