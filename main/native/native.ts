import type { NativeAd } from '../../shared/native';
import type { Basics } from '../basics';
import { kioskMacros } from '../beacons/ad-macros';
import type { Confirmation } from '../beacons/outbox';
import type { Context } from '../decisions/audience';
import type { Blocks } from '../decisions/blocks';
import type { MediaCache } from '../media/media-cache';
import { mediaIdentity } from '../media/media-identity';
import type { Quarantine } from '../media/quarantine-store';
import { firstErrorUrls } from '../playback/answer-errors';
import { GIVEN_UP_AFTER, UNUSABLE } from '../playback/unusable-ads';
import type { ScreenSize } from '../service/ads-reading/choose-media';
import type { DeadEnd } from '../service/ads-reading/wrappers';
import type { ServiceFailure } from '../service/service-error';
import type { Settings } from '../settings/settings';
import { bannerHash, cardContent, cardMedia, noVideoCode } from './card-content';
import { createClicks, type LinkOpener } from './clicks';
import { createNativeAds, type NativeAdsParts } from './native-ads';
import { type BannerGuests, nativeBanners } from './native-banners';
import type { NativeAnswer, NativeClient } from './native-client';
import { createNativeSupply } from './native-supply';
import { createTapWitness } from './tap-witness';

export interface NativeParts
  extends BannerGuests,
    Pick<NativeAdsParts, 'outbox' | 'kiosk' | 'volume'>,
    Pick<Basics, 'clock' | 'schedule' | 'random' | 'newId' | 'log'> {
  readonly client: NativeClient;
  readonly media: Pick<
    MediaCache,
    'want' | 'lookup' | 'failures' | 'failedAs' | 'waitMs' | 'verified' | 'strike' | 'problemOf' | 'onChange'
  >;
  readonly quarantine: Pick<Quarantine, 'msFor'>;
  /** What the fleet's operator blocks now (rule 30). */
  readonly blocks: () => Blocks;
  readonly link: LinkOpener & {
    onVisit(listener: (isOpen: boolean, wayBack: boolean) => void): void;
    /** Ends the visit under way; does nothing without one. */
    close(): void;
  };
  /** The current values of the sensors. */
  readonly context: () => Context;
  readonly settings: Settings;
  readonly tell: (answer: NativeAnswer | ServiceFailure) => void;
  /** Resolves when everything that the clock was told so far is in force. */
  readonly settled: () => Promise<void>;
  /** While the link view is open nothing plays (rule 14). */
  readonly hold: (reason: string, holds: boolean) => void;
  /** Native ads came, went, or are wanted at once. */
  readonly changed: () => void;
  /** Whether a shopper may be there; where no sensor reports, always (rule 19). */
  readonly somebodyThere: () => boolean;
}

export type Native = ReturnType<typeof createNative>;

/** Events that count as a touch: its start, not a pointer that moves over the screen. */
const TOUCHES: ReadonlySet<string> = new Set(['mouseDown', 'touchStart', 'gestureTapDown']);

/** A card needs its second of view (rule 16) and a moment to be read, however short pictures are shown, ms. */
const SHORTEST_CARD_MS = 3_000;

/** A file that the cache will not try again within this time is given up at once, ms. */
const MAX_WAIT_MS = 60_000;

