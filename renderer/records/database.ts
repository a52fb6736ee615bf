import { Dexie, type EntityTable, type Table } from 'dexie';
import type { Play } from '../../shared/play';
import type { SetAsideSegment, StoredSegment } from '../../shared/proof-sequence';
import type { StoredPlaylist } from '../../shared/records';
import {
  type BeaconRow,
  type ConfirmationRow,
  type EnvironmentRow,
  type EpochRow,
  type FlightRow,
  type HourTotalsRow,
  newEpoch,
  type OutboxSizeRow,
  type PlayBeaconsRow,
  type PlaylistAdsRow,
  type PlaylistRow,
  type RecencyRow,
  type SequenceEntryRow,
} from './rows';

/** A command that would break a rule of the books; nothing was changed. */
export class BooksConflict extends Error {}

/** A pending segment, or one that is set aside. */
export type SegmentRow = StoredSegment | SetAsideSegment;
export const isSetAside = (row: SegmentRow) => 'since' in row;

/** The bytes of a segment. They have a table of their own, because the facts are read without them. */
export type SegmentBodyRow = Pick<StoredSegment, 'epoch' | 'first'> & { bytes: Uint8Array };

export interface RecordsDatabase extends Dexie {
  environments: EntityTable<EnvironmentRow, 'key'>;
  playlists: EntityTable<PlaylistRow, 'environment'>;
  playlistAds: Table<PlaylistAdsRow, [string, string, number]>;
  plays: EntityTable<Play, 'id'>;
  flights: Table<FlightRow, [string, string]>;
  recency: Table<RecencyRow, [string, string]>;
  beacons: EntityTable<BeaconRow, 'sequence'>;
  confirmations: Table<ConfirmationRow, [string, string]>;
  playBeacons: EntityTable<PlayBeaconsRow, 'playId'>;
  outboxSize: EntityTable<OutboxSizeRow, 'key'>;
  hourTotals: Table<HourTotalsRow, [string, number, string]>;
  sequences: EntityTable<EpochRow, 'epoch'>;
  sequenceEntries: Table<SequenceEntryRow, [number, number]>;
  segments: Table<SegmentRow, [number, number]>;
  segmentBodies: Table<SegmentBodyRow, [number, number]>;
  /**
   * Up to which number the rows of each epoch were read for a segment that is not stored yet. Only the reader that makes
   * the segment knows these rows, so the numbers are held here, in memory, and reading writes nothing. When they are
   * forgotten or the window dies, `readSequence` and `storeSegment` reject the reader's rows, and the reader begins again
   * after the last stored segment.
   */
  readonly rowsRead: Map<number, number>;
  /** Runs work in the queue of the database's transactions; a transaction inside that work would wait for itself. */
  readonly inTurn: InTurn;
  /**
   * Runs work as a writing transaction. It takes all tables, so writers wait for each other, whatever they touch: when
   * a process is killed while two of them are under way, Chromium (148 at least) finds at the next start that both held
   * the database's own lock, treats that as corruption, and deletes the database.
   */
  readonly write: InTurn;
}

/** The rows whose compound `index` begins with these keys. */
export function beginningWith<Row, Key, Insert>(
  table: Table<Row, Key, Insert>,
  index: string,
  ...keys: string[]
) {
  return table.where(index).between([...keys, Dexie.minKey], [...keys, Dexie.maxKey]);
}

/**
 * The rows whose `index` is one of these keys, in the order of the keys. Queries the keys in parallel, because a
 * reservation may wait for them and a query for several keys handles them one after the other.
 */
export async function withKeys<Row, Key, Insert>(
  table: Table<Row, Key, Insert>,
  index: string,
  keys: readonly string[],
): Promise<Row[]> {
  const found = await Promise.all(keys.map((key) => table.where(index).equals(key).toArray()));
  return found.flat();
}

/**
 * Opens (and where needed upgrades) the database. The name and the origin it
 * lives under are the data's identity: never change either. A new version is
 * added below the older ones, which stay as they are. It builds no index over a
 * table that may have a million rows: that takes 19 µs a row and more, main
 * replaces a window that does not answer within 15 s, and each start would begin
 * again. A version that needs one must first have main wait for the upgrade.
 *
 * Durability is strict: an acknowledged transaction has reached the disk, or a
 * cap could be exceeded after a power cut (rule 8).
 */
