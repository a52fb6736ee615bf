import { instant } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Decider } from '../decisions/decider';
import type { ClockChange } from '../decisions/trusted-clock';
import type { Places } from '../fleet/proof-places';
import type { MediaCache } from '../media/media-cache';
import type { Books } from '../records/books';
import type { CarryOut, DecidedClock } from '../shell/decided-clock';
import { inTurns } from '../turns';

/**
 * Applies a change of the clock to the decider, the files that may play, and the books (rule 10). The change is prepared
 * in turns, while playing goes on by the old time; then the clock and the decider change in one turn, so that no decision
 * uses two clocks or half a change; then the change is stored.
 */
export function followClock(parts: {
  readonly clock: DecidedClock;
  readonly decider: Pick<Decider, 'prepareMove' | 'clockChanged'>;
  readonly media: Pick<MediaCache, 'clockSet'>;
  readonly books: Pick<Books, 'movePlays' | 'ranMs'>;
  readonly places: Pick<Places, 'playsMoved'>;
  /** Asks the service again in `inMs` ms: its time deviates, and a second answer decides. */
  readonly askAgain: (inMs: number) => void;
  /** Lets other work run; resolves when this work may continue. */
  readonly pause: () => Promise<void>;
  readonly log: Log;
  /** What may play has changed. */
  readonly changed: () => void;
}): void {
  const { clock, decider, media, books, places, log } = parts;

  /** With few flights it runs to its end synchronously. */
  async function follow(found: ClockChange, carryOut: CarryOut): Promise<void> {
    const turns = inTurns(parts.pause);
    const steps = decider.prepareMove(found, books.ranMs());
    let step = steps.next();
    while (!step.done) {
      if (turns.isOver()) await turns.next();
      step = steps.next();
    }
    const prepared = step.value;
    carryOut((change) => {
      const flights = decider.clockChanged(change, books.ranMs(), prepared);
      const { before, now, movesPlaysAfter: after, isJump } = change;
      if (now !== before)
        log.warn('the clock was set', {
          before: instant(before),
          now: instant(now),
          isJump,
          movesPlaysAfter: after === null ? null : instant(after),
        });
      if (after !== null) {
        const move = { after, by: now - before };
        void places.playsMoved(move);
        books
          .movePlays({ ...move, flights })
          .catch((error: unknown) => log.error('the plays could not be moved with the clock', { error }));
      }
      // Only now, because it may choose another ad and reserve it, and that play must not move.
      media.clockSet();
      parts.changed();
    });
  }

  clock.onChange((found, carryOut) => void follow(found, carryOut));
  clock.onAskAgain((inMs) => {
    log.warn('the service has another time than the kiosk; a second answer is requested', { inMs });
    parts.askAgain(inMs);
  });
}
