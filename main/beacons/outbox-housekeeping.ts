import { HOUR_MS } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Records } from '../records/records-client';
import type { OutboxLedger } from './outbox-ledger';

/** Most waiting beacons; other out-of-home players store as many. */
const KEEP_WAITING = 300_000;
const KEEP_WAITING_BYTES = 268_435_456;
/** Ended beacons are stored for a day, for support. */
const KEEP_ENDED_MS = 24 * HOUR_MS;
const KEEP_ENDED = 20_000;
/**
 * How long confirmed events are stored. An instance is created when its answer arrives, is never stored, and
 * is shown at most 30 minutes later; no correction of the clock exceeds the day beyond that.
 */
const KEEP_CONFIRMED_MS = 25 * HOUR_MS;
/** A small number, because reservations wait for each transaction. */
const HOUSEKEEPING_AT_ONCE = 200;

/**
 * Expires beacons whose time is over, and removes old rows.
 *
 * @param now ms since the epoch, UTC
 * @param mayExpire false: none is late, because the clock may be years ahead
 */
export async function tidyOutbox(
  { records, ledger, log }: { records: Records; ledger: OutboxLedger; log: Log },
  now: number,
  mayExpire: boolean,
): Promise<void> {
  const limit = HOUSEKEEPING_AT_ONCE;
  // Until none is left: where many plays hold as many bytes, fewer than the limit are dropped at once.
  for (let ended = limit; ended > 0; ) {
    ended = await records.run('expireBeacons', {
      now,
      keepsLate: !mayExpire,
      keep: KEEP_WAITING,
      keepBytes: KEEP_WAITING_BYTES,
      inHand: ledger.idsInHand,
      limit,
    });
    ledger.ended('expired', ended);
    if (ended > 0) log.warn('beacons expired unsent', { beacons: ended });
  }
  while (
    (await records.run('pruneBeacons', {
      endedBefore: now - KEEP_ENDED_MS,
      keepEnded: KEEP_ENDED,
      confirmedBefore: now - KEEP_CONFIRMED_MS,
      limit,
    })) > 0
  );
}