/** Native ads and the shopper sessions they are shown in (area C, rules 16 to 19). */
export function createNative(parts: NativeParts) {
  const { settings, kiosk, media, clock } = parts;
  const { refreshSeconds } = settings.native;
  const { screen } = kiosk;
  const callErrors = errorCaller(parts);
  const witness = createTapWitness();
  let adsHeld: readonly NativeAd[] = [];
  const cards = filesOfCards(parts);
  let isStageHeld = false;
  const { isOnDisk, isGivenUp, isHeldBack, isLost, unusableCode } = filesOf(media);
  const isQuarantined = (ad: NativeAd) => {
    const sha256 = bannerHash(ad);
    return sha256 !== null && parts.quarantine.msFor(sha256) > 0;
  };
  const isBlocked = blockCheck(parts);
  const supply = createNativeSupply({
    ...parts,
    rules: {
      refreshMs: refreshSeconds === null ? null : refreshSeconds * 1000,
      sessionIdleMs: settings.native.sessionIdleSeconds * 1000,
    },
    tell(answer) {
      parts.tell(answer);
      if (!('videoErrors' in answer)) return;
      callErrors(
        answer.videoErrors.map((error) => ({ ...error, kind: `vast-error-at-receipt-${error.position}` })),
      );
    },
    mayRequest: () => !isStageHeld && parts.somebodyThere(),
    onHeld(held) {
      adsHeld = held;
      ads.held(held);
      cards.want(held);
      queueMicrotask(dropUnshowable);
      parts.changed();
    },
  });
  /** An ad that can never be shown would delay the next request (rule 19). */
  const dropUnshowable = () => {
    const whys = new Map<string, string>();
    const errors: AdError[] = [];
    for (const ad of adsHeld) {
      const why = neverShowable(ad, screen, isLost);
      if (why !== null) {
        const errorCode = noVideoCode(ad, screen, unusableCode);
        const errorUrls = ad.assets.video?.errors ?? [];
        if (errorCode !== undefined)
          errors.push({ instance: ad.instance, kind: 'vast-error', errorUrls, errorCode });
        whys.set(ad.instance, why);
      } else if (isQuarantined(ad)) whys.set(ad.instance, 'its banner is quarantined');
      else if (isBlocked(ad)) whys.set(ad.instance, "the fleet's operator blocks it");
    }
    callErrors(errors);
    if (whys.size > 0) supply.dropped(whys);
  };
  parts.link.onVisit((isOpen, wayBack) => {
    if (wayBack) supply.sessionLeft();
    parts.hold('link-view', isOpen);
  });
  const clicks = createClicks({ ...parts, opener: parts.link, engaged: supply.engaged });
  const ads = createNativeAds({
    ...parts,
    supply,
    verified: media.verified,
    strike: media.strike,
    isOnDisk,
    unusableCode,
    isQuarantined,
    isBlocked,
    isSettled: (url) => isOnDisk(url) || isGivenUp(url) || isHeldBack(url),
    banners: nativeBanners({ ...parts, clicks, touched }),
    cardMs: Math.max(SHORTEST_CARD_MS, settings.playback.imageSeconds * 1000),
    language: settings.ui.language,
    tapped: (ad, part, playId, videoUrl) => clicks.tapped(ad, part, witness, playId, { videoUrl }),
  });
  // What may play is chosen again after each such change, of every file, by the playlist.
  media.onChange((url) => {
    if (cards.need(url)) dropUnshowable();
  });

  function touched(type: string): void {
    if (!TOUCHES.has(type)) return;
    const wasInSession = supply.inSession();
    supply.touched();
    if (!wasInSession) parts.changed();
  }

  return {
    ads,
    start: supply.start,
    stop: supply.stop,
    /** The stage is held, or not any more (rules 14 and 19). */
    stageHeld(holds: boolean): void {
      isStageHeld = holds;
      supply.look();
    },
    /** To be called when the blocks change: drops held ads and, if `atOnce`, what a tap opened on one, if blocked now. */
    blocksChanged(atOnce: boolean): void {
      dropUnshowable();
      const opened = clicks.lastOpened();
      if (atOnce && opened !== null && isBlocked(opened)) parts.link.close();
    },
    /** The screen has another size: other files may suit it better. */
    resized() {
      cards.want(adsHeld);
      dropUnshowable();
    },
    /** To be called when values of the sensors change, or the clock was set. */
    look: supply.look,
    /** Main saw an input event on the kiosk window. */
    input(type: string): void {
      witness.saw(type, clock.monotonic());
      touched(type);
    },
    inSession: supply.inSession,
    state: supply.state,
    /** The ads at hand, oldest first. */
    held: () => adsHeld,
  };
}

