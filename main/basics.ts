import type { Clock } from '../shared/clock';
import type { Log } from '../shared/log';
import type { Schedule } from './schedule';

/** What most parts need of the machine: arguments, so that tests control time and chance. */
export interface Basics {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Uniform in [0, 1): spreads what many kiosks do. */
  readonly random: () => number;
  readonly newId: () => string;
  /** Lets timers and I/O run between two steps of long work. */
  readonly pause: () => Promise<void>;
  readonly log: Log;
}
