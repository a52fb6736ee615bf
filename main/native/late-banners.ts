import type { NativeAd } from '../../shared/native';
import { BANNER_PAINT_DEADLINE_MS } from '../../shared/stage';
import { createGuestErrors, type GuestErrors, MAX_AD_MS } from '../playback/slot-ad';
import type { Schedule } from '../schedule';

/** How long before its slot a banner is loaded at most, ms (rule 16). */
export const BANNER_LEAD_MS = 2_500;
/**
 * A late banner that has painted waits at most this long for a slot, ms: one slot may take ten minutes, and in a closed
 * store its scripts would run unseen all night.
 */
const MAX_UNSEEN_MS = MAX_AD_MS;

/** A banner that the kiosk window loads, or will. */
export interface BannerGuest {
  readonly url: string;
  readonly partition: string;
}

export interface BannerSigns {
  /** Its markup begins to load. */
  loads(): void;
  /** It has painted something. */
  painted(): void;
  /** A script of it failed, or violated its policy; `detail` in a few words. Called ten times at most. */
  scriptFailed(detail: string): void;
}

export type LateBanners = ReturnType<typeof createLateBanners>;

interface Known {
  guest: BannerGuest | null;
  readonly errors: GuestErrors;
  /** Whether the 15 s from its load are being counted; at their end a late banner is given up. */
  hasDeadline: boolean;
  /** `handed-on`: it was late, and is prepared for a second slot. Its guest ends with that slot. */
  state: 'opened' | 'painted' | 'late' | 'late-and-painted' | 'handed-on' | 'given-up';
}

/**
 * Tracks banners that paint late (rule 16).
 * @param options.onPainted a late banner can be shown now
 * @param options.onDeadline a late banner was given up
 * @param options.onGone a late banner is not shown: its ad is at hand no more, or got no slot for too long
 */
export function createLateBanners(options: {
  readonly schedule: Schedule;
  readonly onPainted: () => void;
  readonly onDeadline: (ad: NativeAd) => void;
  readonly onGone: (ad: NativeAd) => void;
}) {
  const banners = new WeakMap<NativeAd, Known>();
  /** The ads of late banners, until their second slot. */
  const late = new Set<NativeAd>();
  const isGivenUp = (ad: NativeAd) => banners.get(ad)?.state === 'given-up';
  /** Whether a late banner has painted nothing yet. */
  const isAnyAwaited = () => [...late].some((ad) => banners.get(ad)?.state === 'late');
  function giveUp(ad: NativeAd): void {
    late.delete(ad);
    banners.set(ad, { guest: null, errors: createGuestErrors(), hasDeadline: false, state: 'given-up' });
  }
  function giveUpLater(ad: NativeAd, known: Known): void {
    known.hasDeadline = true;
    options.schedule(BANNER_PAINT_DEADLINE_MS, () => {
      known.hasDeadline = false;
      if (banners.get(ad) !== known || known.state !== 'late') return;
      giveUp(ad);
      options.onDeadline(ad);
    });
  }
  function keepForSlot(ad: NativeAd, known: Known): void {
    known.state = 'late-and-painted';
    options.schedule(MAX_UNSEEN_MS, () => {
      if (banners.get(ad) !== known || known.state !== 'late-and-painted') return;
      // It is opened again for its slot.
      banners.delete(ad);
      late.delete(ad);
      options.onGone(ad);
    });
  }
  return {
    /** The ad, without its banner if that was given up. */
    withoutGivenUp: (ad: NativeAd) =>
      isGivenUp(ad) ? { ...ad, assets: { ...ad.assets, htmlBanner: null } } : ad,
    /**
     * Whether the ad has to wait: a late banner has painted nothing yet, and this is its ad or another ad with a banner.
     * Meanwhile ads without a banner take the slots, because another banner could be late too.
     */
    isAwaited: (ad: NativeAd) => ad.assets.htmlBanner !== null && !isGivenUp(ad) && isAnyAwaited(),
    /** The guest of a late banner that has painted by now; else a new one from `open`. */
    async guest(
      ad: NativeAd,
      open: (signs: BannerSigns) => Promise<BannerGuest>,
    ): Promise<BannerGuest & { readonly errors: GuestErrors['all'] }> {
      const before = banners.get(ad);
      if (before?.guest && before.state === 'late-and-painted') {
        before.state = 'handed-on';
        late.delete(ad);
        return { ...before.guest, errors: before.errors.all };
      }
      const errors = createGuestErrors();
      const known: Known = { guest: null, errors, hasDeadline: false, state: 'opened' };
      banners.set(ad, known);
      known.guest = await open({
        loads: () => giveUpLater(ad, known),
        painted() {
          if (banners.get(ad) !== known) return;
          const wasLate = known.state === 'late';
          if (known.state === 'opened') known.state = 'painted';
          if (!wasLate) return;
          keepForSlot(ad, known);
          options.onPainted();
        },
        scriptFailed: known.errors.add,
      });
      return { ...known.guest, errors: known.errors.all };
    },
    /** To be called when a banner has painted nothing shortly before its slot; it goes on loading. */
    gaveWay(ad: NativeAd): void {
      const known = banners.get(ad);
      // Late a second time: the page that contained its guest is gone.
      if (known === undefined || known.state === 'handed-on') {
        giveUp(ad);
        return;
      }
      late.add(ad);
      // Main may see it paint after the kiosk page reported it as late, or before that is reported again.
      if (known.state === 'painted') keepForSlot(ad, known);
      else if (known.state !== 'late-and-painted') {
        known.state = 'late';
        // It may never load, if the page for it is gone, or the machine slept since; without a deadline other banners
        // would wait for ever.
        if (!known.hasDeadline) giveUpLater(ad, known);
      }
    },
    /** To be called when the ads at hand change. */
    held(ads: readonly NativeAd[]): void {
      for (const ad of late) {
        if (ads.includes(ad)) continue;
        giveUp(ad);
        options.onGone(ad);
      }
    },
    giveUp,
  };
}
