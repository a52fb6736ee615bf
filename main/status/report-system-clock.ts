import { instant } from '../../shared/instant';
import type { StatusBoard } from './status-board';

const CODE = 'system-clock-wrong';

/**
 * Tells the board of a system clock that must be wrong, for as long as the service has not
 * told the time: it shows a time before this program was built, so no certificate is valid
 * yet, and TLS reaches nobody. To be called every few seconds.
 *
 * @param buildDate ms since the epoch
 */
export function reportSystemClock(
  board: Pick<StatusBoard, 'tell'>,
  clock: { systemNow(): number; lastTrustedAt(): number | null },
  buildDate: number,
): () => void {
  let isTold = false;
  return () => {
    const isWrong = clock.lastTrustedAt() === null && clock.systemNow() < buildDate;
    if (isWrong === isTold) return;
    isTold = isWrong;
    if (!isWrong) {
      board.tell({ kind: 'attention-over', code: CODE });
      return;
    }
    board.tell({
      kind: 'attention',
      problem: {
        code: CODE,
        message: `The clock of this machine is wrong: it shows ${instant(clock.systemNow())}, which is before this program was built. The service cannot be reached over TLS.`,
        advice: 'Set the date and the time of the machine, or let it take them from a time server (NTP).',
      },
    });
  };
}
