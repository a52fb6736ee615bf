import { z } from 'zod';
import { Ad } from './ad';
import { Beacon, BeaconProgress, BeaconState, PlayBeacons } from './beacon';
import { FlightCounters, RecencyEntry, SourceMixState } from './books';
import { Play, Settlement } from './play';
import { PlayCursor, PlayReport, ProvenPlay } from './proof-of-play';
import { SequencePosition, sequenceCommands } from './proof-sequence';
import type { RpcContract } from './rpc';

/**
 * The contract between main and the records window: domain commands, never
 * table operations, because a transaction cannot span messages. Every command is
 * acknowledged after its transaction is durable.
 */
export const StoredPlaylist = z.object({
  ads: z.array(Ad),
  /** When the last good answer came, ms since the epoch (an unchanged answer renews it, rule 3). */
  receivedAt: z.number(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});
export type StoredPlaylist = z.infer<typeof StoredPlaylist>;

/** What the records window stores in some 5 ms. */
export const MOST_ADS_AT_ONCE = 100;

/** Counters that main copies into one message in some 2 ms (rule 31). */
export const MOST_MOVED_AT_ONCE = 200;

/** What one command stores; a longer list comes in several. */
const MOST_BEACONS_AT_ONCE = 1_000;
/** Of the hosts for which beacons wait, one answer names so many. */
export const MOST_HOSTS_AT_ONCE = 200;
const WaitingHost = z.object({ host: z.string(), dueAt: z.number() });

const environment = z.string().min(1).max(200);
const nothing = z.null();

/** The whole state of one environment's books, small enough to load at every start. */
export const Books = z.object({
  playlist: StoredPlaylist.nullable(),
  flights: z.array(FlightCounters),
  recency: z.array(RecencyEntry),
  sourceMix: SourceMixState.nullable(),
  /** Latest time any play is stamped with, or null without plays (rule 10). */
  lastPlayAt: z.number().nullable(),
  playCount: z.int().min(0),
  /** How long the kiosk has run in all, ms (rule 10); absent: not known. */
  ranMs: z.number().exactOptional(),
  /** Reservations nobody settled, now `unknown`: they count (rule 8). */
  unsettled: z.int().min(0),
  /** The last number of the sequence of settled plays (rule 27); to see whether the database went back. */
  sequence: SequencePosition.exactOptional(),
});
export type Books = z.infer<typeof Books>;

/** Everything a reservation changes, stored in one transaction with the play. */
const bookkeeping = {
  flight: FlightCounters.nullable(),
  recency: RecencyEntry.nullable(),
  sourceMix: SourceMixState.nullable(),
};

const moveId = z.string().min(1);
/** Some of the counters and recency that a change of the clock moves. */
const movedPart = {
  flights: z.array(FlightCounters).max(MOST_MOVED_AT_ONCE),
  recency: z.array(RecencyEntry).max(MOST_MOVED_AT_ONCE),
};

export const recordsCommands = {
  /** Opens the books of an environment; settles what an earlier run left as `reserved`, but for the plays `stillOpen`. */
  openBooks: { input: z.object({ environment, stillOpen: z.array(z.string()) }), output: Books },
  /** The names of all books that were ever opened. */
  bookNames: { input: z.object({}), output: z.array(environment) },
  /** Brings back what a snapshot kept of books that were lost, but for the playlist; what is stored under the same keys is replaced (rule 25). */
  restoreBooks: {
    input: z.object({
      environment,
      flights: z.array(FlightCounters),
      recency: z.array(RecencyEntry),
      sourceMix: SourceMixState.nullable(),
    }),
    output: nothing,
  },
  /** The newest plays of an environment, newest first: to check counters against in bounded time. */
  newestPlays: {
    input: z.object({ environment, limit: z.int().min(1).max(10_000) }),
    output: z.array(Play),
  },
  /** Some ads of a playlist on its way in, beside the stored one: few at once, so that no reservation waits for ten thousand. */
  storeAds: {
    input: z.object({
      environment,
      /** Tells one playlist from another. */
      version: z.string().min(1),
      part: z.int().min(0),
      ads: z.array(Ad).max(MOST_ADS_AT_ONCE),
    }),
    output: nothing,
  },
  /** Replaces the stored playlist in one step (rule 3) by the parts stored before; a conflict when one is missing. */
  storePlaylist: {
    input: StoredPlaylist.omit({ ads: true }).extend({
      environment,
      version: z.string().min(1),
      parts: z.int().min(0),
    }),
    output: nothing,
  },
  /** Drops at most `limit` parts that are not of the stored playlist; answers how many. */
  dropAds: {
    input: z.object({ environment, limit: z.int().min(1) }),
    output: z.int().min(0),
  },
  /** An unchanged answer: only its time and validators are renewed. */
  renewPlaylist: { input: z.object({ environment, receivedAt: z.number() }), output: nothing },
  /** Rule 8: durable before the first frame. Rejects a play id that exists. */
  reservePlay: {
    input: z.object({ play: Play, ...bookkeeping, ranMs: z.number().exactOptional() }),
    output: nothing,
  },
  /** Settles once; settling again changes nothing and answers false. `given-back` brings the books as before the play. */
  settlePlay: {
    input: z.object({
      id: z.string(),
      settlement: Settlement,
      ...bookkeeping,
      /** When it settled, ms since the epoch; absent: as it was reserved. */
      now: z.number().exactOptional(),
    }),
    output: z.boolean(),
  },
  /** A part of what `movePlays` of the same `id` will store. The window keeps it in memory, of the latest `id` alone. */
  keepMovedPart: {
    input: z.object({ id: moveId, part: z.int().min(0), ...movedPart }),
    output: nothing,
  },
  /**
   * Rule 10: the clock was set, and plays stamped after `after` move by `by` ms, with all that
   * is kept of them: what is in `parts` kept before, and in this command. A conflict when one of
   * those is missing. The same `id` again changes nothing, for a caller whose answer was lost.
   */
  movePlays: {
    input: z.object({
      environment,
      id: moveId,
      after: z.number(),
      by: z.number(),
      /** Absent: none. */
      parts: z.int().min(0).exactOptional(),
      ...movedPart,
      ranMs: z.number(),
    }),
    output: nothing,
  },
  /** Stores counters that were made smaller without a play (flights unseen for long). */
  storeFlights: { input: z.object({ environment, flights: z.array(FlightCounters) }), output: nothing },
  /** Plays of a period in order of their time; `after` continues a listing. */
  listPlays: {
    input: z.object({
      environment: environment.nullable(),
      from: z.number(),
      to: z.number(),
      limit: z.int().min(1).max(10_000),
    }),
    output: z.array(Play),
  },
  /** When these flights played, page by page in the order of time; `limit` rows are looked at, and those given back are left out. */
  flightPlays: {
    input: z.object({
      environment,
      flightIds: z.array(z.string()).min(1),
      after: PlayCursor.nullable(),
      limit: z.int().min(1).max(1_000),
    }),
    output: z.object({
      plays: z.array(z.object({ flightId: z.string(), at: z.number() })),
      next: PlayCursor.nullable(),
    }),
  },
  /** Drops what need no longer be known of when a creative last played (rule 9). */
  forgetRecency: { input: z.object({ environment, keys: z.array(z.string()) }), output: nothing },
  /**
   * Drops plays older than `before`, at most `limit` in one step, never the newest `keep`; answers how many.
   * With `keepUnsent`, plays that were not delivered stay, until there are so many more than `keep`; then the
   * first of the sequence go, and their numbers are listed as dropped.
   */
  prunePlays: {
    input: z.object({
      before: z.number(),
      keep: z.int().min(0),
      keepUnsent: z.int().min(0).exactOptional(),
      limit: z.int().min(1),
    }),
    output: z.int().min(0),
  },
  /**
   * Opens the outbox, of all environments: what an earlier run left as `sending`
   * is `unknown` from now on, but for the beacons `stillSending` (rules 15 and 16).
   */
  openOutbox: {
    input: z.object({ now: z.number(), stillSending: z.array(z.string()) }),
    output: z.object({
      /** Where beacons wait, and since when the oldest of each is due: the first `MOST_HOSTS_AT_ONCE` by name. */
      hosts: z.array(WaitingHost),
      /** Beacons that have not ended, those `stillSending` too. */
      pending: z.int().min(0),
      /** Sends that a crash interrupted. */
      interrupted: z.int().min(0),
    }),
  },
  /** Hosts for which beacons wait, at most `MOST_HOSTS_AT_ONCE`, in the order of their names behind `after`. */
  waitingHosts: {
    input: z.object({ after: z.string() }),
    output: z.array(WaitingHost),
  },
  /** Rule 15: stored before the first try. Beacons that are known already stay as they are; answers how many were not. */
  storeBeacons: {
    input: z.object({ beacons: z.array(Beacon).max(MOST_BEACONS_AT_ONCE) }),
    output: z.int().min(0),
  },
  /**
   * Rule 16: confirms an instance once for ever; its beacons, or the first of very many, are stored with it.
   * False: it was confirmed before, and nothing was changed. The same `by` gets
   * the same answer again, for a caller whose answer was lost.
   */
  confirmOnce: {
    input: z.object({
      instance: z.string().min(1).max(200),
      kind: z.string().min(1).max(100),
      by: z.string().min(1),
      at: z.number(),
      beacons: z.array(Beacon).max(MOST_BEACONS_AT_ONCE),
    }),
    output: z.boolean(),
  },
  /** Stored before a send that must not be repeated blindly; answers which of the beacons may be sent. */
  startSending: { input: z.object({ ids: z.array(z.string()) }), output: z.array(z.string()) },
  /** What tries have changed. A beacon that has come to its end stays as it is. */
  settleBeacons: {
    input: z.object({ settled: z.array(BeaconProgress.extend({ id: z.string() })) }),
    output: nothing,
  },
  /**
   * A host's oldest due beacons, but for those `inHand`, and when the next one
   * after them falls due (null: none waits). A beacon due unreasonably far ahead
   * was stamped by a clock that has gone back since: it is due.
   */
  dueBeacons: {
    input: z.object({
      host: z.string(),
      now: z.number(),
      farAhead: z.number(),
      inHand: z.array(z.string()),
      limit: z.int().min(1).max(100),
    }),
    output: z.object({ due: z.array(Beacon), nextDueAt: z.number().nullable() }),
  },
  /**
   * Ends at most `limit` waiting beacons: those past their time, then the oldest beyond `keep`
   * or beyond `keepBytes` of `beaconBytes` in all; answers how many.
   */
  expireBeacons: {
    input: z.object({
      now: z.number(),
      keep: z.int().min(0),
      keepBytes: z.int().min(0),
      inHand: z.array(z.string()),
      limit: z.int().min(1).max(10_000),
    }),
    output: z.int().min(0),
  },
  /** Drops at most `limit` each of ended beacons, confirmations and plays' results from before the given times. */
  pruneBeacons: {
    input: z.object({
      endedBefore: z.number(),
      /** However young, no more ended beacons than this. */
      keepEnded: z.int().min(0),
      confirmedBefore: z.number(),
      playedBefore: z.number(),
      limit: z.int().min(1).max(10_000),
    }),
    output: z.int().min(0),
  },
  /** What became of the beacons of these plays; a play without any is left out. */
  playBeacons: {
    input: z.object({ playIds: z.array(z.string()).max(10_000) }),
    output: z.array(PlayBeacons),
  },
  /**
   * Plays of a period (`from` ≤ time < `to`) with their beacons, page by page in
   * the order of their time. `limit` rows are looked at, of whatever flight, so a
   * page can be empty before the last; `next` null: that was all.
   */
  provePlays: {
    input: z.object({
      environment: environment.nullable(),
      from: z.number(),
      to: z.number(),
      flightId: z.string().nullable(),
      after: PlayCursor.nullable(),
      order: z.enum(['oldest-first', 'newest-first']),
      limit: z.int().min(1).max(1_000),
    }),
    output: z.object({ plays: z.array(ProvenPlay), next: PlayCursor.nullable() }),
  },
  /**
   * Plays of a period, counted. Null: many of them were never counted, as after an upgrade. Each call
   * counts some hours, until about `limit` plays were read; `done` is how far that has come, 0 to 1.
   */
  reportPlays: {
    input: z.object({
      environment,
      from: z.number(),
      to: z.number(),
      limit: z.int().min(1).max(100_000),
    }),
    output: z.object({
      report: PlayReport.nullable(),
      done: z.number().min(0).max(1),
    }),
  },
  /** Beacons as they are kept: open ones by when they are due, ended ones the latest first. */
  listBeacons: {
    input: z.object({
      states: z.array(BeaconState).min(1).max(6),
      limit: z.int().min(1).max(200),
    }),
    output: z.array(Beacon),
  },
  ...sequenceCommands,
  /** Answers when the window and its database do. */
  ping: { input: z.null(), output: z.literal('pong') },
} as const satisfies RpcContract['calls'];

export type RecordsCommand = keyof typeof recordsCommands;
export type RecordsInput<C extends RecordsCommand> = z.infer<(typeof recordsCommands)[C]['input']>;
export type RecordsOutput<C extends RecordsCommand> = z.infer<(typeof recordsCommands)[C]['output']>;

/** Why a command was refused. `storage` is the disk's or the database's fault, `conflict` a broken rule of the books. */
export const RecordsFaultCode = z.enum(['invalid', 'conflict', 'storage', 'unknown-command']);
export type RecordsFaultCode = z.infer<typeof RecordsFaultCode>;

/** Main is the client, the records window the server. */
export const recordsContract = {
  calls: recordsCommands,
  errorCode: RecordsFaultCode,
  fromClient: {},
  fromServer: {},
} as const satisfies RpcContract;
