import type { Ad } from '../../shared/ad';
import type { Context } from '../decisions/audience';
import { type CountedPlay, countersOf, explainAd, shortInstant } from '../decisions/explain';
import { chooseMedia, mediaTypeOf, type ScreenSize } from '../service/ads-reading/choose-media';
import { readAds } from '../service/ads-reading/read-ads';
import type { Unreadable } from '../service/ads-reading/vast-document';

/** What a response is judged against. `at` in ms since the epoch, UTC. */
export interface InspectCircumstances {
  readonly at: number;
  readonly context: Context;
  /** Earlier plays, in any order. */
  readonly plays: readonly CountedPlay[];
  readonly screen: ScreenSize;
  /** `type` of the metadata's `<Extension>`. */
  readonly metadataExtension: string;
}

/** Explains an ads response without a network (rules 1, 2, 4 to 7): wrappers are not followed but rejected. */
export function inspectAds(document: string, circumstances: InspectCircumstances) {
  const { at, plays, metadataExtension } = circumstances;
  const reading = readAds(document, { metadataExtension });
  if (reading.kind === 'unreadable') return reading;
  const ads = reading.ads.flatMap((read) => ('wrapper' in read ? [] : [read]));
  const wrappers = reading.ads.flatMap((read) => ('wrapper' in read ? [read.wrapper] : []));
  const code = 'wrapper-unresolved' as const;
  const detail = 'its media are behind a wrapper, which needs the network';
  const rejected = [...reading.rejected, ...wrappers.map(({ id, number }) => ({ id, number, code, detail }))];
  const counters = countersOf(plays);
  return {
    at: shortInstant(at),
    /** In the order the response gives them: pods ascending. */
    ads: ads.map((ad) => inspected(ad, circumstances, counters)),
    rejected: rejected
      .sort((a, b) => a.number - b.number)
      .map(({ id, code, detail }) => ({ id, code, detail })),
  };
}

/** What this kiosk would do with an ads response: printed as it stands by `inspect --json`. */
export type InspectReport = Exclude<ReturnType<typeof inspectAds>, Unreadable>;
export type InspectedAd = ReturnType<typeof inspected>;

/** One ad of the response. Times are RFC 3339 in UTC. */
function inspected(
  ad: Ad,
  { at, context, screen }: InspectCircumstances,
  counters: ReturnType<typeof countersOf>,
) {
  const { requestId, flightId, campaignId, sourceId, expiresAt, source } = ad.metadata;
  const [media] = chooseMedia(ad, screen);
  const explanation = explainAd(ad, {
    at,
    context,
    counters: flightId === null ? null : (counters.get(flightId) ?? null),
    media: media === undefined ? { state: 'unsupported' } : { state: 'ready' },
  });
  return {
    id: ad.id,
    requestId,
    flightId,
    campaignId,
    sourceId,
    expiresAt: expiresAt === null ? null : shortInstant(expiresAt),
    source,
    durationMs: ad.durationMs,
    eligible: explanation.eligible,
    reasons: explanation.reasons,
    /** Which date, condition or cap decided, in words. */
    detail: explanation.detail,
    caps: explanation.caps.map(({ window, limit, used }) => ({ window, limit, used })),
    /** What would be shown on this screen. */
    media: media === undefined ? null : { url: media.url, type: media.type || (mediaTypeOf(media) ?? '') },
    impressions: ad.impressions,
    tracking: ad.tracking.map(({ event, url }) => ({ event, url })),
  };
}
