import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { plain } from '../../shared/plain';

/** This many unexpected ends within `ENDS_WITHIN_S` lead to a safe start (rule 25). */
const SAFE_AFTER_ENDS = 3;
const ENDS_WITHIN_S = 60;
/** Most ends that are stored. */
const MAX_ENDS = 20;

/** Content of the file. Records of earlier versions have no `boot` and no `running`. */
const Ends = z.object({
  /**
   * When the kiosk ended unexpectedly, in seconds since the machine was switched on. Not the time of day: a jump of
   * it could hide a series of ends or make it last for ever.
   */
  ends: z.array(z.number().min(0)),
  /** The boot of the machine in which they were; those of an earlier boot do not count. Empty: unknown. */
  boot: z.string().default(''),
  /** Whether the next start must be a safe start. */
  again: plain.yesOrNo,
  /** The run that has begun and whose end is not recorded, `safe` while its safe start lasts; null: there is none. */
  running: z.enum(['ordinary', 'safe']).nullable().default(null),
});
type Ends = z.infer<typeof Ends>;

const NONE: Ends = { ends: [], boot: '', again: false, running: null };

/**
 * The record of unexpected ends in the data folder. The third end within a minute, or an end in a safe start, makes
 * the next start a safe start. An end that could not be stored is found at the next start and counts from then. A
 * file that is missing, broken or cannot be written has no effect.
 *
 * @param uptime seconds since the machine was switched on
 * @param boot differs after each boot of the machine; empty: unknown
 */
export function openUnexpectedEnds(file: string, uptime: () => number, boot: string) {
  const found = read(file);
  const wasCutOff = found.running !== null;
  // The same uptime comes again after each boot: a store that is switched off at night ends nothing within a minute.
  const before = found.boot === boot ? lately(found.ends, uptime()) : [];
  const ends = wasCutOff ? oneMore(before, uptime()) : before;
  const isSafeStart =
    found.again || found.running === 'safe' || (wasCutOff && ends.length >= SAFE_AFTER_ENDS);
  let state: Ends = { ends, boot, again: false, running: isSafeStart ? 'safe' : 'ordinary' };
  tryWrite(file, state);
  return {
    /** This start plays what is stored, without network. */
    isSafeStart,
    /** The run before was cut off: killed, out of memory, a power cut. It counts as an unexpected end. */
    wasCutOff,
    /**
     * Stores that the kiosk ends unexpectedly now; it is in the file when this returns. Returns the number of ends
     * within the last minute, this one included. Throws errors of the file system.
     */
    note() {
      const noted = oneMore(lately(ends, uptime()), uptime());
      const again = state.running === 'safe' || noted.length >= SAFE_AFTER_ENDS;
      write(file, { ends: noted, boot, again, running: null });
      return noted.length;
    },
    /** The kiosk ends because it was asked to: being cut off from now on does not count. */
    endsInOrder: () => tryWrite(file, { ...state, running: null }),
    /** The safe start is over: an end from now on is one of an ordinary run. */
    safeStartOver() {
      state = { ...state, running: 'ordinary' };
      tryWrite(file, state);
    },
  };
}

const oneMore = (ends: readonly number[], now: number) => [...ends, now].slice(-MAX_ENDS);

function lately(ends: readonly number[], now: number): number[] {
  return ends.filter((at) => at <= now && at > now - ENDS_WITHIN_S);
}

function read(file: string): Ends {
  try {
    return Ends.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NONE;
  }
}

function write(file: string, ends: Ends): void {
  writeFileSync(`${file}.part`, JSON.stringify(ends), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

function tryWrite(file: string, ends: Ends): void {
  try {
    write(file, ends);
  } catch {
    // The worst effect is one safe start too many or too few.
  }
}

/** Restarts within a minute; after more, the service manager starts the kiosk over (rule 25). */
export const MAX_RESTARTS = 5;
const WITHIN_MS = 60_000;

/**
 * Returns a function that tells whether something that ended may be started over (rule 25): at most `MAX_RESTARTS`
 * times within a minute. Beyond that it calls `giveUp`, which ends the kiosk.
 *
 * @param monotonic ms
 */
export function createRestartBudget(monotonic: () => number, giveUp: () => void): () => boolean {
  let used: number[] = [];
  return () => {
    const now = monotonic();
    used = [...used.filter((at) => at > now - WITHIN_MS), now];
    if (used.length <= MAX_RESTARTS) return true;
    giveUp();
    return false;
  };
}

/**
 * The end of the kiosk, which begins once: what fails while it ends does not start it over.
 *
 * @param relaunch starts one more kiosk each time that it is called
 */
export function createKioskEnd(isPackaged: boolean, relaunch: () => void) {
  let hasBegun = false;
  const end = {
    hasBegun: () => hasBegun,
    /** Returns false if it had begun before. */
    begin(): boolean {
      const isFirst = !hasBegun;
      hasBegun = true;
      return isFirst;
    },
    /** The kiosk ends unexpectedly and is started over; `ends`: how many such ends were within a minute. */
    beginUnexpected(ends: number): void {
      // When installed, nothing else would start the kiosk over. From source, a developer sees the error.
      if (end.begin() && (isPackaged || ends <= MAX_RESTARTS)) relaunch();
    },
  };
  return end;
}
