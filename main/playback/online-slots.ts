import type { Ad } from '../../shared/ad';
import type { Clock } from '../../shared/clock';
import type { Basics } from '../basics';
import { limitedLog } from '../limited-log';
import type { MediaCache } from '../media/media-cache';
import {
  afterOnlineAttempt,
  type OnlineAttempt,
  type OnlineHealth,
  probeDue,
  unmeasuredHealth,
} from '../service/online-health';
import type { AdFiles } from './ad-files';
import { LOAD_DEADLINE_MS } from './next-slot';
import {
  createOnlineJudgements,
  type OnlineAds,
  type OnlineExplanation,
  type OnlineJudgementsParts,
} from './online-judgements';

/** A request is sent this long before its slot, ms: online ads expire soon, and shoppers leave (decision 117). */
const ASK_AHEAD_MS = 15_000;
/** Longest wait for an answer, however long the slot before is, ms. */
const MAX_DEADLINE_MS = 3_000;
/** Time kept for the answer's media and for decoding, ms. */
const MEDIA_RESERVE_MS = 500;
/** A shorter deadline is not worth a request, ms. */
const SHORTEST_DEADLINE_MS = 200;
/** Pause between requests while nothing is on the screen, ms. */
const IDLE_PAUSE_MS = 5_000;
/** An answer is not used later than this after its slot was due, ms: the matched shopper may be gone. */
const OVERDUE_MS = 30_000;
/** The files of ads that came too late for their slot are still fetched: of this many ads, for this long, ms. */
const MAX_LATE_ADS = 10;
const LATE_MS = 10 * 60_000;

/** Why an ad that may play had not played when the next slot began. */
const NO_MEDIA: OnlineExplanation = {
  eligible: false,
  reasons: ['no-media'],
  detail: 'Its media was not ready on disk when its slot began.',
};
const PASSED_OVER: OnlineExplanation = {
  eligible: false,
  reasons: [],
  detail: 'Another ad had its slot: it was ready too late, or a native ad was due.',
};

/** The ads of an online answer (all may be rejected), or why there are none. */
export type OnlineAnswer =
  | ({ readonly kind: 'ads' } & OnlineAds)
  /** No fill: a good answer, and the stored playlist plays. */
  | { readonly kind: 'no-fill' }
  /** `retryAfterMs`: how long the service asks to wait, ms; absent: it does not. */
  | { readonly kind: 'failed'; readonly code: string; readonly retryAfterMs?: number | undefined };

export interface OnlineSlotsParts
  extends Omit<OnlineJudgementsParts, 'canBeShown'>,
    Pick<Basics, 'schedule'> {
  readonly delivery: 'online' | 'auto';
  /** Asks for the next slot's ads with the context of this moment; answers within `deadlineMs`. */
  readonly request: (deadlineMs: number) => Promise<OnlineAnswer>;
  readonly files: AdFiles;
  readonly media: Pick<MediaCache, 'want' | 'onChange'>;
  /** An answer brought these ads for the next slot. */
  readonly answered: (ads: readonly Ad[]) => void;
  /** A candidate has come that may be better than the prepared ad. */
  readonly changed: () => void;
}

/** Ads that came too late for their slot: on a slow line a file takes longer than that, and its ad may be chosen again. */
function lateAds({ files, clock }: Pick<OnlineSlotsParts, 'files' | 'clock'>) {
  let late: ReadonlyArray<{ readonly ad: Ad; readonly until: number }> = [];
  return {
    add(ads: readonly Ad[]): void {
      const until = clock.monotonic() + LATE_MS;
      late = [...ads.map((ad) => ({ ad, until })), ...late];
    },
    /** Those whose file is still missing, the latest first, each file once. */
    ads(): readonly Ad[] {
      const now = clock.monotonic();
      const known = new Set<string | null>();
      const isToFetch = (ad: Ad) => files.playable(ad) === null && known.size < known.add(files.key(ad)).size;
      late = late.filter(({ ad, until }) => now < until && isToFetch(ad)).slice(0, MAX_LATE_ADS);
      return late.map(({ ad }) => ad);
    },
    forget(): void {
      late = [];
    },
  };
}

function wantFiles(
  { media, files }: Pick<OnlineSlotsParts, 'media' | 'files'>,
  offered: readonly Ad[],
  late: readonly Ad[],
): void {
  // The late ones first: the download of a file that is in neither list for a moment would be broken off.
  media.want('late', files.wanted(late));
  media.want('online', files.wanted(offered));
}

/** A time in ms since the epoch, by the clock as it is set now, as monotonic ms. */
const monotonicAt = (clock: Clock, at: number) => clock.monotonic() + at - clock.now();

export type OnlineSlots = ReturnType<typeof createOnlineSlots>;

/**
 * Online delivery: for each slot a request is sent while the slot before it runs, shortly before its end. Ads whose
 * answer or media come too late are dropped, and the stored playlist fills the slot without a gap. With `auto`, the
 * measured health decides whether slots are filled online; while nothing is on the screen, any answer fills the next one.
 */
