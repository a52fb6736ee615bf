import { countPlay, countWindow, noPlays } from '../../../main/decisions/flight-counters';
import type { FlightCounters } from '../../../shared/books';
import type { SimplePlay } from '../testing/plays';
import { ADS, type SimulatedAd } from './campaigns';

export type SimulatedPlayer = ReturnType<typeof simulatedPlayer>;

/** Share of plays that show no frame, and of plays that are interrupted. */
const VOIDED = 0.002;
const INTERRUPTED = 0.03;

/**
 * Plays back to back in accelerated time. Checks caps with the counters of the real kiosk (rule 7). `number` makes the ids of its
 * plays unique.
 */
export function simulatedPlayer(number: number, from: number, random: () => number, ignoresCaps: boolean) {
  const counters = new Map<string, FlightCounters>();
  /** Plays that count, by flight. */
  const books = new Map<string, number>();
  /** When the next play begins, ms since the epoch. */
  let now = from;
  let plays = 0;

  const mayPlay = ({ flightId, caps }: SimulatedAd) =>
    ignoresCaps ||
    caps.every(
      ({ window, limit }) =>
        countWindow(counters.get(flightId) ?? noPlays(flightId), window, now).used < limit,
    );

  function play(): SimplePlay {
    const may = ADS.filter(mayPlay);
    const { flightId, campaignId, sourceId, durationMs, caps } = may[
      Math.floor(random() * may.length)
    ] as SimulatedAd;
    const luck = random();
    const outcome = luck < VOIDED ? 'given-back' : luck < VOIDED + INTERRUPTED ? 'interrupted' : 'completed';
    const viewedMs =
      outcome === 'given-back' ? 0 : outcome === 'completed' ? durationMs : Math.floor(random() * durationMs);
    if (outcome !== 'given-back') {
      counters.set(flightId, countPlay(counters.get(flightId) ?? noPlays(flightId), now));
      books.set(flightId, (books.get(flightId) ?? 0) + 1);
    }
    plays += 1;
    const isShown = outcome !== 'given-back';
    const made: SimplePlay = {
      id: `${number}-${plays}`,
      at: now,
      isShown,
      outcome,
      viewedMs,
      durationMs,
      environment: 'simulation',
      flightId,
      campaignId,
      source: 'SOURCE_TYPE_CMS',
      sourceId,
      caps,
    };
    now += Math.max(viewedMs, 1_000);
    return made;
  }

  return { books, now: () => now, play };
}
