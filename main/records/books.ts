import type { FlightCounters } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { SequencePosition } from '../../shared/proof-sequence';
import type { RecordsCommand, RecordsInput, RecordsOutput, Books as StoredBooks } from '../../shared/records';
import { BooksLock } from './books-lock';
import { BooksMirror } from './books-mirror';
import { type CountPlay, lostCounts, tooLow } from './missing-counts';
import { createPlaylistStore, type PlaylistStore } from './playlist-store';
import type { Records } from './records-client';
import { storeMove } from './run-or-repeat';
import type { KeptBooks, SnapshotFiles } from './snapshot';
import { createStoredPlays, type PlaysMoved } from './stored-plays';

export interface BooksParts {
  readonly records: Records;
  readonly files: SnapshotFiles;
  readonly environment: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** Lets other work run; resolves when this work may continue. */
  readonly pause: () => Promise<void>;
  readonly countPlay: CountPlay;
}

/** Plays that `verify` compares: more than a day of a busy kiosk, read in about 20 ms. */
const VERIFIED_PLAYS = 2_000;

const NOTHING_LOST = {
  /** Plays an earlier run reserved and never settled; they count. */
  unsettled: 0,
  /** Play rows that were missing, and flights whose counters were restored. */
  lostPlays: 0,
  restoredFlights: 0,
  /** Reservations that only the journal still had. */
  restoredFromJournal: 0,
  /** Flights whose counters fell short of their stored plays and were corrected. */
  correctedFlights: 0,
  /** Time of the snapshot that was used, ms since the epoch; null: none was needed. */
  restoredFrom: null as number | null,
};
/** What was lost and restored when the books were opened, in numbers (rule 25). */
export type BooksReport = Readonly<typeof NOTHING_LOST>;

export type Books = ReturnType<typeof createBooks>;

/**
 * The books of one environment: the stored ones, a mirror of their state in memory, and a snapshot on disk. What one of
 * them loses is restored from the others; what cannot be restored is reported in numbers.
 */
