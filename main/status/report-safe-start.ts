import type { Log } from '../../shared/log';
import type { Tell } from './facts';

const CODE = 'safe-start';

/** Tells the board and the log of a safe start (rule 25), until `over` resolves. */
export function reportSafeStart(tell: Tell, over: Promise<void>, log: Log): void {
  log.warn('a safe start: the kiosk ended unexpectedly again and again; it plays without network at first');
  tell({
    kind: 'attention',
    problem: {
      code: CODE,
      message:
        'Safe start: the kiosk ended unexpectedly three times within a minute. It plays stored ads without network.',
      advice:
        'Wait: after ten minutes it uses the network again by itself. If this comes back, send its log to support.',
    },
  });
  void over.then(() => {
    tell({ kind: 'attention-over', code: CODE });
    log.info('the safe start is over; the kiosk uses the network again');
  });
}
