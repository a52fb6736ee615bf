import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { createWholeFile, writeWholeFileNow } from '../whole-file';
import {
  asOf,
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
} from './quarantine';

const MODE = 0o600;
/** No file of ours is longer, bytes. */
const LONGEST_FILE = 1024 * 1024;

/** A creative that is not shown for now. Times: ms since the epoch, UTC. */
export interface Quarantined extends Pick<Harm, 'sha256' | 'name' | 'cause'> {
  readonly since: number;
  readonly until: number;
}

/** Creatives that did harm, kept across restarts (rule 11). */
export interface Quarantine {
  /** How much longer the file of these bytes is not shown, ms; 0: it may be shown. */
  msFor(sha256: string): number;
  all(): readonly Quarantined[];
  /** Answers whether one of them had no strike before. */
  strike(files: readonly DrawnFile[], cause: HarmCause): boolean;
  /** The same while the process ends: it is on the disk when this returns. */
  strikeNow(files: readonly DrawnFile[], cause: HarmCause): void;
  shownWhole(files: readonly DrawnFile[]): void;
  /** The graphics driver crashed by itself. */
  driverBlamed(): void;
  /** Called when a file was quarantined or freed; not when its time is over. */
  onChange(listener: () => void): void;
}

/**
 * Reads what earlier runs remembered from `path`. A file that is missing, too long or broken is
 * read as far as it can be; what cannot be written is logged and holds until the next start.
 */
export function keepQuarantine(path: string, clock: Pick<Clock, 'now'>, log: Log): Quarantine {
  const file = createWholeFile(path, MODE);
  const listeners = new Set<() => void>();
  let harms = asOf(read(path), clock.now());

  function change(next: Harms): void {
    if (next === harms) return;
    harms = next;
    file
      .write(harmsAsText(harms))
      .catch((error: unknown) => log.warn('the quarantine could not be stored', { error }));
    for (const listener of listeners) listener();
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
    msFor: (sha256) => (harms.size === 0 ? 0 : quarantineMs(harms, sha256, clock.now())),
    all() {
      const now = clock.now();
      harms = asOf(harms, now);
      return [...harms.values()]
        .filter(({ sha256 }) => quarantineMs(harms, sha256, now) > 0)
        .map(({ sha256, name, cause, lastAt }) => ({
          ...{ sha256, name, cause },
          since: lastAt,
          until: lastAt + QUARANTINE_MS,
        }));
    },
    strike(files, cause) {
      const isFirst = files.some(({ sha256 }) => !harms.has(sha256));
      change(withStrikes(files, cause));
      return isFirst;
    },
    strikeNow(files, cause) {
      if (files.length === 0) return;
      harms = withStrikes(files, cause);
      writeWholeFileNow(path, harmsAsText(harms), MODE);
    },
    shownWhole: (files) => change(files.reduce((left, { sha256 }) => shownWhole(left, sha256), harms)),
    driverBlamed: () => change(driverBlamed(harms)),
    onChange: (listener) => void listeners.add(listener),
  };
}

function read(path: string): Harms {
  try {
    return statSync(path).size > LONGEST_FILE ? noHarm : readHarms(readFileSync(path, 'utf8'));
  } catch {
    return noHarm;
  }
}
