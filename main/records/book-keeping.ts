import type { FlightCounters } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Books } from './books';
import { recountFlights } from './recount-flights';

const SNAPSHOT_MS = 60_000;
const CHECK_AFTER_MS = 5_000;
/** Counters are too high only after the clock was set back by far: no hurry. */
const RECOUNT_MS = 600_000;
const PRUNE_MS = 3_600_000;
/** Plays are kept for 90 days, and the newest million however old they are. */
const KEEP_MS = 90 * 86_400_000;
const KEEP_PLAYS = 1_000_000;
/** Deleted in one transaction, some 20 ms: no reservation waits for longer. */
const PRUNE_AT_ONCE = 100;
/** With proof of play to deliver, so many plays more are kept at the most. */
const KEEP_UNSENT_PLAYS = 1_000_000;
/** Plays that older versions left without a number get theirs in steps, some 15 ms each, long after the first frame. */
const NUMBER_AFTER_MS = 20_000;
const NUMBER_AT_ONCE = 100;
const NUMBER_EVERY_MS = 50;
/** A creative may be absent from one answer and back in the next. */
const KEEP_RECENCY = 10_000;

/**
 * The books' housekeeping while the kiosk plays: a check of the counters once the
 * start is over, a snapshot every minute, and pruning of old plays.
 *
 * `corrected` takes over counters that were too low.
 */
export function keepBooks(parts: {
  readonly books: Books;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly log: Log;
  readonly corrected: (counters: readonly FlightCounters[]) => void;
  /** Counters that are too high at a time, and where they go once they were recounted from the plays. */
  readonly flightsToRecount: (at: number) => readonly FlightCounters[];
  readonly takeRecount: (begunWith: FlightCounters, recounted: FlightCounters) => void;
  readonly recount: (flightId: string, times: readonly number[]) => FlightCounters;
  /** Shrinks counters of flights unseen for long; returns those that changed. */
  readonly shrinkUnseen: (at: number) => FlightCounters[];
  readonly pause: () => Promise<void>;
  readonly environment: string;
  /** Whether proof of play is delivered: plays that were not yet are kept longer. */
  readonly deliversProof: boolean;
  /** Keys of creatives gone from the playlist, but for the `keep` most recent. */
  readonly forgetRecency: (keep: number) => string[];
}): void {
  const { books, clock, schedule, log } = parts;

  function every(ms: number, what: string, work: () => Promise<unknown>): void {
    const round = () =>
      void work()
        .catch((fault: unknown) => log.error(`the books: ${what} failed`, { fault }))
        .finally(() => schedule(ms, round));
    schedule(ms, round);
  }

  let numbered = 0;
  const numberSome = () =>
    void books
      .run('numberPlays', { limit: NUMBER_AT_ONCE })
      .then((step) => {
        numbered += step.numbered;
        if (!step.done) schedule(NUMBER_EVERY_MS, numberSome);
        else if (numbered > 0) log.info('plays of older versions were numbered', { plays: numbered });
      })
      .catch((error: unknown) => {
        log.error('the books: numbering failed', { error });
        schedule(SNAPSHOT_MS, numberSome);
      });
  schedule(NUMBER_AFTER_MS, numberSome);
  schedule(CHECK_AFTER_MS, () => {
    books
      .verify()
      .then((counters) => {
        if (counters.length > 0) parts.corrected(counters);
      })
      .catch((fault: unknown) => log.error('the books: checking failed', { fault }));
  });
  every(SNAPSHOT_MS, 'the snapshot', books.writeSnapshot);
  every(PRUNE_MS, 'pruning', async () => {
    const before = clock.now() - KEEP_MS;
    const keepUnsent = parts.deliversProof ? { keepUnsent: KEEP_UNSENT_PLAYS } : {};
    const some = { before, keep: KEEP_PLAYS, ...keepUnsent, limit: PRUNE_AT_ONCE };
    while ((await books.run('prunePlays', some)) > 0);
  });
  every(RECOUNT_MS, 'recounting', async () => {
    const flights = parts.flightsToRecount(clock.now());
    const found = await recountFlights({ ...parts, records: books }, flights);
    for (const { begunWith, recounted } of found) parts.takeRecount(begunWith, recounted);
    if (flights.length > 0)
      log.info('flights were recounted from their plays', { flights: flights.length, counted: found.length });
  });
  every(PRUNE_MS, 'forgetting recency', async () => {
    const keys = parts.forgetRecency(KEEP_RECENCY);
    if (keys.length > 0) await books.run('forgetRecency', { environment: parts.environment, keys });
  });
  every(PRUNE_MS, 'shrinking counters', async () => {
    const flights = parts.shrinkUnseen(clock.now());
    if (flights.length > 0) await books.run('storeFlights', { environment: parts.environment, flights });
  });
}
