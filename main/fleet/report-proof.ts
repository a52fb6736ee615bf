import { type Clock, instant } from '../../shared/clock';
import { type ProofPosition, type SetAsideSegment, UNREADABLE } from '../../shared/proof-sequence';
import type { Tell } from '../status/facts';
import type { ShippingState } from './shipper';

/** Plays that wait this much longer than the period are a problem, ms; a store that is offline for a night is none. */
const TOO_LONG_MS = 86_400_000;

/**
 * Reports the state of proof of play to the status board, and its problems with what to do about them.
 *
 * @param everyMs the period in which plays are sent, ms
 */
export function reportProof(tell: Tell, clock: Clock, everyMs: number): (state: ShippingState) => void {
  const tellProblem = (code: string, problem: { message: string; advice: string } | false | undefined) =>
    tell({ kind: 'attention', code, problem: problem || null });
  const startedAt = clock.monotonic();
  return ({ position, lastSentAt, lastError }) => {
    const { waiting = null, oldestSettledAt: oldestAt = null, setAside = [] } = position ?? {};
    const value = { waiting, oldestAt, lastSentAt, setAside: setAside.length, lastError };
    tell({ kind: 'section', name: 'proof', value });
    const last = setAside.at(-1);
    tellProblem('proof-set-aside', last && setAsideProblem(setAside.length, last));
    const lost = position === null ? 0 : droppedAfter(position);
    tellProblem(
      'proof-dropped',
      lost > 0 && {
        message: `This kiosk has deleted ${lost} number(s) of its proof of play unsent: plays, or later outcomes of plays.`,
        advice:
          'Mend what keeps proof of play from its receiver, before the next ones are deleted. The receiver gets these numbers as missing.',
      },
    );
    // A kiosk that was off over a Sunday sends what waits within a period.
    const hadItsTurn = lastError !== null || clock.monotonic() - startedAt > everyMs;
    tellProblem(
      'proof-waiting',
      oldestAt !== null &&
        hadItsTurn &&
        clock.now() - oldestAt > TOO_LONG_MS + everyMs && {
          message: `Proof of play waits since ${instant(oldestAt)}. ${lastError?.message ?? ''}`.trim(),
          advice: lastError?.advice ?? "Check the kiosk's network connection and proof.url.",
        },
    );
  };
}

function setAsideProblem(count: number, { epoch, first, last, status }: SetAsideSegment) {
  const waits = `Proof of play waits in ${count} segment(s) that are set aside`;
  const name = `the last one, ${epoch}/${first}-${last}`;
  if (status === UNREADABLE)
    return {
      message: `${waits}. The bytes of ${name}, cannot be read.`,
      advice:
        "Check the kiosk's disk. The bytes are read again every day; the overlay's export holds the plays, too.",
    };
  return {
    message: `${waits}. The receiver refuses ${name}, with ${status}.`,
    advice:
      "Compare the receiver's columns and limits with docs/proof-of-play.md. The plays are kept and sent again every day; the overlay's export holds them, too.",
  };
}

/** How many numbers beyond the cursor were dropped: once the cursor is behind them, the receiver knows them as missing. */
const droppedAfter = ({ cursor, dropped }: ProofPosition): number =>
  dropped
    .filter(({ epoch, last }) => epoch > cursor.epoch || (epoch === cursor.epoch && last > cursor.seq))
    .reduce((count, { first, last }) => count + last - first + 1, 0);
