import { types } from 'node:util';

/** Longest description of an error, in UTF-16 code units, because a message may be as long as an answer. */
const MAX_CHARACTERS = 8_000;

/** What was thrown, as an error. Anything else becomes an error that quotes it. Never throws. */
export function asError(thrown: unknown): Error {
  // Not `instanceof`, which runs code of the thing that was thrown.
  if (types.isNativeError(thrown)) return thrown;
  let text = typeof thrown as string;
  try {
    text = String(thrown);
  } catch {
    // It has no text.
  }
  return new Error(`something other than an error was thrown: ${text.slice(0, MAX_CHARACTERS)}`);
}

/** The message of anything thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** An error and where it was thrown, as text of bounded length. Never throws. */
export function describeError(error: Error): string {
  try {
    return String(error.stack || error.message)
      .slice(0, MAX_CHARACTERS)
      .toWellFormed();
  } catch {
    return 'an error that cannot be described';
  }
}

/** The code of a system error (`ENOENT`); null for anything else. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The code of a system error where there is one, since its message may repeat a path; else the message. */
export const reasonOf = (error: unknown): string => errorCode(error) ?? messageOf(error);

/** Whether a file or folder is not there. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');

/** For `catch`: null if a file or folder is not there; throws any other error again. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
