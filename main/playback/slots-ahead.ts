import type { Ad } from '../../shared/ad';
import type { Showing } from '../../shared/play';
import type { Decider } from '../decisions/decider';
import { showingOf } from './slot-ad';

/** It begins at `at` as things are now. */
type SlotAhead = Showing & { readonly at: number };

export interface SlotsAheadParts {
  readonly decider: Pick<Decider, 'forecast'>;
  /** The file an ad is shown with now, or null. */
  readonly playable: (ad: Ad) => string | null;
  /** How long an ad without a length of its own is taken to last, ms. */
  readonly usualMs: number;
}

/**
 * The slots to come, soonest first: what is prepared, then the stored playlist's ads
 * in their order. Where no ad may play there is nothing to be said.
 *
 * @param from when the slot that runs ends, ms since the epoch
 */
export function slotsAhead(
  parts: SlotsAheadParts,
  from: number,
  prepared: Showing | null,
  count: number,
): SlotAhead[] {
  const { decider, playable, usualMs } = parts;
  // A stored ad that is prepared is not on the books yet: the forecast begins with it.
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
