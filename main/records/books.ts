import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Play } from '../../shared/play';
import type {
  RecordsCommand,
  RecordsInput,
  RecordsOutput,
  Books as StoredBooks,
  StoredPlaylist,
} from '../../shared/records';
import { MovesOfPlays } from './moves-of-plays';
import { createPlaylistStore, type PlaylistStore } from './playlist-store';
import type { Records } from './records-client';
import { runOrRepeat, storeMove } from './run-or-repeat';
import type { BooksSnapshot, JournalEntry, SnapshotFiles } from './snapshot';

/** What opening the books brought to light, in numbers (rule 25). */
export interface BooksReport {
  /** Plays an earlier run reserved and never settled; they count. */
  readonly unsettled: number;
  /** Rows of plays that were gone, and flights whose counters were brought back. */
  readonly lostPlays: number;
  readonly restoredFlights: number;
  /** Reservations that only the journal still knew. */
  readonly restoredFromJournal: number;
  /** Flights whose counters fell short of their stored plays and were corrected. */
  readonly correctedFlights: number;
  /** Time of the snapshot that was used, ms since the epoch; null: none was needed. */
  readonly restoredFrom: number | null;
}

export interface BooksParts {
  readonly records: Records;
  readonly files: SnapshotFiles;
  readonly environment: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** Lets other work run; resolves when it is this one's turn again. */
  readonly pause: () => Promise<void>;
  /** Counts a play into a flight's counters (rule 7); null: its first. */
  readonly countPlay: (counters: FlightCounters | null, flightId: string, at: number) => FlightCounters;
}

/**
 * The books of one environment: the stored ones, a mirror of their state in
 * memory, and a snapshot on disk. Whatever of them is lost is brought back from
 * the others, and what cannot be is told in numbers.
 */
export interface Books extends Records, PlaylistStore {
  /** Opens them at start; restores what the database lost. */
  open(): Promise<StoredBooks>;
  /** The records window came back: what it lost is stored again from memory. */
  reopen(): Promise<void>;
  /** Compares counters with the newest plays; answers those that were too low, corrected. */
  verify(): Promise<FlightCounters[]>;
  /** Writes the snapshot; to be called every minute and at the end. */
  writeSnapshot(): Promise<void>;
  /**
   * The clock was set (rule 10): moves the plays stamped after `after` by `by` ms and stores
   * what else that changes, in one transaction. A window that dies over it changes nothing.
   */
  movePlays(move: PlaysMoved): Promise<void>;
  /** How long the kiosk has run in all, ms: what it was off for does not count. */
  ranMs(): number;
  report(): BooksReport;
  /** A flight's counters; null for an ad without a flight, or one that never played. */
  counters(flightId: string | null): FlightCounters | null;
  playCount(): number;
  lastPlayAt(): number | null;
  snapshotAt(): number | null;
}