/** Returns whether the fleet's operator blocks an ad now, or something that its card could show (rule 30). */
const blockCheck =
  ({ blocks, media, kiosk: { screen } }: NativeParts) =>
  (ad: NativeAd): boolean => {
    const inForce = blocks();
    if (inForce.isEmpty) return false;
    const urls = cardMedia(ad, screen);
    const sha256 = [bannerHash(ad), ...urls.map((url) => media.lookup(url)?.sha256 ?? null)];
    const { campaignId } = ad.meta;
    // All files of its video show the same creative, also those that this kiosk would not choose.
    const videos = ad.assets.video?.mediaFiles.map(({ url }) => url) ?? [];
    const named = { adId: ad.instance, campaignId, urls: [...urls, ...videos], sha256 };
    return inForce.fitting(named) !== null;
  };

/** The files that the cards of the ads at hand need. */
function filesOfCards({ media, kiosk: { screen } }: NativeParts) {
  let needed: ReadonlySet<string> = new Set();
  return {
    want(ads: readonly NativeAd[]): void {
      const urls = ads.flatMap((ad) => cardMedia(ad, screen));
      needed = new Set(urls.map(mediaIdentity));
      media.want(
        'native',
        urls.map((url) => ({ url })),
      );
    },
    need: (url: string): boolean => needed.has(url),
  };
}

/** Which files of the cards can be had. */
function filesOf(media: NativeParts['media']) {
  const isOnDisk = (url: string) => media.lookup(url) !== null;
  const isLongAway = (url: string) => !isOnDisk(url) && media.waitMs(url) > MAX_WAIT_MS;
  /** The VAST error code of its last failed download; undefined: this kiosk or its network may be at fault. */
  const errorCodeOf = (url: string): number | undefined => {
    const last = media.failedAs(url);
    return last === null ? undefined : UNUSABLE[last.code];
  };
  /** Whether an ad that needs this file is dropped: of failed downloads, only errors of the file itself count. */
  const isLost = (url: string) =>
    isLongAway(url) ||
    (!isOnDisk(url) && errorCodeOf(url) !== undefined && (media.failedAs(url)?.times ?? 0) >= GIVEN_UP_AFTER);
  return {
    isOnDisk,
    isLost,
    /** The VAST error code of a lost file; undefined: it is not lost, or not by its own fault. */
    unusableCode: (url: string) => (isLost(url) ? errorCodeOf(url) : undefined),
    /** Whether a card does without this file: it failed three times in a row, or is not tried within a minute. */
    isGivenUp: (url: string) => isLongAway(url) || (!isOnDisk(url) && media.failures(url) >= GIVEN_UP_AFTER),
    /** Whether it is stored, so that it is never given up, but may not play: quarantined, or it cannot be read. */
    isHeldBack: (url: string) => ['harmful', 'unreadable'].includes(media.problemOf(url)?.code ?? ''),
  };
}

/** `kind`: the event of the ad, which is confirmed only once. */
type AdError = DeadEnd & Pick<Confirmation, 'instance' | 'kind'>;

/** Returns a function that calls the error URLs of ads, at most a hundred in a call (rule 1). */
function errorCaller({ outbox, kiosk, log }: NativeParts) {
  return (errors: readonly AdError[]): void => {
    const macros = kioskMacros(kiosk);
    for (const { instance, kind, errorUrls, errorCode } of firstErrorUrls(errors, log)) {
      const beacons = errorUrls.map((url, position) => ({ position, url }));
      void outbox.confirmOnce({ instance, kind, play: null, beacons, errorCode, macros });
    }
  };
}

/** Why an ad will never be shown: even with all its files, or without those that are lost; null: it may be. */
function neverShowable(ad: NativeAd, screen: ScreenSize, isLost: (url: string) => boolean): string | null {
  const files = new Set(cardMedia(ad, screen));
  const canBeShown = (isThere: (url: string) => boolean) =>
    cardContent(ad, screen, (url) => (files.has(url) && isThere(url) ? url : null)) !== null;
  if (!canBeShown(() => true)) return 'nothing of it can be shown here';
  return canBeShown((url) => !isLost(url)) ? null : 'its media cannot be fetched';
}
