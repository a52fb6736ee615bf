import type { Ad } from '../../shared/ad';
import type { Showing } from '../../shared/play';
import type { Decider } from '../decisions/decider';
import { showingOf } from './slot-ad';

/** A predicted slot; `at`: when it begins if nothing changes, ms since the epoch. */
type SlotAhead = Showing & { readonly at: number };

export interface SlotsAheadParts {
  readonly decider: Pick<Decider, 'forecast'>;
  /** The file an ad is shown with now, or null. */
  readonly playable: (ad: Ad) => string | null;
  /** The assumed length of an ad without one of its own, ms. */
  readonly usualMs: number;
}

/**
 * The next slots, soonest first: the prepared ad, then the forecast of the stored playlist. Shorter than `count` where
 * no stored ad may play.
 *
 * @param from when the current slot ends, ms since the epoch
 */
export function slotsAhead(
  parts: SlotsAheadParts,
  from: number,
  prepared: Showing | null,
  count: number,
): SlotAhead[] {
  const { decider, playable, usualMs } = parts;
  // A stored ad that is prepared is not on the books yet, so the forecast begins with it.
  const first: SlotAhead[] =
    prepared === null || prepared.delivery === 'offline' ? [] : [{ ...prepared, at: from }];
  const next = from + (first.length === 0 ? 0 : (prepared?.durationMs ?? usualMs));
  const stored = decider.forecast(next, count - first.length, ({ durationMs }) => durationMs ?? usualMs);
  return [
    ...first,
    ...stored.map(({ choice: { ad, mediaUrl }, at }) => {
      const { flightId, campaignId, sourceId } = ad.metadata;
      const facts = { adId: ad.id, flightId, campaignId, sourceId, mediaUrl: playable(ad) ?? mediaUrl };
      return { ...showingOf({ ...facts, delivery: 'offline' }, ad.durationMs), at };
    }),
  ];
}
