import type { NativeAd, NativeAssets, NativeMeta } from '../../../shared/native';

const NO_ASSETS: NativeAssets = {
  icon: null,
  banner: null,
  title: null,
  description: null,
  rating: null,
  callToAction: null,
  standardBanner: null,
  htmlBanner: null,
  video: null,
};

export const NO_META: NativeMeta = {
  points: null,
  revenueModel: null,
  campaignId: null,
  creativeId: null,
  bundleId: null,
  contentInfo: null,
};

/** An ad of this instance with a title, and with whatever else is given. */
export function nativeAdForTest(
  instance: string,
  {
    assets,
    meta,
    ...rest
  }: Partial<Omit<NativeAd, 'assets' | 'meta'>> & {
    assets?: Partial<NativeAssets>;
    meta?: Partial<NativeMeta>;
  } = {},
): NativeAd {
  return {
    instance,
    link: 'https://shop.example/',
    assetGroupId: null,
    assets: { ...NO_ASSETS, title: instance, ...assets },
    meta: { ...NO_META, ...meta },
    beacons: [],
    ...rest,
  };
}
