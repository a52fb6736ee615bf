import type { OutboxCounts } from '../beacons/outbox';
import type { Tally } from '../decisioning/decider';
import type { CacheUsage } from '../media/media-cache';
import type { Status } from './status';

/** What the kiosk starts again when it ends. */
export type RestartedProcess = 'kiosk' | 'records' | 'graphics' | 'service';

/** What is asked for at each scrape, and not before. Times and ages in ms, sizes in bytes; null: there is none. */
export interface Facts {
  readonly versions: Status['versions'];
  /** When this process started by the system's clock, ms since the epoch. */
  readonly startedAt: number;
  readonly tokenAgeMs: () => number | null;
  readonly clockCorrectionMs: () => number;
  readonly memory: () => Status['memory'];
  readonly beacons: () => OutboxCounts;
  /** Since the service last sent or confirmed the stored playlist. */
  readonly playlistAgeMs: () => number | null;
  /** The ads of the stored playlist, by verdict. */
  readonly tally: () => Tally;
  readonly cache: () => CacheUsage;
  /** How often each was started again since this start. */
  readonly restarts: () => Readonly<Record<RestartedProcess, number>>;
}
