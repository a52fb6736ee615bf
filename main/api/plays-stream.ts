import type { Clock } from '../../shared/clock';
import { exportLines, type PageOfPlays, playsAfter } from '../records/exported-plays';
import type { Records } from '../records/records-client';
import type { PlaysReader } from './routes';

/**
 * `GET /v1/plays`: the content of an NDJSON export of the same period, piece by
 * piece as the caller reads it.
 */
export function playsStream({
  records,
  clock,
  rest,
}: {
  readonly records: Pick<Records, 'run'>;
  readonly clock: Clock;
  /** Yields to other work after this many ms of work. */
  readonly rest: (workedMs: number) => Promise<void>;
}): PlaysReader {
  return async function* lines({ from, to }) {
    // Plays that come meanwhile belong to the next request.
    const now = clock.now();
    const period = { from: from ?? 0, to: to === null ? now : Math.min(to, now) };
    let page: PageOfPlays | null = null;
    do {
      const started = clock.monotonic();
      page = await playsAfter(records, period, page);
      const lines = exportLines('ndjson', page.plays);
      const workedMs = clock.monotonic() - started;
      if (lines !== '') yield lines;
      if (page.next !== null) await rest(workedMs);
    } while (page.next !== null);
  };
}