/** Plays that moved because the clock was set; times in ms since the epoch. */
export interface PlaysMoved {
  readonly after: number;
  readonly by: number;
  /** What the clock shows since. */
  readonly now: number;
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/** Plays looked at by `verify`: a day and more of a busy kiosk, read in some 20 ms. */
const VERIFIED_PLAYS = 2_000;
const HOUR_MS = 3_600_000;

export function createBooks(parts: BooksParts): Books {
  const { records, files, environment, clock, log } = parts;
  const playlistStore = createPlaylistStore(parts);
  const flights = new Map<string, FlightCounters>();
  const recency = new Map<string, RecencyEntry>();
  let sourceMix: SourceMixState | null = null;
  let playlist: StoredPlaylist | null = null;
  let playCount = 0;
  let lastPlayAt: number | null = null;
  let snapshotAt: number | null = null;
  let changedSinceSnapshot = true;
  /** Plays on the screen, each with what of the clock's changes fell into its time. */
  const openPlays = new Map<string, PlaysMoved[]>();
  const moves = new MovesOfPlays();
  /** How long earlier runs took, ms, and when this one began on the monotonic clock. */
  let ranBefore = 0;
  const startedAt = clock.monotonic();
  const ranMs = () => Math.round(ranBefore + clock.monotonic() - startedAt);
  let report: BooksReport = {
    unsettled: 0,
    lostPlays: 0,
    restoredFlights: 0,
    restoredFromJournal: 0,
    correctedFlights: 0,
    restoredFrom: null,
  };

  /** Follows a command that was carried out, so that memory holds what the database does. */
  function follow<C extends RecordsCommand>(command: C, input: RecordsInput<C>): void {
    changedSinceSnapshot = true;
    switch (command) {
      case 'reservePlay':
      case 'settlePlay': {
        const changed = input as Pick<RecordsInput<'reservePlay'>, 'flight' | 'recency' | 'sourceMix'>;
        if (changed.flight) flights.set(changed.flight.flightId, changed.flight);
        if (changed.recency) recency.set(changed.recency.key, changed.recency);
        sourceMix = changed.sourceMix ?? sourceMix;
        return;
      }
      case 'storeFlights':
        for (const counters of (input as RecordsInput<'storeFlights'>).flights)
          flights.set(counters.flightId, counters);
        return;
      case 'forgetRecency':
        for (const key of (input as RecordsInput<'forgetRecency'>).keys) recency.delete(key);
        return;
    }
  }

  function noteReservation(play: Play): void {
    playCount += 1;
    lastPlayAt = Math.max(play.at, lastPlayAt ?? play.at);
    const { id, flightId, at } = play;
    files
      .note({ id, flightId, at })
      .catch((fault: unknown) => log.warn('a reservation could not be journalled', { fault }));
  }

  async function reserve(reservation: RecordsInput<'reservePlay'>): Promise<null> {
    const { play } = reservation;
    // Known from now on: a window that opens meanwhile sweeps what no run has open.
    openPlays.set(play.id, []);
    try {
      // Its id is new: what is recorded already is this very play, by the window that died.
      await runOrRepeat(parts, 'reservePlay', { ...reservation, ranMs: ranMs() }, () => null);
    } catch (fault) {
      openPlays.delete(play.id);
      throw fault;
    }
    follow('reservePlay', reservation);
    noteReservation(play);
    return null;
  }

  /** Whether it was settled just now; settling again changes nothing. */
  async function settle(settlement: RecordsInput<'settlePlay'>): Promise<boolean> {
    const { shownAt } = settlement.settlement;
    const moved = openPlays.get(settlement.id) ?? [];
    const shown = { ...settlement.settlement, shownAt: shownAt && movedTime(shownAt, moved, clock.now()) };
    const settled = await runOrRepeat(
      parts,
      'settlePlay',
      { ...settlement, settlement: shown },
      (conflict) => {
        throw conflict;
      },
    );
    follow('settlePlay', settlement);
    openPlays.delete(settlement.id);
    return settled;
  }

  function takeOver(stored: StoredBooks): void {
    for (const counters of stored.flights) flights.set(counters.flightId, counters);
    for (const entry of stored.recency) recency.set(entry.key, entry);
    sourceMix = stored.sourceMix;
    playlist = stored.playlist;
    playCount = stored.playCount;
    lastPlayAt = stored.lastPlayAt;
    ranBefore = stored.ranMs ?? 0;
  }

  async function storeFromMemory(): Promise<void> {
    await records.run('restoreBooks', {
      environment,
      flights: [...flights.values()],
      recency: [...recency.values()],
      sourceMix,
    });
    // In parts and behind everything else: what is decided by is in memory.
    if (playlist)
      playlistStore
        .storePlaylist(playlist)
        .catch((fault: unknown) => log.error('the playlist could not be stored again', { fault }));
  }

  async function writeSnapshot(): Promise<void> {
    // What is carried over a jump of the clock ends by running time, which passes without plays too.
    const isCarrying = [...flights.values()].some(({ carried }) => carried !== undefined);
    if (!changedSinceSnapshot && !isCarrying) return;
    const at = clock.now();
    const snapshot: BooksSnapshot = {
      version: 1,
      environment,
      at,
      playCount,
      ranMs: ranMs(),
      flights: [...flights.values()],
      recency: [...recency.values()],
      sourceMix,
    };
    changedSinceSnapshot = false;
    await files.write(snapshot);
    snapshotAt = at;
  }

  return {
    async open() {
      const [stored, kept] = await Promise.all([
        records.run('openBooks', { environment, stillOpen: [] }),
        files.read(environment),
      ]);
      takeOver(stored);
      report = { ...report, unsettled: stored.unsettled };
      const lost = kept && whatWasLost(stored, kept.snapshot, kept.journal, parts.countPlay);
      if (kept && lost) {
        for (const counters of lost.flights) flights.set(counters.flightId, counters);
        for (const entry of kept.snapshot.recency) {
          if ((recency.get(entry.key)?.sequence ?? -1) < entry.sequence) recency.set(entry.key, entry);
        }
        sourceMix ??= kept.snapshot.sourceMix;
        playlist ??= await files.readPlaylist(environment);
        report = {
          ...report,
          lostPlays: lost.plays,
          restoredFlights: lost.flights.length,
          restoredFromJournal: kept.journal.length,
          restoredFrom: kept.snapshot.at,
        };
        log.error('the stored books had lost data; they were restored from the last snapshot', { ...report });
        await storeFromMemory();
      }
      // Whoever knows of the longest time is right: it never goes back.
      for (const ran of [
        kept?.snapshot.ranMs ?? 0,
        ...[...flights.values()].map(({ carried }) => carried?.ran ?? 0),
      ])
        ranBefore = Math.max(ranBefore, ran);
      snapshotAt = kept?.snapshot.at ?? null;
      // A journal means nothing without the snapshot it continues, and a kill may come before the first minute is over.
      if (!kept)
        writeSnapshot().catch((fault: unknown) =>
          log.warn('the first snapshot could not be written', { fault }),
        );
      return {
        ...stored,
        playlist,
        flights: [...flights.values()],
        recency: [...recency.values()],
        sourceMix,
        lastPlayAt,
        ranMs: ranMs(),
      };
    },

    // Between moves: what it stores from memory would undo one that is half way.
    reopen: () =>
      moves.between(async () => {
        const stored = await records.run('openBooks', { environment, stillOpen: [...openPlays.keys()] });
        const missing = Math.max(0, playCount - stored.playCount);
        if (missing > 0) {
          report = { ...report, lostPlays: report.lostPlays + missing };
          log.error('the records window came back without all of its plays', { lostPlays: missing });
        }
        // Memory is what was decided by: it is stored again, whether or not anything is missing.
        await storeFromMemory();
      }),

    verify: () =>
      moves.between(async () => {
        const newest = await records.run('newestPlays', { environment, limit: VERIFIED_PLAYS });
        const corrected = tooLow(newest, newest.length < VERIFIED_PLAYS, flights, parts.countPlay);
        if (corrected.length > 0) {
          for (const counters of corrected) flights.set(counters.flightId, counters);
          report = { ...report, correctedFlights: report.correctedFlights + corrected.length };
          log.error('counters fell short of the stored plays; they were corrected', {
            flights: corrected.length,
          });
          await storeFromMemory();
        }
        return corrected;
      }),

    writeSnapshot,
    ranMs,

    movePlays: (move) =>
      moves.alone(async () => {
        const { after, by } = move;
        for (const fallen of openPlays.values()) fallen.push(move);
        if (lastPlayAt !== null && lastPlayAt > after) lastPlayAt += by;
        await storeMove(parts, { environment, id: parts.newId(), after, by, ranMs: ranMs() }, move);
        changedSinceSnapshot = true;
        for (const counters of move.flights) flights.set(counters.flightId, counters);
        for (const entry of move.recency) recency.set(entry.key, entry);
        // The journal's entries are from before.
        writeSnapshot().catch((fault: unknown) => log.warn('the snapshot could not be written', { fault }));
      }),

    async storePlaylist(next) {
      if (!(await playlistStore.storePlaylist(next))) return false;
      playlist = next;
      files
        .writePlaylist(environment, next)
        .catch((fault: unknown) => log.warn('the playlist could not be copied', { fault }));
      return true;
    },
    async renewPlaylist(receivedAt) {
      await playlistStore.renewPlaylist(receivedAt);
      playlist = playlist && { ...playlist, receivedAt };
    },

    report: () => report,
    counters: (flightId) => (flightId === null ? null : (flights.get(flightId) ?? null)),
    playCount: () => playCount,
    lastPlayAt: () => lastPlayAt,
    snapshotAt: () => snapshotAt,

    async run<C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
      if (command === 'reservePlay')
        return (await moves.between(() => reserve(input as RecordsInput<'reservePlay'>))) as RecordsOutput<C>;
      if (command === 'settlePlay')
        return (await moves.between(() => settle(input as RecordsInput<'settlePlay'>))) as RecordsOutput<C>;
      // A recount has to suit counters that have moved already: the decider moves them first.
      if (command === 'flightPlays') await moves.over();
      const output = await records.run(command, input);
      follow(command, input);
      if (command === 'prunePlays') playCount -= output as number;
      return output;
    },
  };
}

