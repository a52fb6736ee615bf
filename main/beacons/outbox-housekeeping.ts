import type { Log } from '../../shared/log';
import type { Records } from '../records/records-client';
import type { OutboxLedger } from './outbox-ledger';

const HOUR_MS = 3_600_000;
/** Waiting beacons at most, as out-of-home players keep them. */
const KEEP_WAITING = 300_000;
const KEEP_WAITING_BYTES = 268_435_456;
/** Ended beacons are kept for a day, for support. */
const KEEP_ENDED_MS = 24 * HOUR_MS;
const KEEP_ENDED = 20_000;
/**
 * An instance is minted at receipt, never stored and not shown later than 30
 * minutes after: a day is beyond any clock's correction.
 */
const KEEP_CONFIRMED_MS = 25 * HOUR_MS;
/** As long as the plays themselves. */
const KEEP_RESULTS_MS = 90 * 24 * HOUR_MS;
/** Few at once: reservations queue behind each portion. */
const HOUSEKEEPING_AT_ONCE = 200;

/** Ends beacons whose time is over, and removes what is kept no longer. @param now ms since the epoch */
export async function tidyOutbox(
  { records, ledger, log }: { records: Records; ledger: OutboxLedger; log: Log },
  now: number,
): Promise<void> {
  const limit = HOUSEKEEPING_AT_ONCE;
  for (let ended = limit; ended === limit; ) {
    ended = await records.run('expireBeacons', {
      now,
      keep: KEEP_WAITING,
      keepBytes: KEEP_WAITING_BYTES,
      inHand: ledger.idsInHand,
      limit,
    });
    ledger.ended('expired', ended);
    if (ended > 0) log.warn('beacons came to the end of their time unsent', { beacons: ended });
  }
  while (
    (await records.run('pruneBeacons', {
      endedBefore: now - KEEP_ENDED_MS,
      keepEnded: KEEP_ENDED,
      confirmedBefore: now - KEEP_CONFIRMED_MS,
      playedBefore: now - KEEP_RESULTS_MS,
      limit,
    })) > 0
  );
}
