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

/**
 * Guests for the banners of native ads. Taps on them are clicks; errors of their scripts are recorded with
 * the ad.
 */
export function nativeBanners(parts: NativeBannersParts): NativeAdsParts['banners'] {
  const { clicks, clock, log } = parts;
  return {
    open(ad, html, playId, { failed, ...signs }) {
      // Each banner has its own witness: a tap elsewhere does not make its navigation a click.
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
