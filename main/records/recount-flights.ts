import type { FlightCounters } from '../../shared/books';
import type { PlayCursor } from '../../shared/play-report';
import type { RecordsOutput } from '../../shared/records';
import { recount } from '../decisions/flight-counters';
import type { Records } from './records-client';

/** Plays read in one transaction, about 10 ms. */
const AT_ONCE = 200;

/**
 * Rebuilds counters from all the stored plays of their flights, when dropped times are needed again because the clock
 * was set far back (see `flight-counters.ts`). Reads every play of the environment, in small steps.
 *
 * @param pause lets other work run; resolves when this work may continue
 * @param flights ids of flights
 * @returns the counters of these flights, by their ids
 */
export async function recountFlights(
  parts: {
    readonly records: Records;
    readonly environment: string;
    readonly pause: () => Promise<void>;
  },
  flights: readonly string[],
): Promise<ReadonlyMap<string, FlightCounters>> {
  if (flights.length === 0) return new Map();
  const { records, environment } = parts;
  const times = new Map(flights.map((flightId) => [flightId, [] as number[]]));
  const some = { environment, order: 'oldest-first', limit: AT_ONCE } as const;
  let after: PlayCursor | null = null;
  do {
    const page: RecordsOutput<'countedPlays'> = await records.run('countedPlays', { ...some, after });
    for (const { flightId, at } of page.plays) times.get(flightId)?.push(at);
    after = page.next;
    await parts.pause();
  } while (after);
  return new Map([...times].map(([flightId, played]) => [flightId, recount(flightId, played)]));
}
