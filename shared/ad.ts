import { z } from 'zod';

/** Largest number a `limit` or a `value` may hold (SERVICE, "Limits"). */
export const UINT32_MAX = 4_294_967_295;

const uint32 = z.int().min(0).max(UINT32_MAX);

/** "At most `limit` plays of the flight within `window`." Unknown windows are kept as they came (rule 7). */
export const FrequencyCap = z.object({ window: z.string(), limit: uint32 });
export type FrequencyCap = z.infer<typeof FrequencyCap>;

/** One alternative of a demographic condition; null fits any value. */
export const DemographicProfile = z.object({
  ageRange: z.string().nullable(),
  gender: z.string().nullable(),
  /** An absent operator (null) matches any count; an unknown one matches none (rule 6). */
  groupSize: z.object({ operator: z.string().nullable(), value: uint32 }).nullable(),
});
export type DemographicProfile = z.infer<typeof DemographicProfile>;

/**
 * A targeting condition after reading. `unreadable` is a condition that did not
 * have exactly one known member: it never matches, and `detail` says what it had.
 */
export const TargetingCondition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demographic'), profiles: z.array(DemographicProfile) }),
  z.object({ kind: z.literal('basket'), skus: z.array(z.string()), items: z.array(z.string()) }),
  z.object({ kind: z.literal('weather'), types: z.array(z.string()) }),
  z.object({ kind: z.literal('unreadable'), detail: z.string() }),
]);
export type TargetingCondition = z.infer<typeof TargetingCondition>;

/** Groups are OR'd, the conditions of a group AND'd (rule 6). */
export const Audience = z.object({
  groups: z.array(z.object({ conditions: z.array(TargetingCondition) })),
});
export type Audience = z.infer<typeof Audience>;

/** The `service-metadata` object of an ad, read and checked (rule 2). Times are ms since the epoch, UTC. */
export const AdMetadata = z.object({
  requestId: z.string(),
  audience: Audience.nullable(),
  campaignId: z.string().nullable(),
  flightId: z.string().nullable(),
  expiresAt: z.number().nullable(),
  frequencyCaps: z.array(FrequencyCap),
  source: z.string().nullable(),
  sourceId: z.string().nullable(),
});
export type AdMetadata = z.infer<typeof AdMetadata>;

/** A VAST media file. Sizes in pixels, bit rate in kbit/s; null where the document does not say. */
export const MediaFile = z.object({
  url: z.string(),
  type: z.string(),
  delivery: z.string().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  bitrateKbps: z.number().nullable(),
  codec: z.string().nullable(),
});
export type MediaFile = z.infer<typeof MediaFile>;

/** A tracking URL, verbatim. `offset` as written in the document ("00:00:05", "25%"), for `progress` only. */
export const TrackingUrl = z.object({ event: z.string(), url: z.string(), offset: z.string().nullable() });
export type TrackingUrl = z.infer<typeof TrackingUrl>;

/**
 * The ids of the creative in the ads document; null where it has none (VAST 4.1, `UniversalAdId`, `AdServingId`,
 * `Creative`).
 */
export const AdIds = z.object({
  universalAdId: z.object({ registry: z.string(), value: z.string() }).nullable(),
  adServingId: z.string().nullable(),
  creativeId: z.string().nullable(),
});
export type AdIds = z.infer<typeof AdIds>;

/** Linear content of a VAST document; URLs are verbatim. */
export const LinearCreative = z.object({
  /** Nominal length in ms, or null where the document gives none (images). */
  durationMs: z.number().nullable(),
  /** In document order; which one suits the screen is chosen by `chooseMedia`. */
  mediaFiles: z.array(MediaFile),
  impressions: z.array(z.string()),
  tracking: z.array(TrackingUrl),
  errors: z.array(z.string()),
  clickThrough: z.string().nullable(),
  clickTracking: z.array(z.string()),
  /** Absent, like the one below, where the document has none, and in ads that an older version stored. */
  ids: AdIds.exactOptional(),
  /** Fired because the code of `<AdVerifications>` is not executed here. */
  notVerified: z.array(z.string()).exactOptional(),
});
export type LinearCreative = z.infer<typeof LinearCreative>;

/** One ad of an ads response that can be played in principle: VAST linear content plus the service's metadata. */
export const Ad = z.object({
  /** The `<Ad>`'s id; `ad-N` (N from 1, in document order) where it has none. Not unique: never a key. */
  id: z.string(),
  /** Position in a pod, or null for a stand-alone ad. */
  sequence: z.number().nullable(),
  title: z.string().nullable(),
  metadata: AdMetadata,
  ...LinearCreative.shape,
  /** Fired once the ad was viewable: images for 1 s, videos for 2 s without a break. Absent like `ids`. */
  viewable: z.array(z.string()).exactOptional(),
});
export type Ad = z.infer<typeof Ad>;