export function openDatabase(name = 'endcap'): RecordsDatabase {
  const dexie = new Dexie(name, { chromeTransactionDurability: 'strict' });
  const inTurn = oneAtATime(dexie);
  const write: InTurn = (work) => dexie.transaction('rw', dexie.tables, work);
  const rowsRead = new Map<number, number>();
  const database = Object.assign(dexie, { rowsRead, inTurn, write }) as RecordsDatabase;
  // They serve live queries, which are not used here, and cost a fifth of each writing transaction.
  for (const name of ['Observability', 'Cache']) database.unuse({ stack: 'dbcore', name });
  database.on('close', () => rowsRead.clear());
  database.version(1).stores({
    environments: '&key',
    playlists: '&environment',
    plays: '&id, at, [environment+at], [environment+outcome]',
    flights: '&[environment+flightId]',
    recency: '&[environment+key]',
  });
  database.version(2).stores({
    beacons: '++sequence, &id, [state+host+dueAt], [state+expiresAt], finishedAt',
    confirmations: '&[instance+kind], at',
    playBeacons: '&playId, at',
    outboxSize: '&key',
  });
  database.version(3).stores({
    playTotals: '&[environment+span+start], recountAt',
    countedPeriods: '&environment',
  });
  database
    .version(4)
    .stores({ playlistAds: '&[environment+version+part]' })
    .upgrade(async (transaction) => {
      type Whole = StoredPlaylist & { environment: string };
      const whole: Whole[] = await transaction.table('playlists').toArray();
      for (const { ads, ...rest } of whole) {
        const version = 'whole';
        const { environment } = rest;
        await transaction.table('playlistAds').put({ environment, version, part: 0, ads });
        await transaction.table('playlists').put({ ...rest, version, parts: 1 });
      }
    });
  // Pending beacons of older versions get no holder: they are sent or expire, but are never dropped. To rewrite those of
  // weeks without network would hold up the start until it is given up, and each next one as well.
  database.version(5).stores({
    beacons: '++sequence, &id, [state+host+dueAt], [state+expiresAt], finishedAt, [holder+expiresAt]',
    playBeacons: '&playId, at, pendingBytes',
  });
  // The totals of older versions are deleted; a report counts those hours again.
  database.version(6).stores({
    playTotals: null,
    countedPeriods: null,
    hourTotals: '&[environment+hour+origin]',
  });
  // Plays of older versions are numbered in the background: a million of them must not hold up the start.
  database
    .version(7)
    .stores({
      sequences: '&epoch',
      sequenceEntries: '&[epoch+seq], playId',
      segments: '&[epoch+first]',
      segmentBodies: '&[epoch+first]',
    })
    .upgrade(async (transaction) => {
      await transaction.table<EpochRow>('sequences').put({ ...newEpoch(0), numberedTo: null });
    });
  return database;
}

/**
 * Calls `tell` when Chromium closes the database, after an error of the disk or of the database itself. Then it is not
 * opened again: the error may have torn its log, Chromium would write on after the torn record, and what it writes there
 * is lost at its next opening.
 */
export function stayClosed(database: Dexie, tell: () => void): void {
  database.on('close', () => {
    // Dexie also says so when an opening fails; the next request may try again.
    if (!database.isOpen()) return;
    database.open = () => Dexie.Promise.reject(new Dexie.DatabaseClosedError());
    // After Dexie has closed it to open it again: commands are rejected now, and do not wait for that.
    queueMicrotask(() => database.close());
    tell();
  });
}

/** Runs work when it is its turn; Dexie's transactions that are requested meanwhile wait until it ends. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes the transactions of a database wait for each other here, in the order of their requests; one inside another
 * would wait for itself. Two reasons:
 *
 * - Dexie finds a transaction again after each `await` by counting microtasks, and miscounts when two are under way:
 *   what follows is then stored outside of it, and it ends with `PrematureCommitError`.
 * - A reservation, which a slot waits for, bypasses this queue (`reserveAtOnce`), so it waits for at most one
 *   transaction.
 */
export function oneAtATime(database: Dexie): InTurn {
  const begin = database.transaction.bind(database) as (...input: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn: InTurn = (work) => {
    const turn = last.then(() => Dexie.ignoreTransaction(work));
    last = turn.catch(() => {});
    return turn;
  };
  database.transaction = ((...input: unknown[]) => inTurn(() => begin(...input))) as Dexie['transaction'];
  return inTurn;
}
