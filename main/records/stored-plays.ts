import type { FlightCounters } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Play } from '../../shared/play';
import type { SequencePosition } from '../../shared/proof-sequence';
import type { RecordsInput } from '../../shared/records';
import { limitedLog } from '../limited-log';
import type { BooksMirror } from './books-mirror';
import { type Records, RecordsError } from './records-client';
import { runOrRepeat } from './run-or-repeat';
import type { SnapshotFiles } from './snapshot';

/** Plays that moved because the clock was set; times in ms since the epoch. */
export interface PlaysMoved {
  readonly after: number;
  readonly by: number;
  /** The counters that changed with them. */
  readonly flights: readonly FlightCounters[];
}

interface OpenPlay {
  /** Its time as reserved, and after each move of the clock since. */
  readonly times: number[];
  /** Its reservation may be stored, but no answer said so; null: it is stored. */
  readonly unanswered: Play | null;
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
  const { records, files, clock } = parts;
  const log = limitedLog(parts);
  const open = new Map<string, OpenPlay>();
  /** Settlements that could not be stored (a full disk). They carry no counters: only those of void plays do. */
  const unstored = new Map<string, RecordsInput<'settlePlay'>>();
  /** Plays that may be stored although they are not shown, until they are made void: decisions do not count them. */
  const toBeVoid = new Set<string>();

  return {
    ids: () => [...open.keys()],
    hasUnstored: () => unstored.size > 0,
    hasToBeVoid: () => toBeVoid.size > 0,
    /**
     * Tries to store them again, up to the first that fails: the kiosk may run for months, and only its next start would
     * settle them, as unknown. Never rejects.
     */
    async settleAgain(): Promise<void> {
      try {
        for (const settlement of [...unstored.values()]) await this.settle(settlement);
      } catch (error) {
        log.warn('plays cannot be settled yet', { plays: unstored.size, error });
      }
    },
    async reserve(reservation: RecordsInput<'reservePlay'>): Promise<null> {
      const { id, flightId, at } = reservation.play;
      // Listed before it is stored, because the next window settles all reserved plays that are not listed as open.
      const entry: OpenPlay = { times: [at], unanswered: null };
      open.set(id, entry);
      const input = { ...reservation, ranMs: mirror.ranMs() };
      const store = () => records.run('reservePlay', input);
      try {
        await runOrRepeat(log, 'reservePlay', store, { repeat: () => store().catch(afterLost) });
      } catch (error) {
        // A play that may be stored stays open until it is made void.
        if (error instanceof RecordsError && error.mayBeDone) {
          open.set(id, { ...entry, unanswered: reservation.play });
          toBeVoid.add(id);
        } else open.delete(id);
        throw error;
      }
      mirror.followPlay(reservation);
      mirror.noteReservation(reservation.play);
      files
        .note({ id, flightId, at })
        .catch((error: unknown) => log.warn('a reservation could not be journalled', { error }));
      return null;
    },
    /** Returns its number in the sequence; null: it was settled before, and nothing has changed. */
    async settle(settlement: RecordsInput<'settlePlay'>): Promise<SequencePosition | null> {
      const { id, settlement: told } = settlement;
      toBeVoid.delete(id);
      const { times = [] } = open.get(id) ?? {};
      const shown = { ...told, shownAt: told.shownAt && movedTime(told.shownAt, times) };
      const input = { ...settlement, settlement: shown, now: clock.now() };
      // Even after a timeout: the next reservation must not overtake a settlement that still waits in the window.
      const number = await runOrRepeat(log, 'settlePlay', () => records.run('settlePlay', input), {
        after: ['lost', 'timeout'],
      }).catch((error: unknown) => {
        // It was never stored, so it is not open.
        if (error instanceof RecordsError && error.code === 'conflict') {
          open.delete(id);
          unstored.delete(id);
        } else if (told.outcome === 'given-back') {
          // It stays on the books, and counts. Decisions were told that it does not, so memory is, too: then `verify`
          // finds it.
          mirror.isUnsure = true;
          mirror.followPlay(settlement);
        } else unstored.set(id, settlement);
        throw error;
      });
      unstored.delete(id);
      const unanswered = open.get(id)?.unanswered;
      if (unanswered) mirror.noteReservation(unanswered);
      mirror.followPlay(settlement);
      mirror.sequence = number ?? mirror.sequence;
      open.delete(id);
      return number;
    },
    /** A window counted all that is stored: open plays without an answer are among them, or were never stored. */
    counted(): void {
      for (const [id, play] of open) open.set(id, { ...play, unanswered: null });
    },
    /** The clock was set: open plays are moved when they are settled. */
    moved({ after, by }: Pick<PlaysMoved, 'after' | 'by'>): void {
      for (const { times } of open.values()) {
        const last = times.at(-1) ?? 0;
        if (last > after) times.push(last + by);
      }
    },
  };
}

/**
 * The error of a repeated reservation. The id of a play is new, so a conflict means that the window that died has
 * recorded the play already; after any other error it may have.
 */
function afterLost(error: unknown): null {
  if (!(error instanceof RecordsError)) throw error;
  if (error.code === 'conflict') return null;
  throw new RecordsError('lost', 'reservePlay', error.message);
}

/**
 * When an open play was shown, by the clock as it is set now. It was shown soon after one of its `times`, and every move
 * is longer than that.
 */
function movedTime(shownAt: number, times: readonly number[]): number {
  const distance = (time: number) => Math.abs(shownAt - time);
  const before = times.reduce((one, other) => (distance(other) < distance(one) ? other : one), times[0] ?? 0);
  return shownAt + (times.at(-1) ?? before) - before;
}
