import type { FlightCounters } from '../../shared/books';
import type {
  RecordsCommand,
  RecordsCommands,
  RecordsInput,
  RecordsOutput,
  StoredBooks,
} from '../../shared/records';
import type { CountedPlay } from '../decisions/explain';
import { countPlay, noPlays } from '../decisions/flight-counters';
import type { Schedule } from '../schedule';
import { oneByOne } from '../turns';
import { type BooksReport, createBooksLosses, type LossParts } from './books-losses';
import { BooksMirror } from './books-mirror';
import { uncountedPlays } from './missing-counts';
import { RecordsError } from './records-client';
import { storeMove } from './send-in-parts';
import type { BooksSnapshot } from './snapshot';
import { snapshotReader } from './snapshot-reader';
import { createStoredPlaylist } from './stored-playlist';
import { createStoredPlays, type PlaysMoved } from './stored-plays';

export interface BooksParts extends LossParts {
  /** Lets other work run; resolves when this work may continue. */
  readonly pause: () => Promise<void>;
  readonly schedule: Schedule;
}

/** Plays that `verify` reads: more than a day of a busy kiosk, in about 20 ms. */
const VERIFIED_PLAYS = 2_000;

export type Books = ReturnType<typeof createBooks>;

/**
 * The books of one environment: the stored ones, a mirror of their state in memory, and a snapshot on disk. What one of
 * them loses is restored from the others; what cannot be restored is reported in numbers.
 */
