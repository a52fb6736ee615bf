import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import type { Explanation } from '../decisions/explain';
import { isReached } from '../decisions/frequency-caps';
import { limitedLog } from '../limited-log';
import type { RejectedAd } from '../service/ads-reading/read-ads';
import { inTurns } from '../turns';

/** Most playable ads that are taken from one answer: their media are fetched and they wait for the slot. */
const MAX_ADS = 10;
/** Most dropped and most rejected ads of one answer that are logged and listed; the rest are only counted. */
const MAX_LISTED = 10;

/** Lines of the log, at once and an hour: an answer comes for each slot, and often drops the same ads. */
const MAX_LINES = 100;

/** The ads of an answer, and those that could not be read. */
export interface OnlineAds {
  readonly ads: readonly Ad[];
  readonly rejected: readonly RejectedAd[];
}

/** Why an ad may play or not. Not eligible without a reason: it was not ready in time. */
export type OnlineExplanation = Pick<Explanation, 'eligible' | 'reasons' | 'detail'>;

/** One ad of an online answer and its verdict. */
export interface JudgedOnlineAd {
  readonly ad: Ad;
  /** Judged as if its media were on disk, because media are fetched only for ads that may play; replaced by `drop`. */
  readonly explanation: OnlineExplanation;
}

/** The last online answer that brought ads, for "Why this ad?". `at`: ms since the epoch, UTC. */
export interface JudgedOnlineAnswer {
  readonly at: number;
  /** In the order of the answer: the first ten that were dropped, and those that may play. */
  readonly ads: readonly JudgedOnlineAd[];
  /** The first ten that could not be read. */
  readonly rejected: readonly RejectedAd[];
  /** How many ads are neither in `ads` nor in `rejected`. */
  readonly more: number;
}

export interface OnlineJudgementsParts extends Pick<Basics, 'clock' | 'pause' | 'log'> {
  /** Judges an ad of an answer at a time, ms since the epoch: expiry, caps, and the audience if the settings say so (rules 5 to 7). */
  readonly judge: (ad: Ad, at: number, canBeShown: boolean) => Explanation;
  readonly canBeShown: (ad: Ad) => boolean;
  /** Called with the number of ads of an answer that a cap keeps from playing; `window` as the metadata names it. */
  readonly capHit: (window: string, ads: number) => void;
}

const LATE_ANSWER: OnlineExplanation = {
  eligible: false,
  reasons: [],
  detail: 'Its answer came too late for its slot.',
};

/** Judges the ads of online answers; drops are logged with their reasons, and all kept for "Why this ad?". */
export function createOnlineJudgements(parts: OnlineJudgementsParts) {
  const { judge, canBeShown, capHit, clock, pause } = parts;
  const { info: say } = limitedLog(parts, MAX_LINES);
  let last: (JudgedOnlineAnswer & { readonly round: number }) | null = null;
  let dropped = new WeakSet<Ad>();

  /** A slow answer does not replace that of a later request. */
  function keep({ ads, rejected }: OnlineAds, judged: readonly JudgedOnlineAd[], round: number): void {
    if (last !== null && last.round > round) return;
    const listed = rejected.slice(0, MAX_LISTED);
    const more = ads.length - judged.length + rejected.length - listed.length;
    last = { at: clock.now(), ads: judged, rejected: listed, more, round };
  }

  function logDrop(ad: Ad, why: Explanation | OnlineExplanation): void {
    say('an online ad may not play', { ad: ad.id, reasons: why.reasons, detail: why.detail });
  }

  function countCaps({ reasons, caps }: Explanation): void {
    if (!reasons.every((reason) => reason === 'capped')) return;
    for (const window of new Set(caps.filter(isReached).map((use) => use.window))) capHit(window, 1);
  }

  function logRejected(rejected: readonly RejectedAd[]): void {
    for (const { id, code, detail } of rejected.slice(0, MAX_LISTED))
      say('an online ad cannot be read', { ad: id, code, detail });
    if (rejected.length > MAX_LISTED)
      say('more online ads cannot be read', { ads: rejected.length - MAX_LISTED });
  }

  return {
    /**
     * The first ten ads that may play now, in the order of the answer.
     *
     * @param round the number of the request, ascending
     */
    async take(answer: OnlineAds, round: number): Promise<readonly Ad[]> {
      dropped = new WeakSet();
      logRejected(answer.rejected);
      const turns = inTurns(pause);
      const judged: JudgedOnlineAd[] = [];
      const mayPlay: Ad[] = [];
      let drops = 0;
      for (const ad of answer.ads) {
        const explanation = judge(ad, clock.now(), canBeShown(ad));
        if (explanation.eligible) mayPlay.push(ad);
        else {
          drops += 1;
          countCaps(explanation);
          if (drops <= MAX_LISTED) logDrop(ad, explanation);
        }
        if (explanation.eligible || drops <= MAX_LISTED) judged.push({ ad, explanation });
        if (mayPlay.length === MAX_ADS) break;
        if (turns.isOver()) await turns.next();
      }
      if (drops > MAX_LISTED) say('more online ads may not play', { ads: drops - MAX_LISTED });
      keep(answer, judged, round);
      return mayPlay;
    },
    /** The answer came after its slot had begun, so none of its ads plays. */
    cameTooLate(answer: OnlineAds, round: number): void {
      const { ads, rejected } = answer;
      say('an online answer came too late for its slot', { ads: ads.length, rejected: rejected.length });
      const judged = ads.slice(0, MAX_LISTED).map((ad) => ({ ad, explanation: LATE_ANSWER }));
      keep(answer, judged, round);
    },
    /** An ad that was taken does not play after all. Logged once for each ad. */
    drop(ad: Ad, why: Explanation | OnlineExplanation): void {
      if (dropped.has(ad)) return;
      dropped.add(ad);
      if ('caps' in why) countCaps(why);
      logDrop(ad, why);
      if (last === null) return;
      const ads = last.ads.map((one) => (one.ad === ad ? { ad, explanation: why } : one));
      last = { ...last, ads };
    },
    last: (): JudgedOnlineAnswer | null => last,
  };
}
