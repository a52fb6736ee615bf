import type { Ad, Audience } from '../../shared/ad';
import type { AdminTally, AdRow, AdsPage, AdsQuery, AudienceOutline } from '../../shared/admin';
import type { StoredPlaylist } from '../../shared/records';
import type { Explanation } from '../decisions/explain';
import type { JudgedOnlineAnswer } from '../playback/online-judgements';
import { cut, cutOrNull, withoutSecrets } from '../status/shown-text';

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

/** Decisions are reused for this time, so that paging and searching do not decide ten thousand ads again, ms. */
const KEPT_MS = 3_000;
/** Ads decided before it yields to other work: about 2 ms. */
const ADS_PER_STEP = 200;
const ID = 200;

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
    async page({ search, show, offset, limit }: AdsQuery): Promise<AdsPage> {
      const found = await current();
      const { list, total } = parts.rejected();
      const rest = {
        online: onlineOf(parts.onlineAnswer()),
        rejected: list.slice(0, 100).map(rejectionOf),
        rejectedTotal: total,
      };
      if (!found) {
        return { at: parts.now(), receivedAt: null, tally: tallyOf([]), matching: 0, rows: [], ...rest };
      }
      const { playlist, ads, tally, at, staleAt } = found;
      const wanted = search.trim().toLowerCase();
      const matching = ads.filter(
        ({ ad, explanation }) => shows(explanation, show) && (wanted === '' || mentions(ad, wanted)),
      );
      const rows = matching
        .slice(offset, offset + limit)
        .map((judged) => rowOf(judged, parts.media(judged.ad), staleAt));
      return { at, receivedAt: playlist.receivedAt, tally, matching: matching.length, rows, ...rest };
    },
  };
}

function onlineOf(answer: JudgedOnlineAnswer | null): AdsPage['online'] {
  return (
    answer && {
      at: answer.at,
      more: answer.more,
      ads: answer.ads.map(({ ad, explanation }) => ({
        id: cut(ad.id, ID),
        title: cutOrNull(ad.title, ID),
        ...decisionOf(explanation),
      })),
      rejected: answer.rejected.map(rejectionOf),
    }
  );
}

type Rejection = AdsPage['rejected'][number];
const rejectionOf = ({ id, code, detail }: Rejection): Rejection => ({
  id: cutOrNull(id, ID),
  code: cut(code, ID),
  detail: cut(detail, 500),
});

const decisionOf = ({ eligible, reasons, detail }: Omit<Explanation, 'caps'>) => ({
  eligible,
  reasons: [...reasons],
  detail: cut(detail, 2_000),
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

const MOST_CAPS = 12;

function rowOf({ index, ad, explanation }: JudgedAd, media: MediaState, staleAt: number): AdRow {
  const { metadata } = ad;
  return {
    index,
    id: cut(ad.id, ID),
    title: cutOrNull(ad.title, ID),
    source: cutOrNull(metadata.source, ID),
    sourceId: cutOrNull(metadata.sourceId, ID),
    flightId: cutOrNull(metadata.flightId, ID),
    campaignId: cutOrNull(metadata.campaignId, ID),
    expiresAt: metadata.expiresAt ?? staleAt,
    expiresWithPlaylist: metadata.expiresAt === null,
    caps: explanation.caps
      .slice(0, MOST_CAPS)
      .map(({ window, limit, used }) => ({ window: cut(window, ID), limit, used })),
    moreCaps: Math.max(0, explanation.caps.length - MOST_CAPS),
    audience: metadata.audience === null ? null : outlineOf(metadata.audience),
    media: {
      state: media.state,
      url: media.state === 'unsupported' ? null : cut(withoutSecrets(media.url), 500),
      detail: media.state === 'failed' ? cut(media.detail, 500) : null,
    },
    durationMs: ad.durationMs,
    ...decisionOf(explanation),
  };
}

const MOST = 8;
const first = <T>(list: readonly T[]): T[] => list.slice(0, MOST);
const beyond = (list: readonly unknown[]): number => Math.max(0, list.length - MOST);

/** An audience cut to what a table can hold. */
export function outlineOf({ groups }: Audience): AudienceOutline {
  return {
    groups: first(groups).map(({ conditions }) => ({
      conditions: first(conditions).map((condition) => {
        switch (condition.kind) {
          case 'demographic':
            return {
              kind: condition.kind,
              profiles: first(condition.profiles).map(({ ageRange, gender, groupSize }) => ({
                ageRange: cutOrNull(ageRange, ID),
                gender: cutOrNull(gender, ID),
                groupSize: groupSize && {
                  operator: cutOrNull(groupSize.operator, ID),
                  value: groupSize.value,
                },
              })),
              more: beyond(condition.profiles),
            };
          case 'basket':
            return {
              kind: condition.kind,
              skus: first(condition.skus).map((sku) => cut(sku, ID)),
              items: first(condition.items).map((item) => cut(item, ID)),
              more: beyond(condition.skus) + beyond(condition.items),
            };
          case 'weather':
            return {
              kind: condition.kind,
              types: first(condition.types).map((type) => cut(type, ID)),
              more: beyond(condition.types),
            };
          case 'unreadable':
            return { kind: condition.kind };
        }
        return condition satisfies never;
      }),
      moreConditions: beyond(conditions),
    })),
    moreGroups: beyond(groups),
  };
}
