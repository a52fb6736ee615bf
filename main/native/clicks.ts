import type { NativeAd, NativeCardPart } from '../../shared/native';
import type { Basics } from '../basics';
import { beaconUrls, eightDigits } from '../beacons/macros';
import { limitedLog } from '../limited-log';
import { type LinkTarget, linkTarget, videoTarget } from './link-target';
import { type NativeAdsParts, nativeMacros } from './native-ads';
import type { TapWitness } from './tap-witness';

/** Opens the target of a tap; the shell implements it. */
export interface LinkOpener {
  /** The page in the link view, with a way back. */
  open(url: string): void;
  /** A page that only a phone can use: its final address, found by following redirects unseen, as a QR code. */
  continueOnPhone(url: string, title: string | null): void;
  /** Something that is no web address, as a QR code. */
  showCode(text: string, title: string | null): void;
}

export interface ClicksParts
  extends Pick<NativeAdsParts, 'outbox' | 'kiosk' | 'volume'>,
    Pick<Basics, 'clock' | 'random' | 'newId' | 'log'> {
  readonly opener: LinkOpener;
  /** A genuine click: a fresh request follows (rule 19). */
  readonly engaged: () => void;
}

export type Clicks = ReturnType<typeof createClicks>;

/** Lines of the log, at once and an hour: a banner may try without end. */
const MAX_LINES = 10;

/**
 * Clicks on native ads (rule 18). A click counts only after an input event that main saw. All click beacons
 * are sent, even if the link cannot be opened; opening it does not wait for them.
 */
export function createClicks(parts: ClicksParts) {
  const untapped = limitedLog(parts, MAX_LINES);
  let lastOpened: NativeAd | null = null;

  function lead(target: LinkTarget, ad: NativeAd): void {
    const { title } = ad.assets;
    lastOpened = ad;
    if (target.kind === 'qr') parts.opener.showCode(target.text, title);
    else if (ad.meta.revenueModel === 'CPA') parts.opener.continueOnPhone(target.url, title);
    else parts.opener.open(target.url);
  }

  return {
    /** The ad on which a tap opened something last; null: none. */
    lastOpened: () => lastOpened,
    /**
     * @param witness of the window or guest that the tap landed on
     * @param playId the play that shows the ad
     * @param more.destination where a banner itself wanted to go; counts for an ad without a link
     * @param more.videoUrl of the video that the card shows; empty: it shows none
     */
    tapped(
      ad: NativeAd,
      part: NativeCardPart,
      witness: TapWitness,
      playId: string | null,
      more: { readonly destination?: string | null; readonly videoUrl?: string } = {},
    ): void {
      const { destination = null, videoUrl = '' } = more;
      if (!witness.claim(parts.clock.monotonic())) {
        untapped.warn('a click without a tap was not counted', { instance: ad.instance, part });
        return;
      }
      if (part === 'content-info') {
        // About the ad, not a click on it.
        const about = linkTarget(ad.meta.contentInfo?.link ?? null);
        if (about?.kind !== 'web') return;
        lastOpened = ad;
        parts.opener.open(about.url);
        return;
      }
      const macros = nativeMacros(parts, ad, videoUrl, null);
      const moment = { at: parts.clock.now(), cacheBuster: eightDigits(parts.random), macros };
      const own = linkTarget(ad.link);
      const videoPage = own ? null : videoTarget(ad, beaconUrls(moment, null));
      // On a card without its video, a tap is a click on the video only if it leads to the video's page.
      const isOfVideo = videoUrl !== '' || videoPage !== null;
      const urls = [
        ...ad.beacons.flatMap((beacon) => (beacon.kind === 'click' ? [beacon.url] : [])),
        ...(isOfVideo ? (ad.assets.video?.clickTracking ?? []) : []),
      ];
      void parts.outbox.confirmOnce({
        instance: ad.instance,
        // Each genuine tap is a click of its own.
        kind: `click-${parts.newId()}`,
        play: playId,
        beacons: urls.map((url, position) => ({ position, url })),
        macros,
      });
      parts.engaged();
      // The click counts even where nothing can be opened.
      const target = own ?? videoPage ?? linkTarget(destination);
      if (target) lead(target, ad);
    },
  };
}
