import { z } from 'zod';
import { Ad } from './ad';
import { Beacon, BeaconProgress, BeaconState } from './beacon';
import { DecidingBooks, FlightCounters, RecencyEntry, SourceMixState } from './books';
import { plain } from './plain';
import { Play, Settlement } from './play';
import { PlayCursor, PlayReport, ProvenPlay } from './play-report';
import { SequencePosition, sequenceCommands } from './proof-sequence';
import type { RpcContract } from './rpc';

/** The playlist that is stored for the next start. */
export const StoredPlaylist = z.object({
  ads: z.array(Ad),
  /** When the last good answer came, ms since the epoch (an unchanged answer renews it, rule 3). */
  receivedAt: plain.number,
  etag: plain.textOrNull,
  lastModified: plain.textOrNull,
});
export type StoredPlaylist = z.infer<typeof StoredPlaylist>;

/** Most ads in one command: the records window stores them in about 5 ms. */
export const MAX_ADS_AT_ONCE = 100;

/** Most counters in one message: main copies them in about 2 ms (rule 31). */
export const MAX_COUNTERS_AT_ONCE = 200;

/** Most beacons that one command stores; a longer list is sent in several. */
const MAX_BEACONS_AT_ONCE = 1_000;
/** Most hosts with waiting beacons that one answer names. */
export const MAX_HOSTS_AT_ONCE = 200;

const environment = z.string().min(1).max(200);
const nothing = z.null();
/** By time; plays of the same time by their ids. */
const order = z.enum(['oldest-first', 'newest-first']);

/** The whole state of one environment's books, small enough to load at every start. */
export const StoredBooks = DecidingBooks.extend({
  /** Null also where it cannot be read: a newer version may have stored it. The service sends another. */
  playlist: StoredPlaylist.nullable().catch(null),
  /** A playlist is stored, whether or not it can be read. */
  hasPlaylist: z.literal(true).exactOptional(),
  /** The latest time of any play, or null without plays (rule 10). */
  lastPlayAt: plain.numberOrNull,
  playCount: plain.count,
  /** How long the kiosk has run in all, ms (rule 10); absent: not known. */
  ranMs: plain.number.exactOptional(),
  /** Reservations, of all books, that were never settled and are now `unknown`; they count (rule 8). */
  unsettled: plain.count,
  /** The last number of the sequence of settled plays (rule 27), which shows whether the database went back. */
  sequence: SequencePosition.exactOptional(),
  /** A move of plays that an earlier run began: `movePlays` with these values ends it. `lastPlayAt` is as after it. */
  moving: z.object({ id: plain.text, after: plain.number, by: plain.number }).exactOptional(),
});
export type StoredBooks = z.infer<typeof StoredBooks>;

/** Everything a reservation changes, stored in one transaction with the play. */
const bookkeeping = {
  flight: FlightCounters.nullable(),
  recency: RecencyEntry.nullable(),
  sourceMix: SourceMixState.nullable(),
};

/** Names the command that stores parts, and how many were sent before. */
const sentParts = { id: z.string().min(1), parts: plain.count };

/**
 * The commands of the records window, by which main reads and writes the database. They are domain commands, never
 * table operations, because a transaction cannot span messages. Every command is acknowledged after its transaction is
 * durable.
 */
