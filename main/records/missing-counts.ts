import type { FlightCounters } from '../../shared/books';
import { HOUR_MS } from '../../shared/clock';
import type { StoredBooks } from '../../shared/records';
import type { CountedPlay } from '../decisions/explain';
import { countPlay, noPlays } from '../decisions/flight-counters';
import type { BooksSnapshot, JournalEntry } from './snapshot';

/**
 * What the stored books lost, compared with the snapshot and its journal; null: nothing. Totals shrink only by void
 * plays, of which at most one was open and whose rows stay. So totals that are lower by more than one in all are a loss,
 * and by one if rows are missing.
 *
 * @param wentBack whether the database is known to have gone back; then a single play that is missing is a loss
 */
export function lostCounts(
  stored: StoredBooks,
  snapshot: BooksSnapshot,
  journal: readonly JournalEntry[],
  wentBack: boolean,
): { plays: number; flights: FlightCounters[] } | null {
  const known = new Map(stored.flights.map((counters) => [counters.flightId, counters]));
  const missing = ({ flightId, total }: FlightCounters) => total - (known.get(flightId)?.total ?? 0);
  const newest = (counters: FlightCounters | undefined) =>
    counters?.recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  /** A move with the clock, or a void play and another one, leave the total as it is. */
  function isLater(counters: FlightCounters): boolean {
    const other = known.get(counters.flightId);
    // A correction of the clock that moves no play of a flight only has it carry counts.
    const hasCarried = (counters.carried?.ran ?? 0) > (other?.carried?.ran ?? 0);
    return missing(counters) === 0 && (hasCarried || newest(counters) > newest(other));
  }
  const kept = new Map(snapshot.flights.map((counters) => [counters.flightId, counters]));
  const missingInAll = snapshot.flights.reduce((sum, counters) => sum + Math.max(0, missing(counters)), 0);
  const missingRows = Math.max(0, snapshot.playCount + journal.length - stored.playCount);
  const isEmpty = missingRows > 0 && stored.playCount === 0;
  // No counters are ever deleted.
  const isFlightGone = snapshot.flights.some(({ flightId }) => !known.has(flightId));
  const isVoid = missingInAll === 0 || (missingInAll === 1 && missingRows === 0);
  if (!wentBack && isVoid && !isEmpty && !isFlightGone) return null;
  for (const { flightId, at } of journal) {
    if (flightId !== null) kept.set(flightId, countPlay(kept.get(flightId) ?? noPlays(flightId), at));
  }
  const flights = [...kept.values()].filter((counters) => missing(counters) > 0 || isLater(counters));
  return { plays: missingRows, flights };
}

/**
 * The stored plays that counters lack: counted too, they raise the counters to the stored number. Compares plays of the
 * whole hours that were read.
 *
 * @param readFrom the time of the oldest play that was read, ms since the epoch; null: all were
 */
export function uncountedPlays(
  newest: readonly CountedPlay[],
  readFrom: number | null,
  flights: ReadonlyMap<string, FlightCounters>,
): CountedPlay[] {
  const fromHour = readFrom === null ? Number.NEGATIVE_INFINITY : Math.floor(readFrom / HOUR_MS) + 1;
  const byFlight = new Map<string, number[]>();
  for (const { flightId, at } of newest) {
    if (Math.floor(at / HOUR_MS) < fromHour) continue;
    byFlight.set(flightId, [...(byFlight.get(flightId) ?? []), at]);
  }
  return [...byFlight].flatMap(([flightId, plays]) =>
    uncountedTimes(flights.get(flightId) ?? null, plays).map((at) => ({ flightId, at })),
  );
}

/**
 * The times of stored plays that the counters lack. From each hour on, at least as many plays must be counted as are
 * stored: a play that was moved without a known time counts in a later hour than its own (`movePlays`).
 */
function uncountedTimes(counters: FlightCounters | null, plays: readonly number[]): number[] {
  const droppedTo = counters?.hoursDroppedTo ?? Number.NEGATIVE_INFINITY;
  const counted = (counters?.hours ?? []).map(
    (hour, index) => [hour, counters?.hourPlays[index] ?? 0] as const,
  );
  const uncounted: number[] = [];
  let stored = 0;
  for (const at of [...plays].sort((a, b) => b - a)) {
    const hour = Math.floor(at / HOUR_MS);
    if (hour <= droppedTo) break;
    stored += 1;
    const from = counted.reduce((sum, [other, of]) => (other >= hour ? sum + of : sum), uncounted.length);
    if (from < stored) uncounted.push(at);
  }
  return uncounted;
}
