import type { Clock } from '../../shared/clock';
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

export type PageOfPlays = RecordsOutput<'provePlays'>;

/**
 * The plays of a period after a page of it (null: the first ones), of all environments (rule 26), oldest first. Rejects
 * when plays were moved with the clock since that page: some would be missing, or there twice.
 */
export async function playsAfter(
  records: Pick<Records, 'run'>,
  { from, to }: { readonly from: number; readonly to: number },
  previous: PageOfPlays | null,
): Promise<PageOfPlays> {
  const after = previous?.next ?? null;
  const all = { environment: null, order: 'oldest-first' } as const;
  const page = await records.run('provePlays', { ...all, from, to, after, limit: PLAYS_AT_ONCE });
  if (previous !== null && page.moves !== previous.moves) throw new Error('plays are moved with the clock');
  return page;
}