export const recordsCommands = {
  /**
   * Opens the books of an environment; settles the plays that an earlier run left as `reserved`, in whatever books,
   * except for `stillOpen`. With `countsOnly` the answer has neither playlist nor counters nor recency: main knows them,
   * and ten thousand of each hold it for a third of a second (rule 31).
   */
  openBooks: {
    input: z.object({
      environment,
      stillOpen: z.array(plain.text),
      countsOnly: z.literal(true).exactOptional(),
    }),
    output: StoredBooks,
  },
  /** The names of all books that were ever opened. Answers only when both the window and its database work. */
  bookNames: { input: z.object({}), output: z.array(environment) },
  /** Holds a part of what the command with the same `id` will store, in memory, and only for the latest `id`. */
  keepPart: {
    input: z.object({
      id: sentParts.id,
      part: plain.count,
      flights: z.array(FlightCounters).max(MAX_COUNTERS_AT_ONCE),
      recency: z.array(RecencyEntry).max(MAX_COUNTERS_AT_ONCE),
    }),
    output: nothing,
  },
  /**
   * Stores counters and recency without a play, for example from a snapshot (rule 25): those of the `parts` sent before.
   * A conflict when one of them is missing. Replaces what is stored under the same keys. `sourceMix` null: it stays.
   */
  restoreBooks: {
    input: DecidingBooks.pick({ sourceMix: true }).extend({ environment, ...sentParts }),
    output: nothing,
  },
  /** Which of these plays are not stored. */
  missingPlays: { input: z.object({ ids: z.array(plain.text) }), output: z.array(plain.text) },
  /**
   * Stores some ads of a new playlist beside the stored one: few at once, so that no reservation waits for ten
   * thousand.
   */
  storeAds: {
    input: z.object({
      environment,
      /** Distinguishes one playlist from another. */
      version: z.string().min(1),
      part: plain.count,
      ads: z.array(Ad).max(MAX_ADS_AT_ONCE),
    }),
    output: nothing,
  },
  /**
   * Replaces the stored playlist in one step (rule 3) by the parts stored before; a conflict when one is missing. Deletes
   * the parts of all others.
   */
  storePlaylist: {
    input: StoredPlaylist.omit({ ads: true }).extend({
      environment,
      version: z.string().min(1),
      parts: plain.count,
    }),
    output: nothing,
  },
  /** The service's answer was unchanged: renews only the time of the stored playlist. */
  renewPlaylist: { input: z.object({ environment, receivedAt: plain.number }), output: nothing },
  /** Stores a play durably before its first frame (rule 8). A conflict when the play's id exists. */
  reservePlay: {
    input: z.object({ play: Play, ...bookkeeping, ranMs: plain.number.exactOptional() }),
    output: nothing,
  },
  /**
   * Settles a play once and stores its changes to the books; returns its number in the sequence (rule 27). Settling
   * again changes nothing and returns null.
   */
  settlePlay: {
    input: z.object({
      id: plain.text,
      settlement: Settlement,
      ...bookkeeping,
      /** When it settled, ms since the epoch; absent: as it was reserved. */
      now: plain.number.exactOptional(),
    }),
    output: SequencePosition.nullable(),
  },
  /**
   * Moves some of the plays stamped after `after` by `by` ms, because the clock was set (rule 10). Returns whether plays
   * are left: then call it again, and store none before. The first call of an `id` stores the counters and recency of
   * the `parts` sent before; a conflict when one of them is missing. Once no play is left, the same `id` changes nothing,
   * for a caller whose answer was lost.
   */
  movePlays: {
    input: z.object({
      environment,
      ...sentParts,
      after: plain.number,
      by: plain.number,
      ranMs: plain.number,
    }),
    output: plain.yesOrNo,
  },
  /**
   * When flights played, page by page in the order of time; `next` null: this is the last page. Reads `limit` rows; leaves
   * out plays that do not count: those without a flight, and void ones.
   */
  countedPlays: {
    input: z.object({ environment, after: PlayCursor.nullable(), order, limit: z.int().min(1).max(10_000) }),
    output: z.object({
      plays: z.array(z.object({ flightId: plain.text, at: plain.number })),
      next: PlayCursor.nullable(),
    }),
  },
  /** Deletes the recency of creatives under these keys (rule 9). */
  forgetRecency: { input: z.object({ environment, keys: z.array(plain.text) }), output: nothing },
  /**
   * Deletes plays older than `before` and their results, at most `limit` in one step, never the newest `keep`; returns
   * how many by environment. With `keepUnsent`, undelivered plays stay until there are this many more than `keep`; then the oldest
   * ones are deleted, and their numbers are listed as dropped.
   */
  prunePlays: {
    input: z.object({
      before: plain.number,
      keep: plain.count,
      keepUnsent: plain.count.exactOptional(),
      limit: z.int().min(1),
    }),
    output: z.record(environment, z.int().min(1)),
  },
  /**
   * Opens the outbox of all environments: beacons that an earlier run left as `sending` become `unknown`, except for
   * `stillSending` (rules 15 and 16).
   */
  openOutbox: {
    input: z.object({ now: plain.number, stillSending: z.array(plain.text) }),
    output: z.object({
      /** Beacons that have not ended, without those of `stillSending`. */
      pending: plain.count,
      /** Sends that a crash interrupted. */
      interrupted: plain.count,
    }),
  },
  /**
   * Hosts with waiting beacons, each with its earliest due time: at most `MAX_HOSTS_AT_ONCE`, in the order of their
   * names, after `after`. A beacon that never stepped aside is due by `now`.
   */
  waitingHosts: {
    input: z.object({ after: plain.text, now: plain.number }),
    output: z.array(z.object({ host: plain.text, dueAt: plain.number })),
  },
  /** Stores beacons before their first try (rule 15). Known ones stay as they are; returns how many were new. */
  storeBeacons: {
    input: z.object({ beacons: z.array(Beacon).max(MAX_BEACONS_AT_ONCE) }),
    output: plain.count,
  },
  /**
   * Confirms an instance once for ever (rule 16), and stores its beacons, or the first of very many, with it. False: it
   * was confirmed before, and nothing was changed. The same `by` gets the same answer again, for a caller whose answer
   * was lost.
   */
  confirmOnce: {
    input: z.object({
      instance: z.string().min(1).max(200),
      kind: z.string().min(1).max(100),
      by: z.string().min(1),
      at: plain.number,
      beacons: z.array(Beacon).max(MAX_BEACONS_AT_ONCE),
    }),
    output: plain.yesOrNo,
  },
  /** Marks beacons before a send that must not be repeated blindly; returns which of them may be sent. */
  startSending: { input: z.object({ ids: z.array(plain.text) }), output: z.array(plain.text) },
  /** Stores what tries have changed. A beacon that has ended stays as it is. */
  settleBeacons: {
    input: z.object({ settled: z.array(BeaconProgress.extend({ id: plain.text })) }),
    output: nothing,
  },
  /**
   * A host's oldest due beacon, except for those `inHand`, and when the next one after it is due (null: none waits).
   * Those that expire within an hour come first, so that confirmations do not wait behind weeks of proof of play. The
   * clock may have been set back since: a beacon that never stepped aside is due at any time, and so is one due later
   * than `farAhead`. `onlyRun`: confirmations of other runs are passed over until they expire, because without trusted
   * time nobody knows how old they are.
   */
  dueBeacon: {
    input: z.object({
      host: plain.text,
      now: plain.number,
      farAhead: plain.number,
      inHand: z.array(plain.text),
      onlyRun: plain.text.exactOptional(),
    }),
    output: z.object({ due: Beacon.nullable(), nextDueAt: plain.numberOrNull }),
  },
  /**
   * Ends at most `limit` waiting beacons: those past their time, then those beyond `keep` or beyond `keepBytes` of
   * `beaconBytes` in all, as `beaconsToDrop` chooses them; returns how many. `keepsLate`: those past their time stay.
   */
  expireBeacons: {
    input: z.object({
      now: plain.number,
      keepsLate: plain.yesOrNo.optional(),
      keep: plain.count,
      keepBytes: plain.count,
      inHand: z.array(plain.text),
      limit: z.int().min(1).max(10_000),
    }),
    output: plain.count,
  },
  /**
   * Ends at most `limit` waiting beacons of events before `before` as `unknown`, because the machine that this disk was
   * copied from sends them; returns how many.
   */
  forgetBeacons: {
    input: z.object({ now: plain.number, before: plain.number, limit: z.int().min(1).max(10_000) }),
    output: plain.count,
  },
  /**
   * Ends at most `limit` of the waiting beacons that may be sent `once` as `unknown`, because a database that went back
   * does not know whether they were sent since; returns how many. They are found by the confirmed events, `lastMs`
   * after which they expire.
   */
  endConfirmations: {
    input: z.object({ now: plain.number, lastMs: plain.count, limit: z.int().min(1).max(10_000) }),
    output: plain.count,
  },
  /** Deletes at most `limit` each of ended beacons and confirmations from before the given times. */
  pruneBeacons: {
    input: z.object({
      endedBefore: plain.number,
      /** Most ended beacons that are stored, however young they are. */
      keepEnded: plain.count,
      confirmedBefore: plain.number,
      limit: z.int().min(1).max(10_000),
    }),
    output: plain.count,
  },
  /**
   * Plays of a period (`from` ≤ time < `to`) with their beacons, page by page in the order of their time; `next` null:
   * this is the last page. `moves` names the moves of plays so far and their steps: where it differs between two pages,
   * plays may be missing in both, or be in both. Null: some plays of a move have their old time still.
   */
  provePlays: {
    input: z.object({
      environment: environment.nullable(),
      from: plain.number,
      to: plain.number,
      after: PlayCursor.nullable(),
      order,
      limit: z.int().min(1).max(1_000),
    }),
    output: z.object({
      plays: z.array(ProvenPlay),
      next: PlayCursor.nullable(),
      moves: plain.textOrNull,
    }),
  },
  /**
   * Totals of the plays of a period. Null: many of them were never counted, for example after an upgrade. Each call
   * counts some hours, until about `limit` plays are read; `done` is the share that is counted, 0 to 1.
   */
  reportPlays: {
    input: z.object({
      environment,
      from: plain.number,
      to: plain.number,
      limit: z.int().min(1).max(100_000),
    }),
    output: z.object({
      report: PlayReport.nullable(),
      done: z.number().min(0).max(1),
    }),
  },
  /** Stored beacons, all of them open or all ended: open ones in the order in which they are due, else latest first. */
  listBeacons: {
    input: z.object({
      states: z.array(BeaconState).min(1).max(6),
      limit: z.int().min(1).max(200),
    }),
    output: z.array(Beacon),
  },
  ...sequenceCommands,
} as const satisfies RpcContract['calls'];

export type RecordsCommand = keyof typeof recordsCommands;
export type RecordsInput<C extends RecordsCommand> = z.infer<(typeof recordsCommands)[C]['input']>;
export type RecordsOutput<C extends RecordsCommand> = z.infer<(typeof recordsCommands)[C]['output']>;

/**
 * Why a command failed. `storage`: an error of the disk or the database; `conflict`: it would break a rule of the
 * books.
 */
export const RecordsErrorCode = z.enum(['invalid', 'conflict', 'storage', 'unknown-command']);
export type RecordsErrorCode = z.infer<typeof RecordsErrorCode>;

/** Main is the client, the records window the server. */
export const recordsContract = {
  calls: recordsCommands,
  errorCode: RecordsErrorCode,
  fromClient: {},
  fromServer: {
    /** Chromium has closed the database, and this window does not open it again. */
    databaseClosed: nothing,
  },
} as const satisfies RpcContract;

export type RecordsCommands = {
  [C in RecordsCommand]: (input: RecordsInput<C>) => Promise<RecordsOutput<C>>;
};
