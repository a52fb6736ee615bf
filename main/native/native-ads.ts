import type { NativeAd, NativeCardPart } from '../../shared/native';
import { BANNER_PAINT_DEADLINE_MS, type StageCreative } from '../../shared/stage';
import { adMacros, type KioskFacts, type MacroEvent } from '../beacons/ad-macros';
import type { AskedBeacon } from '../beacons/new-beacons';
import type { Confirmation, Outbox } from '../beacons/outbox';
import type { CachedMedia, MediaCache } from '../media/media-cache';
import { mediaIdentity } from '../media/media-identity';
import { PAGE_TYPE } from '../media/media-type';
import type { DrawnFile } from '../media/quarantine';
import {
  MAX_AD_MS,
  type SlotAd,
  type SlotAds,
  type SlotEvent,
  type SlotFacts,
  UNCOUNTED,
} from '../playback/slot-ad';
import { progressMarks, vastErrorCode, vastEvents } from '../playback/vast-events';
import type { Schedule } from '../schedule';
import { bannerHash, cardContent, cardMedia, noVideoCode, shownFile } from './card-content';
import {
  BANNER_LEAD_MS,
  type BannerGuest,
  type BannerSigns,
  createLateBanners,
  type LateBanners,
} from './late-banners';
import type { NativeSupply } from './native-supply';

export interface NativeAdsParts {
  readonly supply: Pick<NativeSupply, 'next' | 'presented' | 'leftScreen' | 'confirmed' | 'dropped'>;
  readonly outbox: Pick<Outbox, 'confirmOnce'>;
  /** The file after a check of its bytes; null: missing or broken. */
  readonly verified: (url: string) => Promise<Pick<CachedMedia, 'key' | 'sha256' | 'type'> | null>;
  readonly strike: MediaCache['strike'];
  /** Whether a file is on disk, or could not be fetched: then the card does without it. */
  readonly isSettled: (url: string) => boolean;
  readonly isOnDisk: (url: string) => boolean;
  /** The VAST error code of a lost file; undefined: it is not lost, or this kiosk or its network may be at fault. */
  readonly unusableCode: (url: string) => number | undefined;
  /** Its banner did harm (rule 11). */
  readonly isQuarantined: (ad: NativeAd) => boolean;
  /** The fleet's operator blocks it, or something that its card shows (rule 30). */
  readonly isBlocked: (ad: NativeAd) => boolean;
  readonly banners: {
    open(ad: NativeAd, html: string, signs: BannerSigns): Promise<BannerGuest>;
    /** To be called at the first frame of its slot. */
    shown(ad: NativeAd, playId: string): void;
    /** It left the screen. */
    left(ad: NativeAd): void;
    close(ad: NativeAd): void;
  };
  readonly schedule: Schedule;
  /** Called when `choose` may return another ad. */
  readonly changed: () => void;
  readonly kiosk: KioskFacts;
  /** How long a card without a video is shown, ms. */
  readonly cardMs: number;
  /** 0 (silent) to 1. */
  readonly volume: () => number;
  readonly language: string;
  /** `videoUrl`: of the video that its card shows; empty: it shows none. */
  readonly tapped: (ad: NativeAd, part: NativeCardPart, playId: string | null, videoUrl: string) => void;
}

