/**
 * What every part logs through. `event` is a short sentence; `details` are plain
 * values. Never pass a token, a secret or a PIN (rule 23).
 */
export interface Log {
  debug(event: string, details?: Readonly<Record<string, unknown>>): void;
  info(event: string, details?: Readonly<Record<string, unknown>>): void;
  warn(event: string, details?: Readonly<Record<string, unknown>>): void;
  error(event: string, details?: Readonly<Record<string, unknown>>): void;
}

/** A log that discards everything; for tests and for commands that print their own result. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
