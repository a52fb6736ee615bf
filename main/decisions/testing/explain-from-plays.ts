import type { Ad } from '../../../shared/ad';
import { type Circumstances, type CountedPlay, type Explanation, explainAd } from '../explain';
import { recountKeepingAll } from '../flight-counters';

/** `explainAd` over a plain list of plays of any flights. */
export function explainAdFromPlays(
  ad: Ad,
  circumstances: Omit<Circumstances, 'counters'> & { readonly plays: readonly CountedPlay[] },
): Explanation {
  const { plays, ...rest } = circumstances;
  const { flightId } = ad.metadata;
  const stamps = plays.filter((play) => play.flightId === flightId).map((play) => play.at);
  return explainAd(ad, {
    ...rest,
    counters: flightId === null ? null : recountKeepingAll(flightId, stamps),
  });
}
