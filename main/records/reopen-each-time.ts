import type { Log } from '../../shared/log';
import { BOOKS_RETRY_MS } from '../beacons/retry-until-stored';
import type { Schedule } from '../schedule';
import type { Books } from './books';

/**
 * Returns what reopens the books when another records window is back. It is repeated until it succeeds, or until the
 * next window is back: before, no loss is counted and corrected.
 */
export function reopenEachTime({ reopen }: Pick<Books, 'reopen'>, schedule: Schedule, log: Log): () => void {
  let returns = 0;
  const tryFor = (own: number): void => {
    reopen().catch((error: unknown) => {
      log.error('the books could not be reopened', { error });
      schedule(BOOKS_RETRY_MS, () => {
        if (own === returns) tryFor(own);
      });
    });
  };
  return () => {
    returns += 1;
    tryFor(returns);
  };
}
