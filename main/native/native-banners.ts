import type { NativeAd } from '../../shared/native';
import type { Basics } from '../basics';
import type { Clicks } from './clicks';
import type { BannerGuest, BannerSigns } from './late-banners';
import type { NativeAdsParts } from './native-ads';
import { createTapWitness } from './tap-witness';

/** What a banner does (rules 17 and 18). */
export interface BannerListener extends BannerSigns {
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It tried to navigate; that was blocked. */
  navigated(url: string): void;
}

/** Guests of the kiosk window, for banners of markup. */
export interface BannerGuests {
  readonly openBanner: (id: string, html: string, listener: BannerListener) => Promise<BannerGuest>;
  /** Called when the banner appears on the screen or leaves it. */
  readonly showBanner: (id: string, isShown: boolean) => void;
  readonly closeBanner: (id: string) => void;
}

interface NativeBannersParts extends BannerGuests, Pick<Basics, 'clock' | 'log'> {
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
  /** The play that shows a banner: not known when it is opened, because a late banner is shown in a later slot. */
  const plays = new WeakMap<NativeAd, string>();
  return {
    open(ad, html, signs) {
      plays.delete(ad);
      const playId = () => plays.get(ad) ?? null;
      // Each banner has its own witness: a tap elsewhere does not make its navigation a click.
      const onBanner = createTapWitness();
      return parts.openBanner(bannerOf(ad), html, {
        ...signs,
        input(type) {
          onBanner.saw(type, clock.monotonic());
          parts.touched(type);
        },
        navigated: (destination) => clicks.tapped(ad, 'picture', onBanner, playId(), { destination }),
        scriptFailed(detail) {
          signs.scriptFailed(detail);
          log.warn('a script of a banner failed', { instance: ad.instance, play: playId(), detail });
        },
      });
    },
    shown(ad, playId) {
      plays.set(ad, playId);
      parts.showBanner(bannerOf(ad), true);
    },
    left: (ad) => parts.showBanner(bannerOf(ad), false),
    close: (ad) => parts.closeBanner(bannerOf(ad)),
  };
}

/** The id becomes a host name. */
function bannerOf({ instance }: NativeAd): string {
  return `banner-${instance}`.toLowerCase().replace(/[^a-z0-9]/g, '-');
}
