import type { Ad, Audience } from '../../shared/ad';
import {
  type AdRow,
  AdsChoice,
  type AdsPage,
  type AdsQuery,
  type AudienceOutline,
  MAX_SHOWN,
  MAX_SHOWN_CAPS,
} from '../../shared/admin';
import type { StoredPlaylist } from '../../shared/records';
import type { Explanation } from '../decisions/explain';
import { windowWords } from '../decisions/frequency-caps';
import type { JudgedOnlineAnswer } from '../playback/online-judgements';
import { addressesPlain, withoutSecrets } from '../status/shown-text';
import type { MediaState, RunningKiosk } from './running-kiosk';

export interface AdsPageParts
  extends Pick<RunningKiosk, 'playlist' | 'explain' | 'media' | 'rejected' | 'onlineAnswer' | 'maxAgeMs'> {
  readonly now: () => number;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** Decisions are reused for this time, so that searching does not decide ten thousand ads again, ms. */
const KEPT_MS = 3_000;
/** Ads decided before it yields to other work: about 2 ms. */
const ADS_PER_STEP = 200;

interface JudgedAd {
  readonly index: number;
  readonly ad: Ad;
  /** When it expires if it has no expiry of its own. */
  readonly staleAt: number;
  readonly explanation: Explanation;
}

/** The stored playlist with the decision on each of its ads: "why did this ad not play?". */
export function createAdsPages(parts: AdsPageParts) {
  let latest: {
    readonly playlist: StoredPlaylist | null;
    readonly at: number;
    readonly ads: Promise<readonly JudgedAd[]>;
  } | null = null;
  let isJudging = false;

  async function judged(playlist: StoredPlaylist | null, at: number): Promise<readonly JudgedAd[]> {
    const staleAt = (playlist?.receivedAt ?? 0) + parts.maxAgeMs;
    const ads: JudgedAd[] = [];
    isJudging = true;
    try {
      for (const [index, ad] of playlist?.ads.entries() ?? []) {
        if (index % ADS_PER_STEP === ADS_PER_STEP - 1) await parts.pause();
        ads.push({ index, ad, staleAt, explanation: parts.explain(ad, at, staleAt) });
      }
      return ads;
    } finally {
      isJudging = false;
    }
  }

  function current() {
    const [playlist, at] = [parts.playlist(), parts.now()];
    const isFresh = latest?.playlist === playlist && Math.abs(at - latest.at) <= KEPT_MS;
    // One after the other: a slow machine needs longer than staff need for the next letter of their search.
    if (latest === null || !(isFresh || isJudging)) latest = { playlist, at, ads: judged(playlist, at) };
    return latest;
  }

  return async ({ search, show, limit }: AdsQuery): Promise<AdsPage> => {
    const { at, ads: judging } = current();
    const ads = await judging;
    const { list, total } = parts.rejected();
    const wanted = search.trim().toLowerCase();
    const matching = ads.filter(
      ({ ad, explanation }) => shows(explanation, show) && (wanted === '' || mentions(ad, wanted)),
    );
    return {
      at,
      counts: countsOf(ads),
      matching: matching.length,
      rows: matching.slice(0, limit).map((one) => rowOf(one, parts.media(one.ad))),
      online: onlineOf(parts.onlineAnswer()),
      rejected: list.map(plainly),
      rejectedTotal: total,
    };
  };
}

function onlineOf(answer: JudgedOnlineAnswer | null): AdsPage['online'] {
  if (answer === null) return null;
  const ads = answer.ads.map(({ ad: { id, title }, explanation }) => ({
    id,
    title,
    ...decisionOf(explanation),
  }));
  return { ...answer, ads, rejected: answer.rejected.map(plainly) };
}

const plainly = <T extends { readonly detail: string }>(rejected: T) => ({
  ...rejected,
  detail: addressesPlain(rejected.detail),
});

const decisionOf = ({ eligible, reasons, detail }: Omit<Explanation, 'caps'>) => ({
  eligible,
  reasons: [...reasons],
  detail: addressesPlain(detail),
});

const countsOf = (ads: readonly JudgedAd[]) =>
  Object.fromEntries(
    AdsChoice.options.map((show) => [show, ads.filter(({ explanation }) => shows(explanation, show)).length]),
  ) as AdsPage['counts'];

function shows({ eligible, reasons }: Explanation, show: AdsChoice): boolean {
  if (show === 'all') return true;
  if (show === 'eligible') return eligible;
  if (show === 'not-eligible') return !eligible;
  return reasons.includes(show);
}

function mentions({ id, title, metadata }: Ad, wanted: string): boolean {
  const { source, sourceId, flightId, campaignId } = metadata;
  return [id, title, source, sourceId, flightId, campaignId].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
}

/** The answer drops what a row does not show. */
function rowOf({ index, ad, staleAt, explanation }: JudgedAd, media: MediaState): AdRow {
  const { id, title, durationMs, metadata } = ad;
  const { caps } = explanation;
  return {
    ...metadata,
    index,
    id,
    title,
    durationMs,
    expiresAt: metadata.expiresAt ?? staleAt,
    expiresWithPlaylist: metadata.expiresAt === null,
    caps: caps.slice(0, MAX_SHOWN_CAPS).map((use) => ({ ...use, words: windowWords(use.window) })),
    moreCaps: Math.max(0, caps.length - MAX_SHOWN_CAPS),
    audience: metadata.audience && outlineOf(metadata.audience),
    media: {
      state: media.state,
      url: media.state === 'unsupported' ? null : withoutSecrets(media.url),
      detail: media.state === 'failed' ? addressesPlain(media.detail) : null,
    },
    ...decisionOf(explanation),
  };
}

const beyond = (list: readonly unknown[]): number => Math.max(0, list.length - MAX_SHOWN);

/** An audience, and how much of it the answer leaves out. */
export function outlineOf({ groups }: Audience): AudienceOutline {
  return {
    groups: groups.map(({ conditions }) => ({
      conditions: conditions.map((condition) => ({
        ...condition,
        more: Object.values(condition)
          .filter(Array.isArray)
          .reduce((more, list) => more + beyond(list), 0),
      })),
      moreConditions: beyond(conditions),
    })),
    moreGroups: beyond(groups),
  };
}
