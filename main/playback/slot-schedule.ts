import type { SlotAd, SlotAds, SlotFacts } from './slot-ad';

export interface SlotScheduleParts {
  /** Ads of the service: the loop. */
  readonly service: SlotAds;
  /** Native ads, or null where they are off. */
  readonly native: SlotAds | null;
  /** What plays when no ad may, or null where the store has none (rule 12). */
  readonly house: SlotAds | null;
  readonly everySlots: number;
  /** Whether a shopper is at the screen: native ads are then due at every slot (rule 19). */
  readonly inSession: () => boolean;
  /** Whether somebody may be there to see a native ad; always true where no sensor reports (rule 19). */
  readonly somebodyThere: () => boolean;
}

/**
 * The schedule: the service's ads, a native ad once every `everySlots` slots, and house creatives if neither may play.
 */
export function createSlotSchedule(parts: SlotScheduleParts) {
  let sinceNative = 0;

  function nativeAd(at: number): SlotAd | null {
    if (!parts.native) return null;
    const due = parts.inSession() || (sinceNative >= parts.everySlots && parts.somebodyThere());
    return due ? parts.native.choose(at) : null;
  }

  return {
    choose: (at: number): SlotAd | null =>
      nativeAd(at) ?? parts.service.choose(at) ?? parts.house?.choose(at) ?? null,
    /**
     * A slot of this kind is reserved. Call it before the next ad is chosen. A play that becomes void counts here too.
     */
    reserved({ delivery }: Pick<SlotFacts, 'delivery'>): void {
      sinceNative = delivery === 'native' ? 0 : sinceNative + 1;
    },
  };
}
