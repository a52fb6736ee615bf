import type { DecidingBooks } from '../../shared/books';
import { type Clock, instant } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { SequencePosition } from '../../shared/proof-sequence';
import type { StoredBooks, StoredPlaylist } from '../../shared/records';
import { retentionMs } from '../beacons/delivery-policy';
import type { BooksMirror } from './books-mirror';
import { lostCounts } from './missing-counts';
import type { Records } from './records-client';
import { sendParts } from './send-in-parts';
import type { BooksSnapshot, KeptBooks, SnapshotFiles } from './snapshot';

export interface LossParts {
  readonly records: Records;
  readonly files: SnapshotFiles;
  readonly environment: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
}

/** Most that are ended in one transaction: with thousands the records window would answer too late. */
const MAX_CONFIRMATIONS_AT_ONCE = 200;

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

/**
 * Restores from memory and snapshot what the database lost, and counts it.
 *
 * @param storePlaylist stores the playlist of the mirror again
 */
export function createBooksLosses(parts: LossParts, mirror: BooksMirror, storePlaylist: () => Promise<void>) {
  const { records, files, environment, clock, log } = parts;
  const report = { ...NOTHING_LOST };

  /** Stores counters and recency without a play, all of them or none. */
  async function storeBooks({ sourceMix, ...counters }: DecidingBooks): Promise<void> {
    const id = parts.newId();
    const sent = await sendParts(records, id, counters);
    await records.run('restoreBooks', { environment, id, parts: sent, sourceMix });
  }

  async function storeFromMemory(): Promise<void> {
    await storeBooks(mirror.state());
    // In parts and without waiting, because decisions are made from memory.
    storePlaylist().catch((error: unknown) => log.error('the playlist could not be stored again', { error }));
  }

  /**
   * Stores corrected counters, and notes whether they still have to be stored. Never rejects.
   * @param isCheckDue whether decisions have still to be compared with the stored plays
   */
  async function storeCorrected(isCheckDue = false): Promise<void> {
    mirror.isUnsure = true;
    try {
      await storeFromMemory();
      mirror.isUnsure = isCheckDue;
    } catch (error) {
      log.error('the corrected counters could not be stored', { error });
    }
  }

  /** Call it before the counters are stored: afterwards the loss can no longer be found. */
  async function endConfirmations(): Promise<void> {
    const input = { now: clock.now(), lastMs: retentionMs('once'), limit: MAX_CONFIRMATIONS_AT_ONCE };
    let beacons = 0;
    for (let ended = MAX_CONFIRMATIONS_AT_ONCE; ended === MAX_CONFIRMATIONS_AT_ONCE; beacons += ended)
      ended = await records.run('endConfirmations', input);
    if (beacons > 0)
      log.warn('confirmations that wait are not sent: the database does not know whether they were', {
        beacons,
      });
  }

  /**
   * After a loss, begins a new epoch: numbers that the lost part of the database gave must not be given again
   * (rule 27). Call it before the counters are stored: afterwards the loss can no longer be found, should either fail.
   */
  async function beginEpochAfter(
    isLoss: boolean,
    stored: StoredBooks,
    known: SequencePosition | null,
  ): Promise<void> {
    const found = foundPosition(stored);
    if (!found || !(isLoss || isBehind(found, known))) return;
    const now = Math.max(clock.now(), (known?.epoch ?? 0) + 1);
    const { epoch } = await records.run('beginEpoch', { now, forgetWaiting: false });
    const about = { epoch, sequence: found, known };
    log.error('the database is older than the snapshot; its plays are numbered in a new epoch', about);
    mirror.sequence = { epoch, seq: 0 };
  }

  async function copiedPlaylist({ playlistAt = 0 }: BooksSnapshot): Promise<StoredPlaylist | null> {
    const copy = await files.readPlaylist(environment);
    return copy && { ...copy, receivedAt: Math.max(copy.receivedAt, playlistAt) };
  }

  /** What the books lost before they were opened as `stored`, compared with the snapshot and its journal; null: nothing. */
  async function lossOf(stored: StoredBooks, { snapshot, journal }: KeptBooks) {
    // A reservation is journalled after its transaction, so the database had all of them.
    const ids = journal.map(({ id }) => id);
    const gone = ids.length === 0 ? [] : await records.run('missingPlays', { ids });
    const wentBack = gone.length > 0 || isBehind(foundPosition(stored), snapshot.sequence ?? null);
    const lost = lostCounts(stored, snapshot, journal, wentBack);
    return lost && { ...lost, fromJournal: gone.length };
  }

  /** Restores what the stored books lost, as far as the snapshot and its journal still have it. */
  async function restore(stored: StoredBooks, kept: KeptBooks): Promise<void> {
    const { snapshot } = kept;
    const lost = await lossOf(stored, kept);
    if (lost) await endConfirmations();
    await beginEpochAfter(lost !== null, stored, snapshot.sequence ?? null);
    mirror.playlist ??= await copiedPlaylist(snapshot);
    if (!lost) return;
    mirror.restore(snapshot, lost.flights);
    report.lostPlays = lost.plays;
    report.restoredFlights = lost.flights.length;
    report.restoredFromJournal = lost.fromJournal;
    report.restoredFrom = snapshot.at;
    log.error('the stored books had lost data; they were restored from the last snapshot', {
      ...report,
      restoredFrom: instant(snapshot.at),
    });
    await storeFromMemory();
  }

  /** Plays that a restarted records window no longer has. */
  function noteLost(plays: number): void {
    report.lostPlays += plays;
    log.error('the records window came back without all of its plays', { lostPlays: plays });
  }

  return { lossOf, restore, noteLost, beginEpochAfter, storeBooks, storeCorrected, report };
}

/** The last number that the database had when it was opened, before its open plays were settled. */
const foundPosition = ({ sequence, unsettled }: StoredBooks): SequencePosition | null =>
  sequence ? { ...sequence, seq: sequence.seq - unsettled } : null;

/** Whether the database is behind a number that was given before. */
const isBehind = (stored: SequencePosition | null, known: SequencePosition | null): boolean =>
  stored !== null &&
  known !== null &&
  (stored.epoch < known.epoch || (stored.epoch === known.epoch && stored.seq < known.seq));