export function createBooks(parts: BooksParts) {
  const { records, files, environment, log } = parts;
  const mirror = new BooksMirror(parts.clock);
  const storedPlays = createStoredPlays(parts, mirror);
  const { storeAgain, ...playlistStore } = createStoredPlaylist(parts, mirror);
  const losses = createBooksLosses(parts, mirror, storeAgain);
  const order = createOrder();
  const reader = snapshotReader(parts, losses);

  async function writeSnapshot(): Promise<number> {
    // Carried counts end by running time, which has to be stored even when nothing plays.
    const isCarrying = [...mirror.flights.values()].some(({ carried }) => carried !== undefined);
    if ((!mirror.isChanged && !isCarrying) || !(await reader.mayBeReplaced())) return 0;
    mirror.isChanged = false;
    return files.write(snapshotOf(parts, mirror)).catch((error: unknown) => {
      mirror.isChanged = true;
      throw error;
    });
  }

  /** Writes the snapshot now, which empties the journal. */
  function replaceSnapshot(): void {
    mirror.isChanged = true;
    writeSnapshot().catch((error: unknown) => log.warn('the snapshot could not be written', { error }));
  }

  async function open(): Promise<StoredBooks> {
    const opening = records.run('openBooks', { environment, stillOpen: [] });
    const [stored, kept] = await reader.read(opening);
    mirror.takeOver(stored);
    losses.report.unsettled = stored.unsettled;
    if (kept) await losses.restore(stored, kept);
    if (stored.hasPlaylist && !stored.playlist)
      log.warn('the stored playlist cannot be read', { isCopyUsed: mirror.playlist !== null });
    mirror.ranAtLeast(kept?.snapshot.ranMs ?? 0);
    // A journal is useless without the snapshot it continues, and the process may be killed within the first minute.
    // After a loss, the journal would tell the same loss again.
    if (!kept || losses.report.restoredFrom !== null) replaceSnapshot();
    if (stored.moving) void order.rewrite(endMove(parts, stored.moving, mirror));
    const { playlist, lastPlayAt } = mirror;
    return { ...stored, ...mirror.state(), playlist, lastPlayAt, ranMs: mirror.ranMs() };
  }

  async function reopen(): Promise<void> {
    const input = { environment, stillOpen: storedPlays.ids(), countsOnly: true } as const;
    const stored = await records.run('openBooks', input);
    const { playCount, maybePruned } = mirror;
    const missing = Math.max(0, playCount - stored.playCount - maybePruned);
    await losses.beginEpochAfter(missing > 0, stored, mirror.sequence);
    // Changed by a difference, because a prune may have ended meanwhile.
    mirror.playCount += stored.playCount - playCount;
    mirror.maybePruned -= maybePruned;
    storedPlays.counted();
    if (missing > 0) {
      losses.noteLost(missing);
      // The journal lists plays that are gone: the next start would take them for another loss.
      replaceSnapshot();
    }
    // Decisions were made from memory, so the books are stored again from memory even if nothing is missing.
    await losses.storeCorrected(mirror.isUnsure);
  }

  async function verify(): Promise<CountedPlay[]> {
    // Counted now, a play that is about to be made void would stay counted in decisions.
    mirror.isUnsure ||= storedPlays.hasToBeVoid();
    if (storedPlays.hasToBeVoid()) return [];
    await storedPlays.settleAgain();
    const newest = { environment, after: null, order: 'newest-first', limit: VERIFIED_PLAYS } as const;
    const { plays, next } = await records.run('countedPlays', newest);
    const uncounted = uncountedPlays(plays, next?.at ?? null, mirror.flights);
    if (uncounted.length === 0 && !mirror.isUnsure) return uncounted;
    const flights = countIn(mirror, uncounted);
    losses.report.correctedFlights += flights;
    if (flights > 0) log.error('counters fell short of the stored plays; they were corrected', { flights });
    // Never rejects: unless the caller counts these plays, the next reservation stores the low counters again.
    await losses.storeCorrected();
    return uncounted;
  }

  async function movePlays(move: PlaysMoved): Promise<void> {
    const { after, by } = move;
    storedPlays.moved(move);
    if (mirror.lastPlayAt !== null && mirror.lastPlayAt > after) mirror.lastPlayAt += by;
    const of = { environment, id: parts.newId(), after, by, ranMs: mirror.ranMs() };
    try {
      await storeMove(parts, of, move.flights);
    } catch (error) {
      mirror.isUnsure = true;
      throw error;
    } finally {
      // Caps hold even if the plays could not be moved: their counters are stored later.
      mirror.keep(move);
      // The journal's entries have the times from before the move.
      replaceSnapshot();
    }
  }

  const commands = commandsOf(parts, mirror, storedPlays, order);

  return {
    /** Opens them at start; restores what the database lost. */
    open,
    /** The records window came back: stores again from memory what it lost. */
    reopen: () => order.rewrite(reopen),
    /** Compares counters with the newest plays, and corrects those that are too low; returns what they lacked. */
    verify: () => order.rewrite(verify),
    /** Whether counters in memory or on the disk may be wrong, or a settlement is not stored: then call `verify`. */
    isUnsure: () => mirror.isUnsure || storedPlays.hasUnstored(),
    /** Writes the snapshot if anything changed, also at the end. Resolves with the length of what was written. */
    writeSnapshot,
    /** Why counts are lost that nothing can restore; null: none are. */
    lossProblem: reader.lossProblem,
    /** Why the snapshot is not written, although it is due; null: it is written. */
    snapshotProblem: reader.problem,
    /** How long the kiosk has run in all, ms; the time it was off does not count. */
    ranMs: () => mirror.ranMs(),
    /**
     * Stores everything that a change of the clock changes, and moves the plays stamped after `after` by `by` ms (rule 10),
     * in steps. If the records window dies meanwhile, the move goes on with the next one; no play is moved twice.
     */
    movePlays: (move: PlaysMoved) => order.rewrite(() => movePlays(move)),
    ...playlistStore,
    /** Stores counters that changed without a play. */
    storeCounters: (flights: readonly FlightCounters[]): Promise<void> =>
      order.store(async () => {
        await losses.storeBooks({ flights: [...flights], recency: [], sourceMix: null });
        mirror.keep({ flights });
      }),
    report: (): BooksReport => losses.report,
    /** A flight's counters; null for an ad without a flight, or one that never played. */
    counters: (flightId: string | null) =>
      flightId === null ? null : (mirror.flights.get(flightId) ?? null),
    playCount: () => mirror.playCount,
    lastPlayAt: () => mirror.lastPlayAt,
    run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
      return commands[command]?.(input) ?? records.run(command, input);
    },
  };
}

