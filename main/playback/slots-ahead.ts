import type { Ad } from '../../shared/ad';
import type { Decider } from '../decisioning/decider';
import type { SlotFacts } from './slot-ad';

/** A slot to come. `at`: when it begins as things are now, ms since the epoch. */
export interface SlotAhead {
  readonly at: number;
  /** Null: as long as its video lasts. */
  readonly durationMs: number | null;
  readonly facts: Pick<SlotFacts, 'adId' | 'flightId' | 'campaignId' | 'sourceId' | 'mediaUrl' | 'delivery'>;
}

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
  prepared: SlotFacts | null,
  count: number,
): readonly SlotAhead[] {
  const { decider, playable, usualMs } = parts;
  // A stored ad that is prepared is not on the books yet: the forecast begins with it.
  const first: SlotAhead[] =
    prepared === null || prepared.delivery === 'offline'
      ? []
      : [{ at: from, durationMs: prepared.durationMs, facts: prepared }];
  const next = from + (first.length === 0 ? 0 : (prepared?.durationMs ?? usualMs));
  const stored = decider.forecast(next, count - first.length, ({ durationMs }) => durationMs ?? usualMs);
  return [
    ...first,
    ...stored.map(({ choice: { ad, mediaUrl }, at }): SlotAhead => {
      const { flightId, campaignId, sourceId } = ad.metadata;
      const facts = { adId: ad.id, flightId, campaignId, sourceId, mediaUrl: playable(ad) ?? mediaUrl };
      return { at, durationMs: ad.durationMs, facts: { ...facts, delivery: 'offline' } };
    }),
  ];
}
