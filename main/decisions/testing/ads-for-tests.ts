import type { Ad, AdMetadata, Audience, DemographicProfile, TargetingCondition } from '../../../shared/ad';
import type { Decider } from '../decider';
import type { Explanation } from '../explain';

/** An ad that nothing keeps from playing. */
export function anAd(
  metadata: Partial<AdMetadata> = {},
  media = 'https://media.test/a.mp4',
  id = 'ad-1',
): Ad {
  return {
    id,
    sequence: null,
    title: null,
    metadata: {
      requestId: 'request-1',
      audience: null,
      campaignId: null,
      flightId: null,
      expiresAt: null,
      frequencyCaps: [],
      source: null,
      sourceId: null,
      ...metadata,
    },
    durationMs: 10_000,
    mediaFiles: [
      {
        url: media,
        type: 'video/mp4',
        delivery: 'progressive',
        width: 1280,
        height: 720,
        bitrateKbps: null,
        codec: null,
      },
    ],
    impressions: [],
    tracking: [],
    errors: [],
    clickThrough: null,
    clickTracking: [],
  };
}

export function onlyMedia(ad: Ad): string | null {
  return ad.mediaFiles[0]?.url ?? null;
}

/** An ad of this flight that is in no playlist, with its file: what `countExternal` takes. */
export function anOnlineAd(flightId: string | null) {
  return { ad: anAd({ flightId }, 'https://online.test/a', 'online'), mediaUrl: 'https://online.test/a' };
}

/** What a decider starts with that has no plays and no weights, of ads with one media file each. */
export const emptyBooks = {
  mediaUrl: onlyMedia,
  weights: {},
  counters: [],
  recency: [],
  sourceMix: { credits: [] },
};

/** What the decider says of each ad of its playlist. */
export function explainAll(decider: Pick<Decider, 'check'>, ads: readonly Ad[], at: number): Explanation[] {
  return ads.map((ad) => decider.check({ ad, mediaUrl: onlyMedia(ad) ?? '' }, at));
}

export function anAudience(...groups: TargetingCondition[][]): Audience {
  return { groups: groups.map((conditions) => ({ conditions })) };
}

export function demographic(...profiles: Partial<DemographicProfile>[]): TargetingCondition {
  return {
    kind: 'demographic',
    profiles: profiles.map((profile) => ({ ageRange: null, gender: null, groupSize: null, ...profile })),
  };
}

export function basket(skus: string[], items: string[] = []): TargetingCondition {
  return { kind: 'basket', skus, items };
}

export function weather(...types: string[]): TargetingCondition {
  return { kind: 'weather', types };
}
