import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** So many unexpected ends within this time lead to a safe start (rule 25). */
export const SAFE_AFTER_ENDS = 3;
export const ENDS_WITHIN_S = 60;
/** More ends are not remembered. */
const MOST_ENDS = 20;

/** What the file says. Checked by hand: no start waits for a library that does it. */
interface Ends {
  /**
   * When unexpected errors ended the kiosk, in seconds since the machine was switched on: a time of day may jump, and
   * a jump must neither hide a row of ends nor make one last for ever. After a reboot the times lie ahead, and do not
   * count.
   */
  readonly ends: readonly number[];
  /** The last end fell into a safe start. */
  readonly again: boolean;
}

const NONE: Ends = { ends: [], again: false };

export interface UnexpectedEnds {
  /** This start plays what is stored, without network. */
  readonly isSafeStart: boolean;
  /**
   * Remembers that an unexpected error ends the kiosk now, on the disk when it returns. Answers how many did within
   * the last minute, this one included. Throws what the file system throws.
   */
  note(): number;
  /** The safe start is over: an end after it is one of an ordinary run. */
  safeStartOver(): void;
}

/**
 * The record of unexpected ends in the data folder. A safe start is asked for by the third end within a minute, or
 * by an end in a safe start. It holds for one start: who switches the kiosk off and on after a minute starts it as
 * usual. A file that is missing, broken or cannot be written asks for nothing.
 *
 * @param uptime seconds since the machine was switched on
 */
export function openUnexpectedEnds(file: string, uptime: () => number): UnexpectedEnds {
  const found = read(file);
  const isSafeStart = found.again || lately(found.ends, uptime()).length >= SAFE_AFTER_ENDS;
  let isSafe = isSafeStart;
  // Only an end may ask for another safe start.
  if (found.again) tryWrite(file, { ...found, again: false });
  return {
    isSafeStart,
    note() {
      const now = uptime();
      const ends = [...lately(read(file).ends, now), now].slice(-MOST_ENDS);
      write(file, { ends, again: isSafe });
      return ends.length;
    },
    safeStartOver() {
      isSafe = false;
    },
  };
}

function lately(ends: readonly number[], now: number): number[] {
  return ends.filter((at) => at <= now && at > now - ENDS_WITHIN_S);
}

function read(file: string): Ends {
  try {
    const said: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isEnds(said) ? said : NONE;
  } catch {
    return NONE;
  }
}

function isEnds(said: unknown): said is Ends {
  if (typeof said !== 'object' || said === null || !('ends' in said) || !('again' in said)) return false;
  const { ends, again } = said;
  const areTimes = Array.isArray(ends) && ends.every((at) => typeof at === 'number' && at >= 0);
  return areTimes && typeof again === 'boolean';
}

function write(file: string, ends: Ends): void {
  writeFileSync(`${file}.part`, JSON.stringify(ends), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

function tryWrite(file: string, ends: Ends): void {
  try {
    write(file, ends);
  } catch {
    // One more safe start than asked for.
  }
}
