import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';
import type { Books as StoredBooks } from '../../shared/records';
import type { BooksSnapshot, JournalEntry } from './snapshot';

/** Adds a play to a flight's counters (rule 7), which are null for its first play. */
export type CountPlay = (counters: FlightCounters | null, flightId: string, at: number) => FlightCounters;

const HOUR_MS = 3_600_000;

/**
 * What the stored books lost, compared with the snapshot and its journal; null: nothing. A flight's total shrinks only
 * by plays given back, of which at most one was open, so a total that is lower by more than one is a loss.
 */
export function lostCounts(
  stored: StoredBooks,
  snapshot: BooksSnapshot,
  journal: readonly JournalEntry[],
  countPlay: CountPlay,
): { plays: number; flights: FlightCounters[] } | null {
  const totals = new Map(stored.flights.map(({ flightId, total }) => [flightId, total]));
  const missing = ({ flightId, total }: FlightCounters) => total - (totals.get(flightId) ?? 0);
  const kept = new Map(snapshot.flights.map((counters) => [counters.flightId, counters]));
  const isLoss = snapshot.flights.some((counters) => missing(counters) > 1);
  const isEmpty = snapshot.playCount + journal.length > 0 && stored.playCount === 0;
  if (!isLoss && !isEmpty) return null;
  for (const { flightId, at } of journal) {
    if (flightId !== null) kept.set(flightId, countPlay(kept.get(flightId) ?? null, flightId, at));
  }
  const flights = [...kept.values()].filter((counters) => missing(counters) > 0);
  return { plays: Math.max(0, snapshot.playCount + journal.length - stored.playCount), flights };
}

/**
 * Counters that hold fewer plays than are stored, raised to the stored number. Compares plays since the first whole
 * hour that `newest` (newest first) covers. `complete`: `newest` holds all plays.
 */
export function tooLow(
  newest: readonly Play[],
  complete: boolean,
  flights: ReadonlyMap<string, FlightCounters>,
  countPlay: CountPlay,
): FlightCounters[] {
  const oldest = newest.at(-1)?.at ?? 0;
  const fromHour = complete ? Number.NEGATIVE_INFINITY : Math.floor(oldest / HOUR_MS) + 1;
  const byFlight = new Map<string, number[]>();
  for (const { flightId, outcome, at } of newest) {
    if (flightId === null || outcome === 'given-back' || Math.floor(at / HOUR_MS) < fromHour) continue;
    byFlight.set(flightId, [...(byFlight.get(flightId) ?? []), at]);
  }
  return [...byFlight].flatMap(
    ([flightId, plays]) => raised(flights.get(flightId) ?? null, flightId, plays, countPlay) ?? [],
  );
}

/**
 * The counters with the stored plays that they lack; null when they lack none. From each hour on, at least as many
 * plays must be counted as are stored: a play that was moved without a known time counts in a later hour than its own
 * (`movePlays`).
 */
function raised(
  counters: FlightCounters | null,
  flightId: string,
  plays: readonly number[],
  countPlay: CountPlay,
): FlightCounters | null {
  const droppedTo = counters?.hoursDroppedTo ?? Number.NEGATIVE_INFINITY;
  const counted = (counters?.hours ?? []).map(
    (hour, index) => [hour, counters?.hourPlays[index] ?? 0] as const,
  );
  let corrected: FlightCounters | null = null;
  let [stored, added] = [0, 0];
  for (const at of [...plays].sort((a, b) => b - a)) {
    const hour = Math.floor(at / HOUR_MS);
    if (hour <= droppedTo) break;
    stored += 1;
    const from = counted.reduce((sum, [other, of]) => (other >= hour ? sum + of : sum), added);
    if (from >= stored) continue;
    added += 1;
    corrected = countPlay(corrected ?? counters, flightId, at);
  }
  return corrected;
}
