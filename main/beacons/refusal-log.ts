import type { Beacon, BeaconProgress } from '../../shared/beacon';
import type { Log } from '../../shared/log';

/** How many refused beacons are logged singly between two calls of `tellRest`. */
const MOST_NAMED = 20;

export type RefusalLog = ReturnType<typeof createRefusalLog>;

/**
 * Logs refused beacons in a bounded number of lines, because an ad can have 2,000 of them in one play (rule
 * 31).
 */
export function createRefusalLog(log: Log) {
  let named = 0;
  let more: Record<string, number> = {};

  return {
    note({ event, host }: Beacon, { state, lastError }: BeaconProgress): void {
      if (named === MOST_NAMED) {
        more[state] = (more[state] ?? 0) + 1;
        return;
      }
      named += 1;
      log.warn('a beacon was not accepted', { event, host, outcome: state, why: lastError });
    },
    /** Logs one line for all that were not logged singly since the last call. Call it every minute and at the end. */
    tellRest(): void {
      const beacons = Object.values(more).reduce((sum, count) => sum + count, 0);
      if (beacons > 0) log.warn('more beacons were not accepted; they are not listed', { beacons, ...more });
      named = 0;
      more = {};
    },
  };
}
