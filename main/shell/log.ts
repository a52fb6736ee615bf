import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../shared/log';
import { addressesPlain } from '../status/shown-text';

const FILE_BYTES = 5 * 1024 * 1024;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/**
 * The log of a run: `logs/endcap.log` in the data folder, and standard output; warnings and
 * errors go to standard error. A line is in the file when the call returns, so that the last
 * lines before an end are kept. A file of more than `fileBytes` becomes `endcap.old.log`
 * before the next line. A full disk does not stop the kiosk.
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
      const line = `${new Date().toISOString()} ${of} ${logLine(event, details)}\n`;
      append(line);
      tellTerminal(of, line);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Keys whose values never reach a log, at any depth (rule 23). */
const SECRET_KEY = /secret|token|authorization|password|pin/i;

/** Most of a text that is cleaned, and then of what is logged, UTF-16 code units: pages name addresses of megabytes. */
const MAX_READ = 32 * 1024;
const MAX_LOGGED = 2_000;

/**
 * The event and its details as JSON. Strings under the key of a secret are replaced, URLs lose their query, and long
 * texts are cut.
 */
function logLine(event: string, details?: Readonly<Record<string, unknown>>): string {
  return details && Object.keys(details).length > 0
    ? `${event} ${JSON.stringify(details, withoutSecrets)}`
    : event;
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (typeof value === 'string') return SECRET_KEY.test(key) ? '…' : inShort(value);
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}

function inShort(text: string): string {
  const plain = addressesPlain(text.slice(0, MAX_READ));
  return plain.length > MAX_LOGGED || text.length > MAX_READ ? `${plain.slice(0, MAX_LOGGED)}…` : plain;
}

/** Bytes that may wait for a slow terminal; further lines go to the file only. */
const MAX_WAITING = 256 * 1024;

/** Never waits: the terminal may be a pipe that nobody reads, or that is closed. */
function tellTerminal(level: Level, text: string): void {
  try {
    const terminal = level === 'warn' || level === 'error' ? process.stderr : process.stdout;
    if (terminal.listenerCount('error') === 0) terminal.on('error', () => {});
    if (terminal.writable && terminal.writableLength < MAX_WAITING) terminal.write(text);
  } catch {
    // The line is in the file.
  }
}