/**
 * Runs commands that store single plays, and work that rewrites the books as a whole, in the order of their requests.
 * Both use the counters of their own moment, so neither may overtake the other on its way to the disk; nor may a play be
 * reserved between listing the open plays and using that list.
 */
function createOrder() {
  const store = oneByOne();
  let beside: Promise<unknown> = Promise.resolve();
  return {
    store,
    /** Stores what changes no counters. It may get no answer for half a minute, so only rewrites wait for it. */
    async storeBeside<Result>(work: () => Promise<Result>): Promise<Result> {
      const { stored } = await store(async () => {
        const stored = work();
        // Without the results, which would stay in memory.
        beside = Promise.allSettled([beside, stored]).then(() => {});
        return { stored };
      });
      return stored;
    },
    rewrite: <Result>(work: () => Promise<Result>): Promise<Result> =>
      store(async () => {
        await beside;
        return work();
      }),
  };
}

/**
 * Returns what moves the plays that an earlier run left when it moved them with the clock. Until it has ended no play may be
 * reserved, because it might be among those that are left. Never rejects: the next start tries again.
 */
const endMove =
  (parts: BooksParts, move: NonNullable<StoredBooks['moving']>, mirror: BooksMirror) =>
  async (): Promise<void> => {
    const { environment, log } = parts;
    log.warn('plays that an earlier run began to move with the clock are moved now', { ...move });
    await storeMove(parts, { ...move, environment, ranMs: mirror.ranMs() }, []).catch((error: unknown) =>
      log.error('the plays could not be moved with the clock', { error }),
    );
  };

/** Counts plays in memory whose flights' counters lack them; returns how many flights these are. */
function countIn(mirror: BooksMirror, plays: readonly CountedPlay[]): number {
  for (const { flightId, at } of plays)
    mirror.keep({ flights: [countPlay(mirror.flights.get(flightId) ?? noPlays(flightId), at)] });
  return new Set(plays.map(({ flightId }) => flightId)).size;
}

function snapshotOf({ environment, clock }: BooksParts, mirror: BooksMirror): BooksSnapshot {
  return {
    version: 1,
    environment,
    at: clock.now(),
    playCount: mirror.playCount,
    ranMs: mirror.ranMs(),
    ...(mirror.sequence ? { sequence: mirror.sequence } : {}),
    ...(mirror.playlist ? { playlistAt: mirror.playlist.receivedAt } : {}),
    ...mirror.state(),
  };
}

/** Commands that have an order, or are applied to memory once they are carried out. */
function commandsOf(
  { records, environment }: BooksParts,
  mirror: BooksMirror,
  storedPlays: ReturnType<typeof createStoredPlays>,
  order: ReturnType<typeof createOrder>,
): Partial<RecordsCommands> {
  return {
    reservePlay: (reservation) => order.store(() => storedPlays.reserve(reservation)),
    settlePlay(settlement) {
      const { flight, recency, sourceMix } = settlement;
      const isCounted = flight !== null || recency !== null || sourceMix !== null;
      return (isCounted ? order.store : order.storeBeside)(() => storedPlays.settle(settlement));
    },
    // A recount must read plays that are already moved, as the decider moves its counters first.
    countedPlays: (query) => order.store(async () => {}).then(() => records.run('countedPlays', query)),
    async forgetRecency(input) {
      await records.run('forgetRecency', input);
      mirror.forgetRecency(input.keys);
      return null;
    },
    async prunePlays(input) {
      try {
        const deleted = await records.run('prunePlays', input);
        mirror.playCount -= deleted[environment] ?? 0;
        mirror.isChanged = true;
        return deleted;
      } catch (error) {
        if (error instanceof RecordsError && error.mayBeDone) mirror.maybePruned += input.limit;
        throw error;
      }
    },
  };
}
