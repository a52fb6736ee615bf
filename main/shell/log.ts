import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../shared/log';
import { logLine } from './log-line';
import { systemNow } from './system-now';

const FILE_BYTES = 5 * 1024 * 1024;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/**
 * The log of a run: `logs/endcap.log` in the data folder and, for whoever started the kiosk
 * by hand, standard output; warnings and errors go to standard error. A line is in the file when the call returns, so that the last
 * words of a process that ends are kept too. A file of more than `fileBytes` becomes
 * `endcap.old.log` before the next line. A disk that takes no line does not stop the kiosk.
 *
 * @param level lines of a lower level are left out
 */
export function createLog(dataDirectory: string, level: Level, fileBytes = FILE_BYTES): Log {
  const file = join(dataDirectory, 'logs', 'endcap.log');
  const old = join(dataDirectory, 'logs', 'endcap.old.log');

  function append(line: string): void {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > fileBytes) renameSync(file, old);
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, line);
    } catch (error) {
      tellTerminal('error', `the log cannot be written: ${String(error)}\n`);
    }
  }

  const write =
    (of: Level): Log[Level] =>
    (event, details) => {
      if (LEVELS.indexOf(of) < LEVELS.indexOf(level)) return;
      const text = `${of} ${logLine(event, details)}\n`;
      const at = new Date(systemNow());
      append(`${at.toISOString()} ${text}`);
      tellTerminal(of, `${at.toTimeString().slice(0, 8)} ${text}`);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Of a terminal that does not keep up no more than this waits, bytes; further lines are in the file alone. */
const MOST_WAITING = 256 * 1024;

/** Never waits: what it goes to may be a pipe that nobody reads, or whose other end is gone. */
function tellTerminal(level: Level, text: string): void {
  try {
    const terminal = level === 'warn' || level === 'error' ? process.stderr : process.stdout;
    if (terminal.listenerCount('error') === 0) terminal.on('error', () => {});
    if (terminal.writable && terminal.writableLength < MOST_WAITING) terminal.write(text);
  } catch {
    // The file has it.
  }
}
