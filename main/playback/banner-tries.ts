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
  /** It painted nothing for the slot at `at`, ms since the epoch: another ad takes that slot. */
  failed(ad: NativeAd, at: number): void;
  /** Whether it gave way for this very slot. */
  gaveWay(ad: NativeAd, at: number): boolean;
}

export function createBannerTries(): BannerTries {
  const tries = new WeakMap<NativeAd, { readonly count: number; readonly at: number }>();
  const leadMs = (ad: NativeAd) => [LEAD_MS, SECOND_LEAD_MS][tries.get(ad)?.count ?? 0] ?? null;
  return {
    leadMs,
    shown: (ad) => (leadMs(ad) === null ? { ...ad, assets: { ...ad.assets, htmlBanner: null } } : ad),
    failed(ad, at) {
      tries.set(ad, { count: (tries.get(ad)?.count ?? 0) + 1, at });
    },
    gaveWay(ad, at) {
      const last = tries.get(ad);
      return last !== undefined && Math.abs(at - last.at) < SAME_SLOT_MS;
    },
  };
}
