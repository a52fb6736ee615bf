import type { Ad } from '../../shared/ad';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Explanation } from '../decisioning/explain';
import { isReached } from '../decisioning/frequency-caps';
import type { MediaCache } from '../media/media-cache';
import {
  afterOnlineAttempt,
  deliversOnline,
  type OnlineAttempt,
  type OnlineHealth,
  probeDue,
  unmeasuredHealth,
} from '../service/online-health';
import type { AdFiles } from './ad-files';
import { LOAD_DEADLINE_MS } from './slot-loop';

/** Longest wait for an answer, however long the slot before is, ms. */
const LONGEST_DEADLINE_MS = 3_000;
/** Time kept for the answer's media and for decoding, ms. */
const MEDIA_RESERVE_MS = 500;
/** Less than this is not worth a request, ms. */
const SHORTEST_DEADLINE_MS = 200;
/** Pause between requests while nothing is on the screen, ms. */
const IDLE_PAUSE_MS = 5_000;
/** Of one answer so many ads are judged; their media are fetched and they wait for the slot. */
const MOST_ADS = 10;

/** The ads of an online answer, or why there are none in time. */
export type OnlineAnswer =
  | { readonly kind: 'ads'; readonly ads: readonly Ad[] }
  /** No fill: a good answer, and the stored playlist plays. */
  | { readonly kind: 'no-fill' }
  | { readonly kind: 'failed'; readonly code: string };

/** What became of one ad of an online answer when the answer came. */
export interface JudgedOnlineAd {
  readonly ad: Ad;
  /** Judged as if its media were on disk: those are fetched only for ads that may play. */
  readonly explanation: Explanation;
}

/** The last online answer that brought ads, for "Why this ad?". `at`: ms since the epoch, UTC. */
export interface JudgedOnlineAnswer {
  readonly at: number;
  readonly ads: readonly JudgedOnlineAd[];
  /** Ads beyond the first `ads.length`, which are not looked at. */
  readonly more: number;
}

export interface OnlineSlotsParts {
  readonly delivery: 'online' | 'auto';
  /** Judges an ad of an answer at a time, ms since the epoch: expiry, caps, and the audience if the settings say so (rules 5 to 7). */
  readonly judge: (ad: Ad, at: number, canBeShown: boolean) => Explanation;
  /** Asks for the next slot's ads with the context of this moment; answers within `deadlineMs`. */
  readonly request: (deadlineMs: number) => Promise<OnlineAnswer>;
  readonly files: AdFiles;
  readonly media: Pick<MediaCache, 'want' | 'onChange'>;
  /** Caps keep so many ads of an answer from playing; `window` as the metadata names it. */
  readonly capHit: (window: string, ads: number) => void;
  /** An answer brought these ads for the next slot. */
  readonly answered: (ads: readonly Ad[]) => void;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly log: Log;
  /** A candidate has come that may be better than what is prepared. */
  readonly changed: () => void;
}

export interface OnlineSlots {
  /** A slot began that ends at `endsAt` (ms since the epoch): time to ask for the one after it. */
  slotBegan(endsAt: number): void;
  /** Nothing is on the screen. */
  idle(): void;
  /**
   * The first ad of the answer for the next slot that may play at `at` (ms since the epoch) and has its media
   * on disk (rule 5); null: play from the stored playlist.
   */
  candidate(at: number): Ad | null;
  /** Why the ads of the last answer may play or not; null before the first one. */
  lastAnswer(): JudgedOnlineAnswer | null;
  /** It was reserved: it is for one slot only. */
  taken(): void;
  /** Whether slots are filled online at the moment, for the status. */
  active(): boolean;
  stop(): void;
}

/**
 * Online delivery: for each slot a request goes out while the one before runs.
 * What is not back in time, with its media, is dropped, and the stored playlist
 * fills the slot without a gap. With `auto` the measured health decides.
 */
export function createOnlineSlots(parts: OnlineSlotsParts): OnlineSlots {
  const { clock, files, media, log, judge } = parts;
  let health: OnlineHealth = unmeasuredHealth(clock.monotonic());
  /** Counts requests, so that an answer for an earlier slot is known as such. */
  let round = 0;
  /** In the order of the answer. */
  let offered: readonly Ad[] = [];
  let lastAnswer: JudgedOnlineAnswer | null = null;
  let cancelIdle: (() => void) | null = null;
  let stopped = false;

  const active = () => parts.delivery === 'online' || deliversOnline(health);

  function measured(attempt: OnlineAttempt): void {
    const before = active();
    health = afterOnlineAttempt(health, attempt, clock.monotonic());
    if (active() !== before)
      log.info(active() ? 'slots are filled online' : 'slots are filled from the stored playlist');
  }

  async function ask(deadlineMs: number): Promise<void> {
    round += 1;
    const mine = round;
    offered = [];
    const use = active();
    const answer = await parts.request(deadlineMs);
    if (stopped) return;
    measured(answer.kind === 'failed' ? 'failed' : 'in-time');
    if (answer.kind === 'failed') log.warn('no online ad for this slot', { code: answer.code });
    if (!use || mine !== round || answer.kind !== 'ads') return;
    parts.answered(answer.ads);
    offered = mayPlay(answer.ads);
    if (offered.length === 0) return;
    media.want('online', files.wanted(offered));
    if (offered.some((ad) => files.playable(ad) !== null)) parts.changed();
  }

  /** The ads that may play, in order; what is dropped is logged with its reason. */
  function mayPlay(ads: readonly Ad[]): readonly Ad[] {
    const at = clock.now();
    const judged = ads
      .slice(0, MOST_ADS)
      .map((ad) => ({ ad, explanation: judge(ad, at, files.key(ad) !== null) }));
    lastAnswer = { at, ads: judged, more: ads.length - judged.length };
    for (const { ad, explanation } of judged) {
      if (explanation.eligible) continue;
      const { reasons, caps } = explanation;
      if (reasons.every((reason) => reason === 'capped'))
        for (const window of new Set(caps.filter(isReached).map((use) => use.window)))
          parts.capHit(window, 1);
      log.info('an online ad may not play', {
        ad: ad.id,
        reasons,
        detail: explanation.detail,
      });
    }
    return judged.filter(({ explanation }) => explanation.eligible).map(({ ad }) => ad);
  }

  function idle(): void {
    cancelIdle?.();
    if (stopped) return;
    if (active() || probeDue(health, clock.monotonic())) void ask(LONGEST_DEADLINE_MS);
    cancelIdle = parts.schedule(IDLE_PAUSE_MS, idle);
  }

  media.onChange((url, ready) => {
    if (!offered.some((ad) => files.urls(ad).includes(url))) return;
    // What failed makes way for the next file of the ad.
    if (ready) parts.changed();
    else media.want('online', files.wanted(offered));
  });

  return {
    slotBegan(endsAt) {
      cancelIdle?.();
      if (stopped) return;
      const room = endsAt - clock.now() - LOAD_DEADLINE_MS - MEDIA_RESERVE_MS;
      const deadlineMs = Math.min(LONGEST_DEADLINE_MS, room);
      offered = [];
      round += 1;
      if (deadlineMs < SHORTEST_DEADLINE_MS) return;
      if (active() || probeDue(health, clock.monotonic())) void ask(deadlineMs);
    },
    idle,
    candidate: (at) =>
      offered.find((ad) => files.playable(ad) !== null && judge(ad, at, true).eligible) ?? null,
    lastAnswer: () => lastAnswer,
    taken() {
      offered = [];
    },
    active,
    stop() {
      stopped = true;
      cancelIdle?.();
    },
  };
}
