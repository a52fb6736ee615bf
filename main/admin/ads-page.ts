import type { Ad, Audience } from '../../shared/ad';
import {
  type AdminTally,
  type AdRow,
  type AdsPage,
  type AdsQuery,
  type AudienceOutline,
  MOST_CAPS,
  MOST_SHOWN,
} from '../../shared/admin';
import type { StoredPlaylist } from '../../shared/records';
import type { Explanation } from '../decisions/explain';
import type { JudgedOnlineAnswer } from '../playback/online-judgements';
import { addressesPlain, withoutSecrets } from '../status/shown-text';

/** Whether an ad's media can be shown. */
export type MediaState =
  | { readonly state: 'ready' | 'waiting'; readonly url: string }
  | { readonly state: 'failed'; readonly url: string; readonly detail: string; readonly isHarmful: boolean }
  | { readonly state: 'unsupported' };

export interface AdsPageParts {
  /** The playlist that plays, or null. */
  readonly playlist: () => StoredPlaylist | null;
  /** Explains the decision on one of its ads at `at` (ms since the epoch) with the present signals (rules 5 to 7). */
  readonly explain: (ad: Ad, at: number, staleAt: number | null) => Explanation;
  readonly media: (ad: Ad) => MediaState;
  readonly rejected: () => {
    readonly list: ReadonlyArray<{ id: string | null; code: string; detail: string }>;
    readonly total: number;
  };
  /** The last online answer with ads, or null. */
  readonly onlineAnswer: () => JudgedOnlineAnswer | null;
  /** How long ads without an expiry of their own play after the last good answer, ms (rule 3). */
  readonly maxAgeMs: number;
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
  readonly explanation: Explanation;
}

interface Judged {
  readonly playlist: StoredPlaylist;
  readonly at: number;
  /** When ads without an expiry of their own expire. */
  readonly staleAt: number;
  readonly ads: readonly JudgedAd[];
  readonly tally: AdminTally;
}

/** The stored playlist with the decision on each of its ads: "why did this ad not play?". */
export function createAdsPages(parts: AdsPageParts) {
  let judged: Judged | null = null;
  let judging: Promise<Judged | null> | null = null;

  async function judgeAll(): Promise<Judged | null> {
    const playlist = parts.playlist();
    if (!playlist) return null;
    const at = parts.now();
    const staleAt = playlist.receivedAt + parts.maxAgeMs;
    const ads: JudgedAd[] = [];
    for (const [index, ad] of playlist.ads.entries()) {
      if (index % ADS_PER_STEP === ADS_PER_STEP - 1) await parts.pause();
      ads.push({ index, ad, explanation: parts.explain(ad, at, staleAt) });
    }
    return { playlist, at, staleAt, ads, tally: tallyOf(ads) };
  }

  async function current(): Promise<Judged | null> {
    const now = parts.now();
    const isFresh =
      judged !== null && judged.playlist === parts.playlist() && Math.abs(now - judged.at) <= KEPT_MS;
    if (isFresh) return judged;
    judging ??= judgeAll().finally(() => {
      judging = null;
    });
    judged = await judging;
    return judged;
  }

  return {
    async page({ search, show, limit }: AdsQuery): Promise<AdsPage> {
      const found = await current();
      const { list, total } = parts.rejected();
      const rest = {
        online: onlineOf(parts.onlineAnswer()),
        rejected: list.map(plainly),
        rejectedTotal: total,
      };
      if (!found) {
        return { at: parts.now(), tally: tallyOf([]), matching: 0, rows: [], ...rest };
      }
      const { ads, tally, at, staleAt } = found;
      const wanted = search.trim().toLowerCase();
      const matching = ads.filter(
        ({ ad, explanation }) => shows(explanation, show) && (wanted === '' || mentions(ad, wanted)),
      );
      const rows = matching.slice(0, limit).map((judged) => rowOf(judged, parts.media(judged.ad), staleAt));
      return { at, tally, matching: matching.length, rows, ...rest };
    },
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

function tallyOf(ads: readonly JudgedAd[]): AdminTally {
  const tally = {
    ads: ads.length,
    eligible: 0,
    expired: 0,
    audience: 0,
    capped: 0,
    uncountable: 0,
    noMedia: 0,
    blocked: 0,
  };
  for (const { explanation } of ads) {
    if (explanation.eligible) tally.eligible += 1;
    for (const reason of explanation.reasons) tally[reason === 'no-media' ? 'noMedia' : reason] += 1;
  }
  return tally;
}

function shows({ eligible, reasons }: Explanation, show: AdsQuery['show']): boolean {
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
function rowOf({ index, ad, explanation }: JudgedAd, media: MediaState, staleAt: number): AdRow {
  const { id, title, durationMs, metadata } = ad;
  const { caps } = explanation;
  return {
    ...metadata,
    ...{ index, id, title, durationMs },
    expiresAt: metadata.expiresAt ?? staleAt,
    expiresWithPlaylist: metadata.expiresAt === null,
    caps: [...caps],
    moreCaps: Math.max(0, caps.length - MOST_CAPS),
    audience: metadata.audience && outlineOf(metadata.audience),
    media: {
      state: media.state,
      url: media.state === 'unsupported' ? null : withoutSecrets(media.url),
      detail: media.state === 'failed' ? addressesPlain(media.detail) : null,
    },
    ...decisionOf(explanation),
  };
}

const beyond = (list: readonly unknown[]): number => Math.max(0, list.length - MOST_SHOWN);

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
