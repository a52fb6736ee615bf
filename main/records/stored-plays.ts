import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RecordsInput } from '../../shared/records';
import type { MovedBooks } from '../decisions/decider';
import type { BooksMirror } from './books-mirror';
import { type Records, RecordsError } from './records-client';
import { runOrRepeat } from './run-or-repeat';
import type { SnapshotFiles } from './snapshot';

/** Plays that moved because the clock was set; times in ms since the epoch. */
export interface PlaysMoved extends MovedBooks {
  readonly after: number;
  readonly by: number;
  /** The clock's time after the change. */
  readonly now: number;
}

/** Stores plays as they are reserved and settled, and knows which are on the screen. */
export function createStoredPlays(
  parts: {
    readonly records: Records;
    readonly files: Pick<SnapshotFiles, 'note'>;
    readonly clock: Clock;
    readonly log: Log;
  },
  mirror: BooksMirror,
) {
  const { records, files, clock, log } = parts;
  /** The open plays, each with the moves since its reservation. */
  const open = new Map<string, PlaysMoved[]>();

  return {
    ids: () => [...open.keys()],
    async reserve(reservation: RecordsInput<'reservePlay'>): Promise<null> {
      const { id, flightId, at } = reservation.play;
      // Listed before the command: a window that opens meanwhile settles all reserved plays that are not listed as
      // open.
      open.set(id, []);
      const input = { ...reservation, ranMs: mirror.ranMs() };
      const store = () => records.run('reservePlay', input);
      try {
        await runOrRepeat(log, 'reservePlay', store, { repeat: () => store().catch(ignoreConflict) });
      } catch (error) {
        open.delete(id);
        throw error;
      }
      mirror.followPlay(reservation);
      mirror.noteReservation(reservation.play);
      files
        .note({ id, flightId, at })
        .catch((error: unknown) => log.warn('a reservation could not be journalled', { error }));
      return null;
    },
    /** Returns whether this call settled it; settling again changes nothing. */
    async settle(settlement: RecordsInput<'settlePlay'>): Promise<boolean> {
      const { id, settlement: told } = settlement;
      const { shownAt } = told;
      const shown = { ...told, shownAt: shownAt && movedTime(shownAt, open.get(id) ?? [], clock.now()) };
      const input = { ...settlement, settlement: shown, now: clock.now() };
      const settled = await runOrRepeat(log, 'settlePlay', () => records.run('settlePlay', input));
      mirror.followPlay(settlement);
      open.delete(id);
      return settled;
    },
    /** The clock was set: open plays are moved when they are settled. */
    moved(move: PlaysMoved): void {
      for (const fallen of open.values()) fallen.push(move);
    },
  };
}

/** The id of a play is new, so a conflict means that the window that died has recorded the play already. */
function ignoreConflict(error: unknown): null {
  if (error instanceof RecordsError && error.code === 'conflict') return null;
  throw error;
}

/** When an open play was shown, by the clock as it is set now. */
function movedTime(shownAt: number, moves: readonly PlaysMoved[], now: number): number {
  return moves.reduce((at, { by, now: from }) => {
    // A play lasts seconds and every move is longer, so a time on the other side of a move is from before it.
    const isFromBefore = by > 0 ? at < from : at > now;
    return isFromBefore ? at + by : at;
  }, shownAt);
}
