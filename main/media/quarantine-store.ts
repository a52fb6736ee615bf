import { readFileSync, statSync } from 'node:fs';
import type { Log } from '../../shared/log';
import { isMissing } from '../describe-error';
import type { DecidedClock } from '../shell/decided-clock';
import { writeWholeFileNow } from '../whole-file';
import {
  type DrawnFile,
  driverBlamed,
  type Harm,
  type HarmCause,
  type Harms,
  harmsAsText,
  noHarm,
  QUARANTINE_MS,
  quarantineMs,
  readHarms,
  shownWhole,
  struckForHarm,
  withoutOldStrikes,
} from './quarantine';

const MODE = 0o600;
/** Maximum size of the stored quarantine, bytes; a larger file is not ours. */
const MAX_FILE_BYTES = 1024 * 1024;

/** A creative that is not shown for now. Times: ms since the epoch, UTC. */
export interface Quarantined extends Pick<Harm, 'sha256' | 'name' | 'cause'> {
  readonly since: number;
  readonly until: number;
}

export type Quarantine = ReturnType<typeof openQuarantine>;

/**
 * Creatives that did harm; stored across restarts at `path` (rule 11). Of a missing, oversized or broken file it
 * uses what it can read. A file that cannot be read now is read again at the next strike, and not replaced before; the
 * strike is stored in any case, or a creative that ends main would do so at every start. Stores synchronously, because
 * main may be about to end. If storing fails, it logs a warning and works on in memory.
 */
export function openQuarantine(path: string, clock: Pick<DecidedClock, 'now' | 'isTrusted'>, log: Log) {
  const listeners = new Set<() => void>();
  let harms = noHarm;
  /** Strikes of earlier runs may be missing here. */
  let isUnread = true;

  function load(): void {
    if (!isUnread) return;
    try {
      // As they are stored: before the books are open the clock may be years behind, and strikes would get its time.
      const stored = read(path);
      isUnread = false;
      const newer = [...harms].filter(([sha256, { count }]) => count >= (stored.get(sha256)?.count ?? 0));
      harms = new Map([...stored, ...newer]);
    } catch (error) {
      log.error('the quarantine cannot be read now', { file: path, error });
    }
  }
  load();

  /** Returns whether that is a change. */
  function keep(next: Harms, mayReplaceUnread = false): boolean {
    if (next === harms) return false;
    harms = next;
    if (isUnread && !mayReplaceUnread) return true;
    try {
      writeWholeFileNow(path, harmsAsText(harms), MODE);
      isUnread = false;
    } catch (error) {
      log.warn('the quarantine could not be stored', { error });
    }
    return true;
  }

  function change(next: Harms, mayReplaceUnread = false): void {
    if (keep(next, mayReplaceUnread)) for (const listener of listeners) listener();
  }

  function withStrikes(files: readonly DrawnFile[], cause: HarmCause): Harms {
    const now = clock.now();
    let next = harms;
    for (const drawn of files) {
      next = struckForHarm(next, drawn, cause, now);
      const isQuarantined = quarantineMs(next, drawn.sha256, now) > 0;
      const { name: creative, sha256 } = drawn;
      if (isQuarantined)
        log.error('a creative did harm again; it is quarantined', { creative, sha256, cause });
      else log.warn('a creative did harm', { creative, sha256, cause });
    }
    return next;
  }

  return {
    /** How much longer the file with this SHA-256 is not shown, ms; 0: it may be shown. */
    msFor: (sha256: string): number => (harms.size === 0 ? 0 : quarantineMs(harms, sha256, clock.now())),
    all(): readonly Quarantined[] {
      const now = clock.now();
      // A clock that is wrong would remove them for ever, or make them older.
      if (clock.isTrusted()) keep(withoutOldStrikes(harms, now));
      return [...harms.values()]
        .filter(({ sha256 }) => quarantineMs(harms, sha256, now) > 0)
        .map(({ sha256, name, cause, lastAt }) => ({
          sha256,
          name,
          cause,
          since: lastAt,
          until: lastAt + QUARANTINE_MS,
        }));
    },
    /** Adds a strike to each file. Returns whether one of them had no strike before. */
    strike(files: readonly DrawnFile[], cause: HarmCause): boolean {
      load();
      const before = withoutOldStrikes(harms, clock.now());
      const isFirst = files.some(({ sha256 }) => !before.has(sha256));
      change(withStrikes(files, cause), true);
      return isFirst;
    },
    shownWhole: (files: readonly DrawnFile[]): void =>
      change(files.reduce((left, { sha256 }) => shownWhole(left, sha256), harms)),
    /** Forgets strikes for crashes that the graphics driver caused by itself. */
    driverBlamed(): void {
      load();
      change(driverBlamed(harms));
    },
    /** Called when a strike was added or removed; not when a quarantine runs out. */
    onChange: (listener: () => void): void => void listeners.add(listener),
  };
}

/** Throws where the file is there and cannot be read now. */
function read(path: string): Harms {
  try {
    return statSync(path).size > MAX_FILE_BYTES ? noHarm : readHarms(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return noHarm;
    throw error;
  }
}
