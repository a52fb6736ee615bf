import type { NativeAd } from '../../shared/native';
import type { Schedule } from '../service/schedule';

/** A banner is loaded at most so long before its slot, ms (rule 17). */
export const BANNER_LEAD_MS = 2_500;
/** One that has painted nothing so long after its load is given up, ms (rule 17). */
const PAINT_DEADLINE_MS = 15_000;

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

/** Which banners paint late, and what comes of them (rule 17). */
export interface LateBanners {
  /** The ad; without its banner where that is given up. */
  shown(ad: NativeAd): NativeAd;
  /** Whether its banner gave way and has painted nothing yet: other ads take the slots. */
  isAwaited(ad: NativeAd): boolean;
  /** The guest that gave way, to be shown now that it has painted; else the one that `open` makes. */
  guest(ad: NativeAd, open: (signs: BannerSigns) => Promise<BannerGuest>): Promise<BannerGuest>;
  /** It had painted nothing when its slot came near, and goes on loading. */
  gaveWay(ad: NativeAd): void;
  giveUp(ad: NativeAd): void;
}

interface Known {
  guest: BannerGuest | null;
  state: 'opened' | 'painted' | 'late' | 'late-and-painted' | 'given-up';
}

/** `onPainted`: one that was late may be shown. `onDeadline`: one that was late is given up. */
export function createLateBanners(options: {
  readonly schedule: Schedule;
  readonly onPainted: () => void;
  readonly onDeadline: (ad: NativeAd) => void;
}): LateBanners {
  const banners = new WeakMap<NativeAd, Known>();
  const isGivenUp = (ad: NativeAd) => banners.get(ad)?.state === 'given-up';
  const giveUp = (ad: NativeAd) => void banners.set(ad, { guest: null, state: 'given-up' });
  return {
    shown: (ad) => (isGivenUp(ad) ? { ...ad, assets: { ...ad.assets, htmlBanner: null } } : ad),
    isAwaited: (ad) => banners.get(ad)?.state === 'late',
    async guest(ad, open) {
      const before = banners.get(ad);
      if (before?.guest && before.state === 'late-and-painted') return before.guest;
      const known: Known = { guest: null, state: 'opened' };
      banners.set(ad, known);
      known.guest = await open({
        loads() {
          options.schedule(PAINT_DEADLINE_MS, () => {
            if (banners.get(ad) !== known || known.state !== 'late') return;
            giveUp(ad);
            options.onDeadline(ad);
          });
        },
        painted() {
          if (banners.get(ad) !== known) return;
          const wasLate = known.state === 'late';
          if (known.state === 'opened') known.state = 'painted';
          if (wasLate) known.state = 'late-and-painted';
          if (wasLate) options.onPainted();
        },
      });
      return known.guest;
    },
    gaveWay(ad) {
      const known = banners.get(ad);
      // Late twice: the page that held it is gone.
      if (known === undefined || known.state === 'late-and-painted') giveUp(ad);
      // Main may have seen it paint after the page gave it up.
      else known.state = known.state === 'painted' ? 'late-and-painted' : 'late';
    },
    giveUp,
  };
}
