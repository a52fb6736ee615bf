import type { NativeAd } from '../../shared/native';
import type { Clicks } from './clicks';
import type { NativeParts } from './native';
import type { NativeAdsParts } from './native-ads';
import { createTapWitness } from './tap-witness';

interface NativeBannersParts
  extends Pick<NativeParts, 'openBanner' | 'showBanner' | 'closeBanner' | 'clock' | 'log'> {
  readonly clicks: Clicks;
  /** Main saw an input event on a banner. */
  readonly touched: (type: string) => void;
}

/** Guests for the banners of native ads: taps on them are clicks, their errors are the ad's. */
export function nativeBanners(parts: NativeBannersParts): NativeAdsParts['banners'] {
  const { clicks, clock, log } = parts;
  return {
    open(ad, html, playId, { failed, ...signs }) {
      // A tap elsewhere is no reason to believe what a banner does by itself.
      const onBanner = createTapWitness();
      return parts.openBanner(bannerOf(ad), html, {
        input(type) {
          onBanner.saw(type, clock.monotonic());
          parts.touched(type);
        },
        navigated: (url) => clicks.tapped(ad, 'picture', onBanner, playId(), url),
        faulty(detail) {
          failed(detail);
          log.warn('a script of a banner failed', { instance: ad.instance, play: playId(), detail });
        },
        ...signs,
      });
    },
    viewable: (ad, isViewable) => parts.showBanner(bannerOf(ad), isViewable),
    close: (ad) => parts.closeBanner(bannerOf(ad)),
  };
}

/** The id becomes a host name. */
function bannerOf({ instance }: NativeAd): string {
  return `banner-${instance}`.toLowerCase().replace(/[^a-z0-9]/g, '-');
}
