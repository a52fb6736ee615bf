import type { Beacon, PlayBeacons } from '../../shared/beacon';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { PlayTotals } from '../../shared/play-report';
import type { RecordsInput } from '../../shared/records';

/** One row per environment the kiosk ever worked for (rule 26). */
export interface EnvironmentRow {
  key: string;
  /** Plays recorded and not pruned; kept here because counting a million rows takes too long at start. */
  playCount: number;
  sourceMix: SourceMixState | null;
  /** How long the kiosk had run in all when it last stored this, ms; absent in rows of older versions. */
  ranMs?: number;
  /**
   * `ranMs` as last stored by a version that numbers plays. If it differs from `ranMs`, another version has run since.
   */
  numberedRanMs?: number;
  /** The last move of plays (rule 10), so that none is made twice. */
  lastMove?: string;
  /**
   * Present while plays of that move are left: those later than `after` and, where they move ahead (`by` > 0), earlier
   * than `reached`, otherwise later than `reached`. Times in ms since the epoch. `playCount`: as it was then, less
   * those pruned since; a play that was reserved since may be among those that are left, so they stay. Absent in rows of
   * older versions.
   */
  moving?: { after: number; by: number; reached: number; playCount?: number };
}

/** The stored playlist, without its ads. `version` and `parts`: which rows of `playlistAds` are its own, and how many. */
export type PlaylistRow = RecordsInput<'storePlaylist'>;
/** Some ads of a playlist, in their order. */
export type PlaylistAdsRow = RecordsInput<'storeAds'>;

export type FlightRow = FlightCounters & { environment: string };
export type RecencyRow = RecencyEntry & { environment: string };

/** `sequence`: the order in which beacons were stored, for those that are due at the same time. */
export type BeaconRow = Beacon & {
  sequence: number;
  /**
   * The play whose bytes it counts for while it is pending, or `NO_PLAY`; absent in rows that have ended, and in those of
   * older versions.
   */
  holder?: string;
};

/** Stands for all beacons without a play together. */
export const NO_PLAY = '';

/** An instance was confirmed, once for ever (rule 16). `by`: the call that confirmed it. */
export type ConfirmationRow = Omit<RecordsInput<'confirmOnce'>, 'beacons'>;

/** How many beacons there are; one row, because counting a week's outage takes too long at start. */
export interface OutboxSizeRow {
  key: 'outbox';
  /** Waiting or being sent. */
  pending: number;
  /** Ended and not pruned. */
  ended: number;
  /** Bytes of the pending ones, by `beaconBytes`; absent in rows of earlier versions, which did not count them. */
  pendingBytes?: number;
}

/** `at`: when the play's first beacon was fired. */
export type PlayBeaconsRow = PlayBeacons & {
  at: number;
  /** Bytes of the pending ones, by `beaconBytes`; absent where there are none. */
  pendingBytes?: number;
};

/**
 * Totals of the settled plays of an hour (UTC) and an origin. Derived from the plays, and never the only copy of
 * anything.
 */
export interface HourTotalsRow {
  environment: string;
  /** Its start, ms since the epoch. */
  hour: number;
  /** Flight, campaign and source, as `originKey` writes them. */
  origin: string;
  totals: PlayTotals;
}

/** An epoch of the sequence of settled plays (rule 27), and how far it was cut into segments and delivered. */
export interface EpochRow {
  /** When it began, ms since the epoch; 0: plays of versions that did not number them. */
  epoch: number;
  /** Highest number given. */
  last: number;
  /** At least `stored`; only older versions read it. */
  cut: number;
  /** Highest number of a stored segment, and of one that was delivered or set aside. */
  stored: number;
  delivered: number;
  /** Digest of the manifest of the last stored segment. */
  head: string | null;
  /** Numbers whose plays were pruned before they were in a segment, ascending. */
  dropped: Array<{ first: number; last: number }>;
  /** Its plays get no revisions: they are of another kiosk, whose disk was copied to this one, or of a lost key. */
  isForgotten?: true;
  /** The name of the key that it was begun for; absent: the kiosk had its key before. */
  kiosk?: string;
  /**
   * Present while plays stored without a number are numbered in this epoch; plays up to this one, by time, are done.
   */
  numberedTo?: { at: number; id: string } | null;
}

/** A number of the sequence: a play, or a later revision of one. */
export interface SequenceEntryRow {
  epoch: number;
  seq: number;
  rev: number;
  playId: string;
  /** ms since the epoch. */
  settledAt: number;
}

export function newEnvironment(key: string): EnvironmentRow {
  return { key, playCount: 0, sourceMix: null };
}

export function newEpoch(epoch: number): EpochRow {
  return { epoch, last: 0, cut: 0, stored: 0, delivered: 0, head: null, dropped: [] };
}
