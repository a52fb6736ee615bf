import type { FlightCounters, RecencyEntry } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RecordsInput } from '../../shared/records';
import type { BooksMirror } from './books-mirror';
import type { Records } from './records-client';
import { runOrRepeat } from './run-or-repeat';
import type { SnapshotFiles } from './snapshot';

/** Plays that moved because the clock was set; times in ms since the epoch. */
export interface PlaysMoved {
  readonly after: number;
  readonly by: number;
  /** The clock's time after the change. */
  readonly now: number;
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/** Stores plays as they are reserved and settled, and knows which are on the screen. */
export interface StoredPlays {
  ids(): string[];
  reserve(reservation: RecordsInput<'reservePlay'>): Promise<null>;
  /** Returns whether this call settled it; settling again changes nothing. */
  settle(settlement: RecordsInput<'settlePlay'>): Promise<boolean>;
  /** The clock was set: open plays are moved when they are settled. */
  moved(move: PlaysMoved): void;
}

export function createStoredPlays(
  parts: {
    readonly records: Records;
    readonly files: Pick<SnapshotFiles, 'note'>;
    readonly clock: Clock;
    readonly log: Log;
  },
  mirror: BooksMirror,
): StoredPlays {
  const { files, clock, log } = parts;
  /** The open plays, each with the moves since its reservation. */
  const open = new Map<string, PlaysMoved[]>();

  return {
    ids: () => [...open.keys()],
    async reserve(reservation) {
      const { id, flightId, at } = reservation.play;
      // Listed before the command: a window that opens meanwhile settles all reserved plays that are not listed as
      // open.
      open.set(id, []);
      try {
        // Its id is new, so a conflict means that the window that died has recorded this play already.
        await runOrRepeat(parts, 'reservePlay', { ...reservation, ranMs: mirror.ranMs() }, () => null);
      } catch (error) {
        open.delete(id);
        throw error;
      }
      mirror.follow('reservePlay', reservation);
      mirror.noteReservation(reservation.play);
      files
        .note({ id, flightId, at })
        .catch((error: unknown) => log.warn('a reservation could not be journalled', { error }));
      return null;
    },
    async settle(settlement) {
      const { id, settlement: told } = settlement;
      const { shownAt } = told;
      const shown = { ...told, shownAt: shownAt && movedTime(shownAt, open.get(id) ?? [], clock.now()) };
      const settled = await runOrRepeat(
        parts,
        'settlePlay',
        { ...settlement, settlement: shown, now: clock.now() },
        (conflict) => {
          throw conflict;
        },
      );
      mirror.follow('settlePlay', settlement);
      open.delete(id);
      return settled;
    },
    moved(move) {
      for (const fallen of open.values()) fallen.push(move);
    },
  };
}

/** When an open play was shown, by the clock as it is set now. */
function movedTime(shownAt: number, moves: readonly PlaysMoved[], now: number): number {
  return moves.reduce((at, { by, now: from }) => {
    // A play lasts seconds and every move is longer, so a time on the other side of a move is from before it.
    const isFromBefore = by > 0 ? at < from : at > now;
    return isFromBefore ? at + by : at;
  }, shownAt);
}
