import type { NativeAd } from '../../shared/native';
import { BANNER_PAINT_DEADLINE_MS } from '../../shared/stage';
import { createGuestErrors, type GuestErrors } from '../playback/guest-errors';
import type { Schedule } from '../service/schedule';

/** A banner is loaded at most so long before its slot, ms (rule 17). */
export const BANNER_LEAD_MS = 2_500;

/** A banner that the kiosk window loads, or will. */
export interface BannerGuest {
  readonly url: string;
  readonly partition: string;
}

/** What is seen of a banner's guest. */
export interface BannerSigns {
  /** Its markup begins to load. */
  loads(): void;
  /** It has painted something. */
  painted(): void;
}

/** What is heard of a banner's guest. */
export interface BannerReports extends BannerSigns {
  /** A script of it failed, or did what its policy holds. */
  failed(detail: string): void;
}

/** Which banners paint late, and what comes of them (rule 17). */
export interface LateBanners {
  /** The ad; without its banner where that is given up. */
  shown(ad: NativeAd): NativeAd;
  /**
   * Whether a banner that gave way has painted nothing yet, and this is its ad or another one with a banner:
   * ads without one take the slots, for another banner would be waited for as well.
   */
  isAwaited(ad: NativeAd): boolean;
  /** The guest that gave way, to be shown now that it has painted; else the one that `open` makes. */
  guest(
    ad: NativeAd,
    open: (reports: BannerReports) => Promise<BannerGuest>,
  ): Promise<BannerGuest & { readonly errors: GuestErrors['all'] }>;
  /** It had painted nothing when its slot came near, and goes on loading. */
  gaveWay(ad: NativeAd): void;
  giveUp(ad: NativeAd): void;
}

interface Known {
  guest: BannerGuest | null;
  readonly errors: GuestErrors;
  /** Its markup has begun to load. */
  hasLoaded: boolean;
  state: 'opened' | 'painted' | 'late' | 'late-and-painted' | 'given-up';
}

/** `onPainted`: one that was late may be shown. `onDeadline`: one that was late is given up. */
export function createLateBanners(options: {
  readonly schedule: Schedule;
  readonly onPainted: () => void;
  readonly onDeadline: (ad: NativeAd) => void;
}): LateBanners {
  const banners = new WeakMap<NativeAd, Known>();
  /** At most one at a time gave way and has painted nothing yet. */
  let awaited: NativeAd | null = null;
  const isGivenUp = (ad: NativeAd) => banners.get(ad)?.state === 'given-up';
  function giveUp(ad: NativeAd): void {
    if (awaited === ad) awaited = null;
    banners.set(ad, { guest: null, errors: createGuestErrors(), hasLoaded: false, state: 'given-up' });
  }
  function giveUpLater(ad: NativeAd, known: Known): void {
    options.schedule(BANNER_PAINT_DEADLINE_MS, () => {
      if (banners.get(ad) !== known || known.state !== 'late') return;
      giveUp(ad);
      options.onDeadline(ad);
    });
  }
  return {
    shown: (ad) => (isGivenUp(ad) ? { ...ad, assets: { ...ad.assets, htmlBanner: null } } : ad),
    isAwaited: (ad) =>
      awaited !== null && (ad === awaited || (ad.assets.htmlBanner !== null && !isGivenUp(ad))),
    async guest(ad, open) {
      const before = banners.get(ad);
      if (before?.guest && before.state === 'late-and-painted')
        return { ...before.guest, errors: before.errors.all };
      const known: Known = { guest: null, errors: createGuestErrors(), hasLoaded: false, state: 'opened' };
      banners.set(ad, known);
      known.guest = await open({
        loads() {
          known.hasLoaded = true;
          giveUpLater(ad, known);
        },
        painted() {
          if (banners.get(ad) !== known) return;
          const wasLate = known.state === 'late';
          if (known.state === 'opened') known.state = 'painted';
          if (!wasLate) return;
          known.state = 'late-and-painted';
          if (awaited === ad) awaited = null;
          options.onPainted();
        },
        failed: known.errors.add,
      });
      return { ...known.guest, errors: known.errors.all };
    },
    gaveWay(ad) {
      const known = banners.get(ad);
      // Late twice: the page that held it is gone.
      if (known === undefined || known.state === 'late-and-painted') giveUp(ad);
      // Main may have seen it paint after the page gave it up.
      else if (known.state === 'painted') known.state = 'late-and-painted';
      else {
        known.state = 'late';
        awaited = ad;
        // Or it never loads: the page that was to hold it may be gone, and other banners wait for it.
        if (!known.hasLoaded) giveUpLater(ad, known);
      }
    },
    giveUp,
  };
}