/** Native ads as slots (area C). Their impressions follow rule 16, not the play's first frame. */
export function createNativeAds(parts: NativeAdsParts): SlotAds & Pick<LateBanners, 'held'> {
  const banners = createLateBanners({
    schedule: parts.schedule,
    onPainted: parts.changed,
    onDeadline(ad) {
      parts.banners.close(ad);
      const why = `the banner painted nothing within ${BANNER_PAINT_DEADLINE_MS / 1_000} s`;
      if (!hasFallback(parts, banners.withoutGivenUp(ad)))
        parts.supply.dropped(new Map([[ad.instance, why]]));
      parts.changed();
    },
    onGone: parts.banners.close,
  });
  /** Its card can be drawn, and nothing it could use is still on its way. */
  const isReady = (ad: NativeAd): boolean =>
    !parts.isQuarantined(ad) &&
    !parts.isBlocked(ad) &&
    cardMedia(ad, parts.kiosk.screen).every(parts.isSettled) &&
    contentOnDisk(parts, ad) !== null;
  /** Pictures of each ad that the stage could not show. */
  const unseen = new WeakMap<NativeAd, Set<string>>();
  const unseenOf = (ad: NativeAd): Set<string> => {
    const urls = unseen.get(ad) ?? new Set();
    unseen.set(ad, urls);
    return urls;
  };
  const canBeShown = (ad: NativeAd): boolean => isReady(ad) && !banners.isAwaited(ad);
  return {
    choose() {
      const ad = parts.supply.next(canBeShown);
      return ad && new NativeSlot(parts, ad, banners, canBeShown, unseenOf(ad));
    },
    held: banners.held,
  };
}

/** The card with the files that are on disk; null: it cannot be drawn. */
function contentOnDisk({ kiosk, isOnDisk }: NativeAdsParts, ad: NativeAd) {
  return cardContent(ad, kiosk.screen, (url) => (isOnDisk(url) ? 'media://cache/ready' : null));
}

/** Whether there is a picture to show in place of a banner of markup. */
function hasFallback(parts: NativeAdsParts, ad: NativeAd): boolean {
  return contentOnDisk(parts, ad)?.picture?.kind === 'image';
}

interface VideoMoment extends Pick<Confirmation, 'at' | 'errorCode'>, Pick<MacroEvent, 'share' | 'reason'> {}

class NativeSlot implements SlotAd {
  facts: SlotFacts;
  readonly files: readonly string[];
  drawn: readonly DrawnFile[] = [];
  guestErrors: readonly string[] = [];
  /** Whether its card is prepared with a banner of markup. */
  #hasBanner = false;
  #hasFailed = false;
  #hasVideo = false;
  /** The file of its picture, if its card was prepared with an image; null: it was not. */
  #picture: string | null = null;
  /** The play that shows it; null until its first frame. */
  #play: string | null = null;

