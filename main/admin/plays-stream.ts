import type { Clock } from '../../shared/clock';
import type { PlayCursor } from '../../shared/proof-of-play';
import type { PlaysReader } from '../api/routes';
import type { Records } from '../records/records-client';
import { exportLines } from './export-rows';

const PLAYS_AT_ONCE = 250;

/**
 * `GET /v1/plays`: the content of an NDJSON export of the same period, piece by
 * piece as the caller reads it. Of all environments (rule 26), oldest first.
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
    const end = to === null ? now : Math.min(to, now);
    let after: PlayCursor | null = null;
    do {
      const started = clock.monotonic();
      const page: Awaited<ReturnType<typeof provePlays>> = await provePlays(after);
      const lines = exportLines('ndjson', page.plays);
      const workedMs = clock.monotonic() - started;
      if (lines !== '') yield lines;
      after = page.next;
      if (after !== null) await rest(workedMs);
    } while (after !== null);

    function provePlays(cursor: PlayCursor | null) {
      return records.run('provePlays', {
        environment: null,
        from: from ?? 0,
        to: end,
        flightId: null,
        after: cursor,
        order: 'oldest-first',
        limit: PLAYS_AT_ONCE,
      });
    }
  };
}