export function createOnlineSlots(parts: OnlineSlotsParts) {
  const { clock, files, media, log, judge } = parts;
  const { warn } = limitedLog(parts);
  let health: OnlineHealth = unmeasuredHealth(clock.monotonic());
  /** Numbers the requests, so that an answer for an earlier slot is recognised. */
  let round = 0;
  /** The ads that wait for the next slot, in the order of the answer. */
  let offered: readonly Ad[] = [];
  const late = lateAds(parts);
  /** Cancels the request that waits for its time. */
  let cancelAsk = (): void => {};
  /** When the next slot is to begin, monotonic ms: the clock may be set before that, by the answer too. */
  let dueAt = Number.NEGATIVE_INFINITY;
  const judgements = createOnlineJudgements({ ...parts, canBeShown: (ad) => files.key(ad) !== null });
  /** While nothing is on the screen, no request before this time, monotonic ms. */
  let idleFrom = Number.NEGATIVE_INFINITY;
  /** The service asked for no request before this time, monotonic ms. */
  let notBefore = Number.NEGATIVE_INFINITY;

  /** Whether slots are filled online at the moment. */
  const isOnline = (): boolean => parts.delivery === 'online' || health.isOnline;

  function mayAsk(): boolean {
    const now = clock.monotonic();
    return now >= notBefore && (isOnline() || probeDue(health, now));
  }

  function measured(attempt: OnlineAttempt): void {
    const before = isOnline();
    health = afterOnlineAttempt(health, attempt, clock.monotonic());
    if (isOnline() !== before)
      log.info(isOnline() ? 'slots are filled online' : 'slots are filled from the stored playlist');
  }

  /** @param isIdle nothing is on the screen: any answer is better than none */
  async function ask(deadlineMs: number, isIdle = false): Promise<void> {
    round += 1;
    const mine = round;
    dropOffered();
    // Otherwise it only measures.
    const fills = () => isIdle || isOnline();
    const mayFill = fills();
    const answer = await parts.request(deadlineMs);
    measured(answer.kind === 'failed' ? 'failed' : 'in-time');
    if (answer.kind === 'failed') {
      warn('no online ad for this slot', { code: answer.code });
      notBefore = Math.max(notBefore, clock.monotonic() + (answer.retryAfterMs ?? 0));
    }
    if (!fills()) late.forget();
    if (mine === round && (answer.kind !== 'ads' || !fills())) want();
    if (!mayFill || answer.kind !== 'ads') return;
    const ads = mine === round ? await judgements.take(answer, mine) : [];
    if (mine !== round) {
      judgements.cameTooLate(answer, mine);
      return;
    }
    parts.answered(answer.ads);
    offered = ads;
    want();
    if (offered.some((ad) => files.playable(ad) !== null)) parts.changed();
  }

  /** Asks, unless the next slot is too near or nothing may be asked now. */
  function askInTime(): void {
    const room = dueAt - clock.monotonic() - LOAD_DEADLINE_MS - MEDIA_RESERVE_MS;
    const deadlineMs = Math.min(MAX_DEADLINE_MS, room);
    if (deadlineMs >= SHORTEST_DEADLINE_MS && mayAsk()) void ask(deadlineMs);
  }

  /** Drops ads whose slot has begun without them; further ones of their answer were not needed. */
  function dropOffered(ads = offered): void {
    const at = clock.now();
    for (const ad of ads) {
      const explanation = judge(ad, at, true);
      const unready = files.playable(ad) === null ? NO_MEDIA : PASSED_OVER;
      judgements.drop(ad, explanation.eligible ? unready : explanation);
    }
    late.add(ads);
    offered = [];
  }

  const want = () => wantFiles(parts, offered, late.ads());

  media.onChange((url, ready) => {
    if (!offered.some((ad) => files.urls(ad).includes(url))) return;
    // When a file failed, the next file of its ad is wanted.
    if (ready) parts.changed();
    else want();
  });

  return {
    /**
     * A slot began that ends at `endsAt` (ms since the epoch): the one after it is asked for `ASK_AHEAD_MS` before that,
     * at once if it is that near. To be called before the ad of that one is chosen.
     */
    slotBegan(endsAt: number): void {
      idleFrom = Number.NEGATIVE_INFINITY;
      cancelAsk();
      dropOffered();
      round += 1;
      dueAt = monotonicAt(clock, endsAt);
      const waitMs = dueAt - clock.monotonic() - ASK_AHEAD_MS;
      if (waitMs > 0) cancelAsk = parts.schedule(waitMs, askInTime);
      else askInTime();
    },
    /** The slot is over, perhaps early. Then a request for the one after it is not sent: nothing may follow (rule 14). */
    slotEnded: (): void => cancelAsk(),
    /** Nothing is on the screen, though an ad might play. Call it at least each second meanwhile: it asks now and then. */
    idle(): void {
      const now = clock.monotonic();
      if (now < idleFrom || !mayAsk()) return;
      idleFrom = now + IDLE_PAUSE_MS;
      dueAt = now;
      void ask(MAX_DEADLINE_MS, true);
    },
    /**
     * The first ad of the answer for the next slot that may play at `at` (ms since the epoch) and has its media
     * on disk (rule 5); null: play from the stored playlist.
     */
    candidate(at: number): Ad | null {
      if (monotonicAt(clock, at) > dueAt + OVERDUE_MS) dropOffered();
      for (const ad of offered) {
        if (files.playable(ad) === null) continue;
        const explanation = judge(ad, at, true);
        if (explanation.eligible) return ad;
        judgements.drop(ad, explanation);
      }
      return null;
    },
    /** Why the ads of the last answer may play or not; null before the first one. */
    lastAnswer: judgements.last,
    /** An ad of the answer was reserved: each answer is for one slot only. */
    taken(ad: Ad): void {
      dropOffered(offered.slice(0, Math.max(0, offered.indexOf(ad))));
    },
  };
}
