import type { NativeAd } from '../../shared/native';

/** A banner is loaded at most so long before its slot, ms (rule 17). */
const LEAD_MS = 2_500;
/** One that painted nothing by then is loaded once more for so long at most, before a later slot, ms. */
const SECOND_LEAD_MS = 15_000;
/** A slot that begins so close to another is the same one, ms. */
const SAME_SLOT_MS = 1_000;

/** How the banner of an ad is to be loaded next. */
export interface BannerTries {
  /** ms before its slot; null: it was tried twice in vain, and the ad does without it. */
  leadMs(ad: NativeAd): number | null;
  /** The ad without a banner that was tried in vain. */
  shown(ad: NativeAd): NativeAd;
  /** It painted nothing in time: another ad takes the slot that is asked for next. */
  failed(ad: NativeAd): void;
  /**
   * Whether the ad is not for the slot at `at`, ms since the epoch: a banner gave way for it, and
   * another one would be waited for as well, and another one after that.
   */
  gaveWay(ad: NativeAd, at: number): boolean;
}

export function createBannerTries(): BannerTries {
  const tries = new WeakMap<NativeAd, number>();
  /** When the slot begins that a banner gave way for last; `next`: the one that is asked for next. */
  let slot: number | 'next' | null = null;
  let last: NativeAd | null = null;
  const leadMs = (ad: NativeAd) => [LEAD_MS, SECOND_LEAD_MS][tries.get(ad) ?? 0] ?? null;
  return {
    leadMs,
    shown: (ad) => (leadMs(ad) === null ? { ...ad, assets: { ...ad.assets, htmlBanner: null } } : ad),
    failed(ad) {
      tries.set(ad, (tries.get(ad) ?? 0) + 1);
      slot = 'next';
      last = ad;
    },
    gaveWay(ad, at) {
      if (slot === null) return false;
      // When that slot begins was not known for sure while its banner was prepared.
      if (slot === 'next') slot = at;
      if (Math.abs(at - slot) >= SAME_SLOT_MS) return false;
      return ad === last || (ad.assets.htmlBanner !== null && leadMs(ad) !== null);
    },
  };
}
