import type { Clock } from '../../shared/clock';
import type { PlayCursor } from '../../shared/proof-of-play';
import type { RecordsOutput } from '../../shared/records';
import type { PlaysReader } from '../api/routes';
import type { Records } from '../records/records-client';
import { exportLines } from './export-rows';

/** Plays per read: about 20 ms of work in the records window, and as much in main. */
const PLAYS_AT_ONCE = 250;

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
    let after: PlayCursor | null = null;
    do {
      const started = clock.monotonic();
      const page = await playsAfter(records, period, after);
      const lines = exportLines('ndjson', page.plays);
      const workedMs = clock.monotonic() - started;
      if (lines !== '') yield lines;
      after = page.next;
      if (after !== null) await rest(workedMs);
    } while (after !== null);
  };
}

/** The next plays of a period, of all environments (rule 26), oldest first. */
export function playsAfter(
  records: Pick<Records, 'run'>,
  { from, to }: { readonly from: number; readonly to: number },
  after: PlayCursor | null,
): Promise<RecordsOutput<'provePlays'>> {
  const all = { environment: null, order: 'oldest-first' } as const;
  return records.run('provePlays', { ...all, from, to, after, limit: PLAYS_AT_ONCE });
}
