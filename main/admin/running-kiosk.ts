import type { Ad } from '../../shared/ad';
import type { AdminShowing } from '../../shared/admin';
import { DAY_MS } from '../../shared/clock';
import type { StoredPlaylist } from '../../shared/records';
import type { Decider } from '../decisions/decider';
import { type Explanation, explainAd, type Media } from '../decisions/explain';
import type { Block } from '../fleet/link/block';
import type { SigningKey } from '../fleet/signing-key';
import type { MediaCache } from '../media/media-cache';
import type { AdFiles } from '../playback/ad-files';
import type { JudgedOnlineAnswer } from '../playback/online-judgements';
import type { Records } from '../records/records-client';
import type { ServiceError } from '../service/service-error';
import type { Settings } from '../settings/settings';
import type { Signals } from '../signals/signals';
import type { Status } from '../status/status';
import type { Maintenance } from './maintenance';

/** The parts of a playing kiosk that the overlay shows and acts on. */
interface KioskParts {
  /** The set-up makes none: copies of a disk that waits for its set-up would share it (rule 27). */
  readonly key: SigningKey;
  readonly status: () => Status;
  readonly records: Pick<Records, 'run'>;
  readonly environment: string;
  readonly settings: Settings;
  /** The playlist that plays; before a first one does, the answer that waits for its media; null: none came. */
  readonly playlist: () => StoredPlaylist | null;
  /** The last online answer with ads, or null. */
  readonly onlineAnswer: () => JudgedOnlineAnswer | null;
  readonly signals: Pick<Signals, 'current'>;
  readonly decider: Pick<Decider, 'running' | 'countersOf'>;
  /** The block that keeps an ad from the screen now (rule 30). */
  readonly blockOf: (ad: Ad) => Block | null;
  readonly cache: Pick<MediaCache, 'problems' | 'problemOf' | 'conditions' | 'lookup'>;
  readonly files: Pick<AdFiles, 'urls' | 'playable'>;
  /** Opened before the first slot, so that a pause outlives a restart. */
  readonly maintenance: Maintenance;
  /** Rule 14: while a reason holds, nothing is reserved. */
  readonly hold: (reason: 'overlay', holds: boolean) => void;
  readonly isStoreOpen: (at: number) => boolean;
  /** The store's time zone; null: the settings name none. */
  readonly timeZone: () => string | null;
  /** Asks for a playlist now; resolves to the error if there was none, or null. */
  readonly refresh: () => Promise<Pick<ServiceError, 'code' | 'message' | 'advice'> | null>;
  /**
   * Switches the display (`on` null: as the settings say) and resolves to the error, or null. Null instead of a
   * function: this system cannot switch it. `isAtScreen`: who asks sees the screen.
   */
  readonly switchDisplay: ((on: boolean | null, isAtScreen: boolean) => Promise<string | null>) | null;
  /**
   * Removes creatives from disk, but not those that play now or next. Creatives that are needed are downloaded again.
   */
  readonly clearMedia: () => Promise<{ readonly files: number; readonly bytes: number }>;
}

/** Whether an ad's media can be shown. */
export type MediaState =
  | { readonly state: 'ready' | 'waiting'; readonly url: string }
  | { readonly state: 'failed'; readonly url: string; readonly detail: string; readonly isHarmful: boolean }
  | { readonly state: 'unsupported' };

/** A playing kiosk as the overlay needs it. */
export type RunningKiosk = ReturnType<typeof describeRunningKiosk>;

export function describeRunningKiosk(parts: KioskParts) {
  const { settings, signals, decider, blockOf, cache, files, ...rest } = parts;
  const media = (ad: Ad): MediaState => {
    const [url, ...others] = files.urls(ad);
    if (url === undefined) return { state: 'unsupported' };
    const playable = files.playable(ad);
    if (playable !== null) return { state: 'ready', url: playable };
    const untried = [url, ...others].find((candidate) => cache.problemOf(candidate) === null);
    if (untried !== undefined) return { state: 'waiting', url: untried };
    const problem = cache.problemOf(url);
    return { state: 'failed', url, detail: problem?.detail ?? '', isHarmful: problem?.code === 'harmful' };
  };
  return {
    ...rest,
    settings,
    player: [settings.ads.params.playerid ?? []].flat()[0] ?? null,
    /** How long ads without an expiry of their own play after the last good answer, ms (rule 3). */
    maxAgeMs: settings.ads.maxAgeDays * DAY_MS,
    /** Explains the decision on an ad at `at` (ms since the epoch) with the present signals (rules 5 to 7). */
    explain: (ad: Ad, at: number, staleAt: number | null): Explanation =>
      explainAd(ad, {
        at,
        staleAt,
        context: signals.current(),
        counters: decider.countersOf(ad.metadata.flightId),
        running: decider.running(),
        media: explainedMedia(media(ad)),
        block: blockOf(ad),
      }),
    media,
    /** The creative of an ad of the playlist; null: it is neither picture nor video, or not on the disk. */
    pictureOf(adId: string): AdminShowing['picture'] {
      const ad = rest.playlist()?.ads.find(({ id }) => id === adId);
      const url = ad ? files.playable(ad) : null;
      const file = url === null ? null : cache.lookup(url);
      const kind = (['image', 'video'] as const).find((family) => file?.type.startsWith(`${family}/`));
      return file && kind ? { url: `media://cache/${file.key}`, kind } : null;
    },
    /** Codes of the errors of the cache as a whole, then of single files in it. */
    mediaProblems: (): string[] => [...cache.conditions(), ...cache.problems()].map(({ code }) => code),
    rejected() {
      const { rejected, rejectedTotal } = rest.status().rejectedAds;
      return { list: rejected, total: rejectedTotal };
    },
  };
}

function explainedMedia(media: MediaState): Media {
  if (media.state === 'unsupported') return media;
  if (media.state === 'ready') return { state: 'ready' };
  const isHarmful = media.state === 'failed' && media.isHarmful;
  return { state: 'not-ready', url: media.url, ...(isHarmful && { why: media.detail }) };
}