  constructor(
    private readonly parts: NativeAdsParts,
    private readonly ad: NativeAd,
    private readonly banners: LateBanners,
    private readonly canBeShown: (ad: NativeAd) => boolean,
    private readonly unseen: Set<string>,
  ) {
    this.files = cardMedia(ad, parts.kiosk.screen);
    this.facts = {
      adId: ad.instance,
      requestId: ad.instance,
      flightId: null,
      campaignId: ad.meta.campaignId,
      source: 'native',
      sourceId: null,
      mediaUrl: mediaIdentity(shownFile(banners.withoutGivenUp(ad), parts.kiosk.screen, this.#isThere)),
      delivery: 'native',
      native: {
        assetGroupId: ad.assetGroupId,
        creativeId: ad.meta.creativeId,
        bundleId: ad.meta.bundleId,
        revenueModel: ad.meta.revenueModel,
      },
      durationMs: ad.assets.video?.durationMs ?? null,
      frequencyCaps: [],
    };
  }

  readonly #isThere = (url: string): boolean => !this.unseen.has(url) && this.parts.isOnDisk(url);

  mayPlay(): boolean {
    // Even if another one is ready by now that would be chosen before it: it is prepared.
    const isThis = ({ instance }: NativeAd) => instance === this.ad.instance;
    return this.parts.supply.next((ad) => isThis(ad) && this.canBeShown(ad)) !== null;
  }

  isBlocked(): boolean {
    return this.parts.isBlocked(this.ad);
  }

  isSame(other: SlotAd): boolean {
    return other instanceof NativeSlot && other.ad.instance === this.ad.instance;
  }

  async creative(): Promise<StageCreative | null> {
    const { kiosk, language, volume } = this.parts;
    const { screen } = kiosk;
    const verified = new Map<string, string>();
    const drawn: DrawnFile[] = [];
    for (const url of cardMedia(this.ad, screen)) {
      const local = this.unseen.has(url) ? null : await this.parts.verified(url);
      if (local === null) continue;
      verified.set(url, `media://cache/${local.key}`);
      drawn.push({ sha256: local.sha256, name: mediaIdentity(url), guest: null, type: local.type });
    }
    const localUrl = (url: string) => verified.get(url) ?? null;
    const shown = this.banners.withoutGivenUp(this.ad);
    const content = cardContent(shown, screen, localUrl);
    if (!content) return null;
    // The files on disk are verified only now, and a broken one is not shown.
    const shownUrl = shownFile(shown, screen, (url) => verified.has(url));
    this.#hasVideo = content.picture?.kind === 'video';
    this.#picture = content.picture?.kind === 'image' ? shownUrl : null;
    const video = this.#hasVideo ? localUrl(shownUrl) : null;
    const ids = this.#hasVideo ? this.ad.assets.video?.ids : undefined;
    this.facts = { ...this.facts, mediaUrl: mediaIdentity(shownUrl), ...(ids && { ids }) };
    const banner = content.picture?.kind === 'html' ? await this.#openBanner() : null;
    const sha256 = banner && bannerHash(this.ad);
    if (banner && sha256)
      drawn.push({ sha256, name: `banner of ${this.ad.instance}`, guest: banner.url, type: PAGE_TYPE });
    this.drawn = drawn;
    return {
      kind: 'card',
      content,
      language,
      video,
      banner,
      durationMs: video ? null : this.parts.cardMs,
      ...(video ? { longestMs: MAX_AD_MS } : {}),
      volume: volume(),
      marks: video ? [...progressMarks(this.ad.assets.video?.tracking ?? []).marks] : [],
    };
  }

  async #openBanner(): Promise<Extract<StageCreative, { kind: 'card' }>['banner']> {
    const { htmlBanner } = this.ad.assets;
    if (htmlBanner === null) return null;
    const { banners } = this.parts;
    this.#hasBanner = true;
    const opened = await this.banners.guest(this.ad, (signs) =>
      banners.open(this.ad, htmlBanner.html, signs),
    );
    this.guestErrors = opened.errors;
    // It waited for a partition for too long, and nobody will show it.
    if (this.#hasFailed) banners.close(this.ad);
    return { url: opened.url, partition: opened.partition, leadMs: BANNER_LEAD_MS };
  }

  /** Native ads have no flight and no caps; the play is recorded all the same. */
  enter() {
    return UNCOUNTED;
  }

  happened(event: SlotEvent, playId: string, at: number): void {
    this.#play = playId;
    if (event === 'viewed') {
      // A view of 1 s (rule 16), not the 2 s of a video's `<ViewableImpression>`, which VAST 2 does not have.
      this.#confirmImpression(at);
      return;
    }
    if (event === 'shown') {
      this.parts.supply.presented(this.ad.instance);
      if (this.#hasBanner) this.parts.banners.shown(this.ad, playId);
    }
    const { video } = this.ad.assets;
    if (video && this.#hasVideo) {
      for (const { name, urls, ...moment } of vastEvents(video, event)) {
        const kind = typeof event === 'object' ? `${name}-${event.mark}` : name;
        this.#confirmVideo(kind, urls, { at, ...moment });
      }
    } else if (event === 'shown') {
      // The file is missing or no file suits this screen: the card is shown without its video.
      const errorCode = noVideoCode(this.ad, this.parts.kiosk.screen, this.parts.unusableCode);
      if (errorCode !== undefined)
        this.#confirmVideo('error', video?.errors ?? [], { share: null, at, errorCode });
    }
  }

  tapped(part: NativeCardPart): void {
    this.parts.tapped(this.ad, part, this.#play, this.#videoUrl);
  }

  get #videoUrl(): string {
    return this.#hasVideo ? this.facts.mediaUrl : '';
  }

  over(): void {
    this.parts.supply.leftScreen(this.ad.instance);
    // A banner that is late goes on loading; the stage removes any other one that was not shown.
    if (!this.#hasBanner || this.#play === null) return;
    this.parts.banners.left(this.ad);
    this.parts.banners.close(this.ad);
  }

  missed(code: string): void {
    if (!this.#hasBanner || this.#play !== null) return;
    if (code === 'late') this.banners.gaveWay(this.ad);
    else this.banners.giveUp(this.ad);
  }

  failed(code: string, detail: string, _playId: string | null, drawn: readonly DrawnFile[]): void {
    this.#hasFailed = true;
    if (this.#hasVideo) {
      const errorCode = vastErrorCode(code);
      this.#confirmVideo('error', this.ad.assets.video?.errors ?? [], { share: null, errorCode });
    }
    this.parts.banners.close(this.ad);
    const rest = this.banners.withoutGivenUp(this.ad);
    if (this.#hasBanner && this.#play === null && hasFallback(this.parts, rest)) return;
    if (this.#picture !== null && this.#play === null && code === 'decode-failed') {
      // The next preparation, and so the record of its play, is without it.
      this.unseen.add(this.#picture);
      if (contentOnDisk({ ...this.parts, isOnDisk: this.#isThere }, rest) !== null) return;
    }
    const why = `${code}: ${detail}`;
    this.parts.supply.dropped(new Map([[this.ad.instance, why]]));
    if (!this.#hasVideo) return;
    const { mediaUrl } = this.facts;
    this.parts.strike(mediaUrl, drawn.find(({ name }) => name === mediaUrl)?.sha256, why);
  }

  /**
   * Confirms every impression beacon by its position, only once. The ad is not shown again, even if the books
   * cannot store that.
   */
  #confirmImpression(at: number): void {
    const { instance } = this.ad;
    this.parts.supply.confirmed(instance);
    const beacons = this.ad.beacons.flatMap((beacon, position): AskedBeacon[] => {
      if (beacon.kind === 'impression-url') return [{ position, url: beacon.url }];
      return beacon.kind === 'impression-script' ? [{ position, script: beacon.script }] : [];
    });
    const macros = this.#macros(null);
    void this.parts.outbox.confirmOnce({
      instance,
      kind: 'impression',
      play: this.#play,
      beacons,
      macros,
      at,
    });
  }

  /** The video's own VAST events, under the policy of native ads (rule 16). */
  #confirmVideo(event: string, urls: readonly string[], { share, reason, ...values }: VideoMoment): void {
    if (urls.length === 0) return;
    void this.parts.outbox.confirmOnce({
      instance: this.ad.instance,
      kind: `vast-${event}`,
      play: this.#play,
      beacons: urls.map((url, position) => ({ position, url })),
      macros: this.#macros(share, reason),
      ...values,
    });
  }

  #macros(share: number | null, reason?: MacroEvent['reason']): ReadonlyMap<string, string> {
    return nativeMacros(this.parts, this.ad, this.#videoUrl, share, reason);
  }
}

/**
 * The values of the macros in an ad's beacons.
 *
 * @param videoUrl of the video that its card shows; empty: it shows none
 */
export function nativeMacros(
  { kiosk, volume }: Pick<NativeAdsParts, 'kiosk' | 'volume'>,
  ad: NativeAd,
  videoUrl: string,
  share: number | null,
  reason?: MacroEvent['reason'],
): ReadonlyMap<string, string> {
  const { durationMs = null, ids } = ad.assets.video ?? {};
  const moment = { mediaUrl: videoUrl, isMuted: volume() === 0, share, ...(reason && { reason }) };
  return adMacros(kiosk, { ids, sequence: null, durationMs }, moment);
}
