import type { Log } from '../shared/log';
import type { Decider } from './decisioning/decider';
import type { Books } from './records/books';
import type { DecidedClock } from './shell/decided-clock';

/**
 * Takes the decider and the books along when the clock is set (rule 10): first what
 * decides, in the same turn, so that nothing is decided by two clocks; then what is stored.
 */
export function followClock(parts: {
  readonly clock: DecidedClock;
  readonly decider: Pick<Decider, 'clockChanged'>;
  readonly books: Pick<Books, 'movePlays' | 'ranMs'>;
  /** Asks the service once more in so many ms: its time deviates, and a second answer decides. */
  readonly askAgain: (inMs: number) => void;
  readonly log: Log;
  /** What may play has changed. */
  readonly changed: () => void;
}): void {
  const { clock, decider, books, log } = parts;
  clock.onChange((change) => {
    const { flights, recency } = decider.clockChanged(change, books.ranMs());
    const { before, now, movesPlaysAfter: after, isJump } = change;
    log.warn('the clock was set', { before, now, movesPlaysAfter: after, isJump });
    if (after !== null)
      books
        .movePlays({ after, by: now - before, now, flights, recency })
        .catch((error: unknown) => log.error('the plays could not be moved with the clock', { error }));
    parts.changed();
  });
  clock.onAskAgain((inMs) => {
    log.warn('the service tells another time; it is asked again', { inMs });
    parts.askAgain(inMs);
  });
}
