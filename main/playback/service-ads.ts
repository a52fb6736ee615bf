import type { Ad } from '../../shared/ad';
import type { Mark, StageCreative } from '../../shared/stage';
import { adMacros, type KioskFacts, type MacroEvent } from '../beacons/ad-macros';
import type { UrlBeacons } from '../beacons/outbox';
import type { Choice, Decider, Entry } from '../decisions/decider';
import type { Explanation } from '../decisions/explain';
import type { Block } from '../fleet/link/block';
import type { DrawnFile } from '../media/quarantine';
import type { AdFiles } from './ad-files';
import { FileAd, type FileAdParts } from './file-ad';
import type { OnlineSlots } from './online-slots';
import { MAX_AD_MS, type SlotAd, type SlotAds, type SlotEvent, type SlotFacts } from './slot-ad';
import { progressMarks, vastErrorCode, vastEvents } from './vast-events';

interface ServiceAdsParts extends FileAdParts {
  readonly decider: Decider;
  /** Online delivery, or null where slots are filled from the stored playlist alone. */
  readonly online: OnlineSlots | null;
  /** Judges an online ad again at its slot: its expiry is short (rules 5 to 7). */
  readonly judge: (ad: Ad, at: number) => Explanation;
  /** The block that applies to an ad now; null: none. */
  readonly blockOf: (ad: Ad) => Block | null;
  readonly files: Pick<AdFiles, 'playable' | 'key'>;
  /** Called with the number of stored ads that a cap keeps from playing; `window` as the metadata names it. */
  readonly capHit: (window: string, ads: number) => void;
  readonly beacons: UrlBeacons;
  /** For macros of the ads' URLs. */
  readonly kiosk: KioskFacts;
}

/** The ads of the service (area A): an online ad for this very slot, else one of the stored playlist. */
export function createServiceAds(parts: ServiceAdsParts): SlotAds {
  return {
    choose(at) {
      const online = parts.online?.candidate(at);
      if (online) return new OnlineAd(parts, online, 'online');
      const choice = parts.decider.choose(at);
      for (const [window, ads] of parts.decider.capHits(at)) parts.capHit(window, ads);
      // While a long playlist takes over, the decider hears of a file later than the cache. The ad would be chosen and
      // fail again without end, in one turn of main.
      const isPlayable = choice !== null && parts.files.playable(choice.ad) !== null;
      return isPlayable ? new StoredAd(parts, choice) : null;
    },
  };
}

/** The common part of the service's ads: a file of the cache, and URLs that are fired as VAST requires. */
abstract class ServiceAd extends FileAd<ServiceAdsParts> implements SlotAd {
  constructor(
    parts: ServiceAdsParts,
    protected readonly ad: Ad,
    delivery: 'offline' | 'online',
  ) {
    const { requestId, flightId, campaignId, source, sourceId, frequencyCaps, audience } = ad.metadata;
    const { durationMs, ids } = ad;
    const mediaUrl = parts.files.playable(ad);
    const facts: SlotFacts = {
      adId: ad.id,
      requestId,
      flightId,
      campaignId,
      source,
      sourceId,
      mediaUrl: mediaUrl ?? '',
      delivery,
      durationMs,
      frequencyCaps,
      audience,
      ...(ids ? { ids } : {}),
    };
    super(parts, facts, mediaUrl === null ? [] : [mediaUrl]);
  }

  get marks(): readonly Mark[] {
    return progressMarks(this.ad.tracking).marks;
  }

  isBlocked(): boolean {
    return this.parts.blockOf(this.ad) !== null;
  }

  /** Rules 5 to 7, at a time. */
  protected abstract judged(at: number): Explanation;

  mayPlay(at: number): boolean {
    return this.isFileThere && this.judged(at).eligible;
  }

  stillFits(at: number): boolean {
    return this.isFileThere && this.judged(at).reasons.every((reason) => reason === 'capped');
  }

  abstract isSame(other: SlotAd): boolean;
  abstract enter(at: number): Entry | null;

  async creative(): Promise<StageCreative | null> {
    const media = await this.parts.media.verified(this.facts.mediaUrl);
    if (!media) return null;
    const stated = this.ad.durationMs;
    const stillMs = stated === null ? this.parts.imageMs : Math.min(stated, MAX_AD_MS);
    const creative = await this.show(media.key, { ...media, name: media.url }, stillMs, this.marks);
    return creative?.kind === 'video' ? { ...creative, longestMs: MAX_AD_MS } : creative;
  }

  happened(event: SlotEvent, playId: string, at: number): void {
    for (const { name, urls, ...moment } of vastEvents(this.ad, event))
      this.parts.beacons.fire(playId, name, urls, { at, macros: this.#macros(moment) });
  }

  failed(code: string, detail: string, playId: string | null, [file]: readonly DrawnFile[]): void {
    const values = { errorCode: vastErrorCode(code), macros: this.#macros({ share: null }) };
    // Without a file, this kiosk's disk lost it, which is no error of the ad (decision 98).
    if (file !== undefined) this.parts.beacons.fire(playId, 'error', this.ad.errors, values);
    this.parts.media.strike(this.facts.mediaUrl, file?.sha256, `${code}: ${detail}`);
  }

  #macros(moment: Pick<MacroEvent, 'share' | 'reason'>): ReadonlyMap<string, string> {
    const { kiosk, volume } = this.parts;
    const { mediaUrl } = this.facts;
    return adMacros(kiosk, this.ad, { mediaUrl, isMuted: volume() === 0, ...moment });
  }
}

class StoredAd extends ServiceAd {
  constructor(
    parts: ServiceAdsParts,
    private readonly choice: Choice,
  ) {
    super(parts, choice.ad, 'offline');
  }

  protected judged(at: number): Explanation {
    return this.parts.decider.check(this.choice, at);
  }

  override mayPlay(at: number): boolean {
    return this.parts.decider.isCurrent(this.choice) && super.mayPlay(at);
  }

  isSame(other: SlotAd): boolean {
    return (
      other instanceof StoredAd &&
      other.isFileThere &&
      other.choice.playlist === this.choice.playlist &&
      other.choice.index === this.choice.index
    );
  }

  enter(at: number): Entry | null {
    return this.parts.decider.enter(this.choice, at);
  }
}

class OnlineAd extends ServiceAd {
  protected judged(at: number): Explanation {
    return this.parts.judge(this.ad, at);
  }

  isSame(other: SlotAd): boolean {
    return other instanceof OnlineAd && other.isFileThere && other.ad === this.ad;
  }

  enter(at: number): Entry {
    const mediaUrl = this.parts.files.key(this.ad) ?? this.facts.mediaUrl;
    const entry = this.parts.decider.countExternal({ ad: this.ad, mediaUrl }, at);
    this.parts.online?.taken(this.ad);
    return entry;
  }
}