/**
 * What the snapshot and its journal know that the stored books do not, or null.
 * A flight's total never shrinks in the books but for plays given back, of which
 * at most one was open: so a smaller total than the snapshot's is a loss.
 */
function whatWasLost(
  stored: StoredBooks,
  snapshot: BooksSnapshot,
  journal: readonly JournalEntry[],
  countPlay: BooksParts['countPlay'],
): { plays: number; flights: FlightCounters[] } | null {
  const known = new Map(stored.flights.map((counters) => [counters.flightId, counters]));
  const kept = new Map(snapshot.flights.map((counters) => [counters.flightId, counters]));
  const isLoss = snapshot.flights.some(
    (counters) => (known.get(counters.flightId)?.total ?? 0) < counters.total - 1,
  );
  const isEmpty = snapshot.playCount + journal.length > 0 && stored.playCount === 0;
  if (!isLoss && !isEmpty) return null;
  for (const { flightId, at } of journal) {
    if (flightId !== null) kept.set(flightId, countPlay(kept.get(flightId) ?? null, flightId, at));
  }
  const flights = [...kept.values()].filter(
    (counters) => (known.get(counters.flightId)?.total ?? 0) < counters.total,
  );
  return { plays: Math.max(0, snapshot.playCount + journal.length - stored.playCount), flights };
}

