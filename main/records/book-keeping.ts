import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Decider } from '../decisions/decider';
import type { CountedPlay } from '../decisions/explain';
import type { Schedule } from '../schedule';
import type { StatusBoard } from '../status/status-board';
import type { Books } from './books';
import { recountFlights } from './recount-flights';

const SNAPSHOT_MS = 60_000;
/**
 * A snapshot holds every flight of the last 400 days, 1 kB for each. On average no more than this is written, bytes a
 * second, so that thousands of flights do not wear out a card. What was reserved since the last one is in the journal.
 */
const SNAPSHOT_BYTES_PER_S = 4_096;
const SNAPSHOT_AT_LATEST_MS = 3_600_000;
const CHECK_AFTER_MS = 5_000;
/** Counters are too high only after the clock was set far back, so recounting is not urgent. */
const RECOUNT_MS = 600_000;
/** Each recount reads every play, so a flight that cannot be recounted is given up in this run. */
const MAX_RECOUNTS = 3;
const PRUNE_MS = 3_600_000;
/** Plays are kept for 90 days, and the newest million however old they are. */
const KEEP_MS = 90 * 86_400_000;
const KEEP_PLAYS = 1_000_000;
/** Plays deleted in one transaction, about 20 ms, so that no reservation waits for longer. */
const PRUNE_AT_ONCE = 100;
/**
 * Most plays that are kept until their proof of play is delivered, and until the service has confirmed the time: a clock
 * that is ahead makes all of them old.
 */
const MAX_PLAYS = 2_000_000;
/**
 * Plays that older versions stored without a number, or that a new epoch left, are numbered in steps of about 15 ms.
 */
const NUMBER_MS = 60_000;
const NUMBER_AT_ONCE = 100;
const NUMBER_EVERY_MS = 50;
/** Recency entries kept of creatives outside the playlist: they may be back in the next answer. */
const KEEP_RECENCY = 10_000;

/**
 * Maintains the books while the kiosk plays: checks the counters after the start and where they may be too low, writes a
 * snapshot every minute (a large one less often), and numbers, recounts and prunes plays. What this corrects, it
 * corrects in the decider's counters too.
 */
export function keepBooks(parts: {
  readonly books: Books;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly decider: Pick<
    Decider,
    | 'countStored'
    | 'flightsToRecount'
    | 'correctionsOf'
    | 'takeRecount'
    | 'countersOf'
    | 'running'
    | 'shrinkUnseen'
    | 'forgetRecency'
  >;
  readonly pause: () => Promise<void>;
  readonly environment: string;
  readonly board: Pick<StatusBoard, 'tell'>;
  /** Whether proof of play is delivered; then undelivered plays are kept longer. */
  readonly deliversProof: boolean;
}): void {
  const { books, clock, schedule, decider, environment, log } = parts;

  function every(ms: number, what: string, work: () => Promise<unknown>): void {
    const round = () =>
      void work()
        .catch((error: unknown) => log.error(`the books: ${what} failed`, { error }))
        .finally(() => schedule(ms, round));
    schedule(ms, round);
  }

  // Again and again: an epoch that begins later may leave plays to be numbered, too; their proof waits for it.
  every(NUMBER_MS, 'numbering', async () => {
    let plays = 0;
    for (let isDone = false; !isDone; ) {
      const { numbered, done } = await books.run('numberPlays', { limit: NUMBER_AT_ONCE });
      plays += numbered;
      isDone = done;
      if (!done) await new Promise<void>((resolve) => schedule(NUMBER_EVERY_MS, resolve));
    }
    if (plays > 0) log.info('plays without a number were numbered', { plays });
  });
  const check = (correct: (uncounted: readonly CountedPlay[]) => void) =>
    void books
      .verify()
      .then(correct)
      .catch((error: unknown) => log.error('the books: checking failed', { error }));
  const checkTwice = () =>
    check((uncounted) => {
      if (uncounted.length === 0) return;
      decider.countStored(uncounted);
      // A play that was reserved during the check is stored with counters from before it.
      schedule(CHECK_AFTER_MS, () => check(() => {}));
    });
  schedule(CHECK_AFTER_MS, checkTwice);
  every(SNAPSHOT_MS, 'checking again', async () => {
    if (books.isUnsure()) checkTwice();
  });
  let snapshotFrom = Number.NEGATIVE_INFINITY;
  every(SNAPSHOT_MS, 'the snapshot', async () => {
    if (clock.monotonic() < snapshotFrom) return;
    const pauseMs = ((await books.writeSnapshot()) / SNAPSHOT_BYTES_PER_S) * 1_000;
    snapshotFrom = clock.monotonic() + Math.min(pauseMs, SNAPSHOT_AT_LATEST_MS);
    const problem = books.snapshotProblem();
    parts.board.tell({ kind: 'attention', code: 'snapshot-unread', problem });
  });
  every(PRUNE_MS, 'pruning', async () => {
    const before = clock.now() - KEEP_MS;
    const keep = decider.running().isTrusted ? KEEP_PLAYS : MAX_PLAYS;
    const keepUnsent = parts.deliversProof ? { keepUnsent: MAX_PLAYS - keep } : {};
    const some = { before, keep, ...keepUnsent, limit: PRUNE_AT_ONCE };
    while (Object.keys(await books.run('prunePlays', some)).length > 0);
  });
  /** How often each flight was recounted in vain. */
  const recounts = new Map<string, number>();
  every(RECOUNT_MS, 'recounting', async () => {
    const flights = decider
      .flightsToRecount(clock.now())
      .filter(({ flightId }) => (recounts.get(flightId) ?? 0) < MAX_RECOUNTS)
      .map((counted) => ({ counted, corrections: decider.correctionsOf(counted.flightId) }));
    const ids = flights.map(({ counted }) => counted.flightId);
    const recounted = await recountFlights({ ...parts, records: books }, ids);
    let taken = 0;
    for (const { counted, corrections } of flights) {
      const { flightId } = counted;
      const found = recounted.get(flightId);
      if (found && decider.takeRecount(found, corrections)) {
        taken += 1;
        recounts.delete(flightId);
        continue;
      }
      // Plays were lost or pruned, and only its counters still have them: that does not change by another try.
      const isSame = decider.countersOf(flightId) === counted;
      const isFinal = isSame && decider.correctionsOf(flightId) === corrections;
      recounts.set(flightId, isFinal ? MAX_RECOUNTS : (recounts.get(flightId) ?? 0) + 1);
    }
    if (flights.length > 0)
      log.info('flights were recounted from their plays', { flights: flights.length, counted: taken });
  });
  every(PRUNE_MS, 'forgetting recency', async () => {
    const keys = decider.forgetRecency(KEEP_RECENCY);
    if (keys.length > 0) await books.run('forgetRecency', { environment, keys });
  });
  every(PRUNE_MS, 'shrinking counters', async () => {
    const flights = decider.shrinkUnseen(clock.now());
    if (flights.length > 0) await books.storeCounters(flights);
  });
}