export function createBooks(parts: BooksParts) {
  const { records, files, environment, clock, log } = parts;
  const mirror = new BooksMirror(clock);
  const openPlays = createStoredPlays(parts, mirror);
  const playlistStore = createPlaylistStore(parts);
  const rewrites = new BooksLock();
  let snapshotAt: number | null = null;
  let report: BooksReport = NOTHING_LOST;

  async function writeSnapshot(): Promise<void> {
    // Carried counts end by running time, which has to be stored even when nothing plays.
    const isCarrying = [...mirror.flights.values()].some(({ carried }) => carried !== undefined);
    if (!mirror.isChanged && !isCarrying) return;
    const at = clock.now();
    mirror.isChanged = false;
    await files.write({
      ...{ version: 1, environment, at, playCount: mirror.playCount, ranMs: mirror.ranMs() },
      ...(mirror.sequence ? { sequence: mirror.sequence } : {}),
      ...mirror.state(),
    });
    snapshotAt = at;
  }

  async function storeFromMemory(): Promise<void> {
    await records.run('restoreBooks', { environment, ...mirror.state() });
    // In parts and without waiting, because decisions are made from memory.
    if (mirror.playlist)
      playlistStore
        .storePlaylist(mirror.playlist)
        .catch((error: unknown) => log.error('the playlist could not be stored again', { error }));
  }

  /**
   * After a loss, begins a new epoch: numbers that the lost part of the database gave must not be given again
   * (rule 27).
   */
  async function beginEpochAfter(
    isLoss: boolean,
    { sequence }: StoredBooks,
    known: SequencePosition | null,
  ): Promise<void> {
    if (!sequence || !(isLoss || (known && isBehind(sequence, known)))) return;
    const now = Math.max(clock.now(), (known?.epoch ?? 0) + 1);
    const { epoch } = await records.run('beginEpoch', { now, forgetWaiting: false });
    const about = { epoch, sequence, known };
    log.error('the database is older than the snapshot; its plays are numbered in a new epoch', about);
    mirror.sequence = { epoch, seq: 0 };
  }

  /** Restores what the stored books lost, as far as the snapshot and its journal still have it. */
  async function restoreLost(stored: StoredBooks, kept: KeptBooks): Promise<void> {
    const lost = lostCounts(stored, kept.snapshot, kept.journal, parts.countPlay);
    if (!lost) return;
    mirror.restore(kept.snapshot, lost.flights);
    mirror.playlist ??= await files.readPlaylist(environment);
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

  async function open(): Promise<StoredBooks> {
    const [stored, kept] = await Promise.all([
      records.run('openBooks', { environment, stillOpen: [] }),
      files.read(environment),
    ]);
    mirror.takeOver(stored);
    report = { ...report, unsettled: stored.unsettled };
    if (kept) {
      await restoreLost(stored, kept);
      await beginEpochAfter(report.restoredFrom !== null, stored, kept.snapshot.sequence ?? null);
    }
    mirror.ranAtLeast(kept?.snapshot.ranMs ?? 0);
    for (const { carried } of mirror.flights.values()) mirror.ranAtLeast(carried?.ran ?? 0);
    snapshotAt = kept?.snapshot.at ?? null;
    // A journal is useless without the snapshot it continues, and the process may be killed within the first minute.
    if (!kept)
      writeSnapshot().catch((error: unknown) =>
        log.warn('the first snapshot could not be written', { error }),
      );
    const { playlist, lastPlayAt } = mirror;
    return { ...stored, ...mirror.state(), playlist, lastPlayAt, ranMs: mirror.ranMs() };
  }

  async function reopen(): Promise<void> {
    const stored = await records.run('openBooks', { environment, stillOpen: openPlays.ids() });
    const missing = Math.max(0, mirror.playCount - stored.playCount);
    if (missing > 0) {
      report = { ...report, lostPlays: report.lostPlays + missing };
      log.error('the records window came back without all of its plays', { lostPlays: missing });
    }
    // Decisions were made from memory, so it is stored again, whether or not anything is missing.
    await storeFromMemory();
    await beginEpochAfter(missing > 0, stored, mirror.sequence);
  }

  async function verify(): Promise<FlightCounters[]> {
    const newest = await records.run('newestPlays', { environment, limit: VERIFIED_PLAYS });
    const corrected = tooLow(newest, newest.length < VERIFIED_PLAYS, mirror.flights, parts.countPlay);
    if (corrected.length === 0) return corrected;
    mirror.keep({ flights: corrected });
    report = { ...report, correctedFlights: report.correctedFlights + corrected.length };
    log.error('counters fell short of the stored plays; they were corrected', { flights: corrected.length });
    await storeFromMemory();
    return corrected;
  }

  async function movePlays(move: PlaysMoved): Promise<void> {
    const { after, by } = move;
    openPlays.moved(move);
    if (mirror.lastPlayAt !== null && mirror.lastPlayAt > after) mirror.lastPlayAt += by;
    await storeMove(parts, { environment, id: parts.newId(), after, by, ranMs: mirror.ranMs() }, move);
    mirror.isChanged = true;
    mirror.keep(move);
    // The journal's entries have the times from before the move.
    writeSnapshot().catch((error: unknown) => log.warn('the snapshot could not be written', { error }));
  }

  /** Runs commands, and applies those that were carried out to memory. */
  async function run<C extends RecordsCommand>(
    command: C,
    input: RecordsInput<C>,
  ): Promise<RecordsOutput<C>> {
    if (command === 'reservePlay') {
      const reservation = input as RecordsInput<'reservePlay'>;
      return (await rewrites.storePlay(() => openPlays.reserve(reservation))) as RecordsOutput<C>;
    }
    if (command === 'settlePlay') {
      const settled = await rewrites.storePlay(() => openPlays.settle(input as RecordsInput<'settlePlay'>));
      if (settled) mirror.noteSettlement();
      return settled as RecordsOutput<C>;
    }
    // A recount must read plays that are already moved, as the decider moves its counters first.
    if (command === 'flightPlays') await rewrites.whenIdle();
    const output = await records.run(command, input);
    mirror.follow(command, input);
    if (command === 'prunePlays') mirror.playCount -= output as number;
    return output;
  }

  return {
    /** Opens them at start; restores what the database lost. */
    open,
    /** The records window came back: stores again from memory what it lost. */
    reopen: () => rewrites.rewrite(reopen),
    /** Compares counters with the newest plays; returns those that were too low, corrected. */
    verify: () => rewrites.rewrite(verify),
    /** Writes the snapshot if anything changed; call it every minute and at the end. */
    writeSnapshot,
    /** How long the kiosk has run in all, ms; the time it was off does not count. */
    ranMs: () => mirror.ranMs(),
    /**
     * Moves the plays stamped after `after` by `by` ms (rule 10) and stores everything else that this changes, in one
     * transaction. If the records window dies meanwhile, the move is repeated, but never made twice.
     */
    movePlays: (move: PlaysMoved) => rewrites.rewrite(() => movePlays(move)),
    ...playlistOf(parts, mirror, playlistStore),
    report: () => report,
    /** A flight's counters; null for an ad without a flight, or one that never played. */
    counters: (flightId: string | null) =>
      flightId === null ? null : (mirror.flights.get(flightId) ?? null),
    playCount: () => mirror.playCount,
    lastPlayAt: () => mirror.lastPlayAt,
    snapshotAt: () => snapshotAt,
    run,
  };
}

/** Whether the database is behind a number that was given before. */
const isBehind = (stored: SequencePosition, known: SequencePosition) =>
  stored.epoch < known.epoch || (stored.epoch === known.epoch && stored.seq < known.seq);

/** Stores the playlist of the books, then takes it into memory and copies it to a file. */
function playlistOf(
  { files, environment, log }: BooksParts,
  mirror: BooksMirror,
  store: PlaylistStore,
): PlaylistStore {
  return {
    async storePlaylist(next) {
      if (!(await store.storePlaylist(next))) return false;
      mirror.playlist = next;
      files
        .writePlaylist(environment, next)
        .catch((error: unknown) => log.warn('the playlist could not be copied', { error }));
      return true;
    },
    async renewPlaylist(receivedAt) {
      await store.renewPlaylist(receivedAt);
      mirror.playlist = mirror.playlist && { ...mirror.playlist, receivedAt };
    },
  };
}