/**
 * Counters that hold fewer plays than are stored since the first whole hour that
 * `newest` (newest first) covers, brought up to them. `complete`: these are all.
 */
function tooLow(
  newest: readonly Play[],
  complete: boolean,
  flights: ReadonlyMap<string, FlightCounters>,
  countPlay: BooksParts['countPlay'],
): FlightCounters[] {
  const oldest = newest.at(-1)?.at ?? 0;
  const fromHour = complete ? Number.NEGATIVE_INFINITY : Math.floor(oldest / HOUR_MS) + 1;
  const byFlight = new Map<string, number[]>();
  for (const { flightId, outcome, at } of newest) {
    if (flightId === null || outcome === 'given-back' || Math.floor(at / HOUR_MS) < fromHour) continue;
    byFlight.set(flightId, [...(byFlight.get(flightId) ?? []), at]);
  }
  return [...byFlight].flatMap(
    ([flightId, plays]) => raised(flights.get(flightId) ?? null, flightId, plays, countPlay) ?? [],
  );
}

/**
 * The counters with those plays counted that theirs do not account for; null when all are.
 * From every hour on there are at least as many counted as stored: a play that was moved
 * without its time being known counts from a later hour than its own (`movePlays`).
 */
function raised(
  counters: FlightCounters | null,
  flightId: string,
  plays: readonly number[],
  countPlay: BooksParts['countPlay'],
): FlightCounters | null {
  const droppedTo = counters?.hoursDroppedTo ?? Number.NEGATIVE_INFINITY;
  const counted = (counters?.hours ?? []).map(
    (hour, index) => [hour, counters?.hourPlays[index] ?? 0] as const,
  );
  let corrected: FlightCounters | null = null;
  let [stored, added] = [0, 0];
  for (const at of [...plays].sort((a, b) => b - a)) {
    const hour = Math.floor(at / HOUR_MS);
    if (hour <= droppedTo) break;
    stored += 1;
    const from = counted.reduce((sum, [other, of]) => (other >= hour ? sum + of : sum), added);
    if (from >= stored) continue;
    added += 1;
    corrected = countPlay(corrected ?? counters, flightId, at);
  }
  return corrected;
}

/** When a play on the screen was shown, by the clock as it was set since. */
function movedTime(shownAt: number, moves: readonly PlaysMoved[], now: number): number {
  return moves.reduce((at, { by, now: from }) => {
    // A play lasts seconds, and no move is so short: what lies behind it is from before.
    const isFromBefore = by > 0 ? at < from : at > now;
    return isFromBefore ? at + by : at;
  }, shownAt);
}
