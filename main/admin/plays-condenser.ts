import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Records } from '../records/records-client';
import type { Schedule } from '../service/schedule';

/** Plays read in one portion: some 50 ms of the records window's time. */
const PORTION = 2_000;
/** The start of a kiosk has other things to do, ms. */
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 5 * 60_000;
/** Between two portions, so that what plays does not notice, ms; and while somebody waits for them. */
const PAUSE_MS = 500;
const HURRIED_PAUSE_MS = 10;
/** Somebody who asked waits for so long, ms. */
const HURRIES_FOR_MS = 10_000;

export interface PlaysCondenser {
  /** Somebody waits for a report: how much of what is over was counted, 0 to 1. */
  hurry(): number;
  stop(): void;
}

/** Keeps past plays counted, so that a report over any period is there at once. */
export function keepPlaysCondensed(parts: {
  readonly records: Pick<Records, 'run'>;
  readonly environment: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}): PlaysCondenser {
  const { records, environment, clock, schedule, log } = parts;
  let done = 0;
  let hurriedUntil = Number.NEGATIVE_INFINITY;
  let working = false;
  let stopped = false;
  let cancel = schedule(FIRST_AFTER_MS, () => void portion());

  async function portion(): Promise<void> {
    if (working || stopped) return;
    working = true;
    const now = clock.now();
    let wait = EVERY_MS;
    try {
      const {
        done: isDone,
        oldest,
        to,
      } = await records.run('condensePlays', {
        environment,
        now,
        limit: PORTION,
      });
      done =
        isDone || oldest === null ? 1 : Math.min(1, Math.max(0, ((to ?? oldest) - oldest) / (now - oldest)));
      if (!isDone) wait = clock.monotonic() < hurriedUntil ? HURRIED_PAUSE_MS : PAUSE_MS;
    } catch (fault) {
      log.warn('past plays could not be counted', { fault });
    }
    working = false;
    if (!stopped) cancel = schedule(wait, () => void portion());
  }

  return {
    hurry() {
      hurriedUntil = clock.monotonic() + HURRIES_FOR_MS;
      cancel();
      void portion();
      return done;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
