import { instant } from '../../shared/instant';
import type { Tell } from './facts';

const CODE = 'system-clock-wrong';

/**
 * Tells the board while the system clock shows a time before this program was built and the
 * service has not told the time: then no certificate is valid yet, and TLS cannot work. Call
 * it every few seconds.
 *
 * @param buildDate ms since the epoch
 */
export function reportSystemClock(
  tell: Tell,
  clock: { systemNow(): number; lastTrustedAt(): number | null },
  buildDate: number,
): () => void {
  let isTold = false;
  return () => {
    const isWrong = clock.lastTrustedAt() === null && clock.systemNow() < buildDate;
    if (isWrong === isTold) return;
    isTold = isWrong;
    if (!isWrong) {
      tell({ kind: 'attention-over', code: CODE });
      return;
    }
    tell({
      kind: 'attention',
      problem: {
        code: CODE,
        message: `The clock of this machine is wrong: it shows ${instant(clock.systemNow())}, which is before this program was built. The service cannot be reached over TLS.`,
        advice: 'Set the date and the time of the machine, or let it take them from a time server (NTP).',
      },
    });
  };
}
