import { z } from 'zod';
import { plain } from './plain';

/** Largest number a `limit` or a `value` may hold (SERVICE, "Limits"). */
export const UINT32_MAX = 4_294_967_295;

const uint32 = z.int().min(0).max(UINT32_MAX);

/** "At most `limit` plays of the flight within `window`." Unknown windows are kept as they came (rule 7). */
export const FrequencyCap = z.object({ window: plain.text, limit: uint32 });
export type FrequencyCap = z.infer<typeof FrequencyCap>;

/** One alternative of a demographic condition; null fits any value. */
export const DemographicProfile = z.object({
  ageRange: plain.textOrNull,
  gender: plain.textOrNull,
  /** An absent operator (null) matches any count; an unknown one matches none (rule 6). */
  groupSize: z.object({ operator: plain.textOrNull, value: uint32 }).nullable(),
});
export type DemographicProfile = z.infer<typeof DemographicProfile>;

/**
 * A targeting condition after reading. `unreadable` is a condition that did not
 * have exactly one known member: it never matches, and `detail` says what it had.
 */
export const TargetingCondition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demographic'), profiles: z.array(DemographicProfile) }),
  z.object({ kind: z.literal('basket'), skus: z.array(plain.text), items: z.array(plain.text) }),
  z.object({ kind: z.literal('weather'), types: z.array(plain.text) }),
  z.object({ kind: z.literal('unreadable'), detail: plain.text }),
]);
export type TargetingCondition = z.infer<typeof TargetingCondition>;

/** Groups are OR'd, the conditions of a group AND'd (rule 6). */
export const Audience = z.object({
  groups: z.array(z.object({ conditions: z.array(TargetingCondition) })),
});
export type Audience = z.infer<typeof Audience>;

/** The `service-metadata` object of an ad, read and checked (rule 2). Times are ms since the epoch, UTC. */
export const AdMetadata = z.object({
  requestId: plain.text,
  audience: Audience.nullable(),
  campaignId: plain.textOrNull,
  flightId: plain.textOrNull,
  expiresAt: plain.numberOrNull,
  frequencyCaps: z.array(FrequencyCap),
  source: plain.textOrNull,
  sourceId: plain.textOrNull,
});
export type AdMetadata = z.infer<typeof AdMetadata>;

/** A VAST media file. Sizes in pixels, bit rate in kbit/s; null where the document does not say. */
export const MediaFile = z.object({
  url: plain.text,
  type: plain.text,
  delivery: plain.textOrNull,
  width: plain.numberOrNull,
  height: plain.numberOrNull,
  bitrateKbps: plain.numberOrNull,
  codec: plain.textOrNull,
});
export type MediaFile = z.infer<typeof MediaFile>;

/** A tracking URL, verbatim. `offset` as written in the document ("00:00:05", "25%"), for `progress` only. */
export const TrackingUrl = z.object({ event: plain.text, url: plain.text, offset: plain.textOrNull });
export type TrackingUrl = z.infer<typeof TrackingUrl>;

/**
 * The ids of the creative in the ads document; null where it has none (VAST 4.1, `UniversalAdId`, `AdServingId`,
 * `Creative`).
 */
export const AdIds = z.object({
  universalAdId: z.object({ registry: plain.text, value: plain.text }).nullable(),
  adServingId: plain.textOrNull,
  creativeId: plain.textOrNull,
});
export type AdIds = z.infer<typeof AdIds>;

/** Linear content of a VAST document; URLs are verbatim. */
export const LinearCreative = z.object({
  /** Nominal length in ms, or null where the document gives none (images). */
  durationMs: plain.numberOrNull,
  /** In document order; which one suits the screen is chosen by `chooseMedia`. */
  mediaFiles: z.array(MediaFile),
  impressions: z.array(plain.text),
  tracking: z.array(TrackingUrl),
  errors: z.array(plain.text),
  clickThrough: plain.textOrNull,
  clickTracking: z.array(plain.text),
  /** Absent, like the one below, where the document has none, and in ads that an older version stored. */
  ids: AdIds.exactOptional(),
  /** Fired because the code of `<AdVerifications>` is not executed here. */
  notVerified: z.array(plain.text).exactOptional(),
});
export type LinearCreative = z.infer<typeof LinearCreative>;

/** One ad of an ads response that can be played in principle: VAST linear content plus the service's metadata. */
export const Ad = z.object({
  /** The `<Ad>`'s id; `ad-N` (N from 1, in document order) where it has none. Not unique: never a key. */
  id: plain.text,
  /** Position in a pod, or null for a stand-alone ad. */
  sequence: plain.numberOrNull,
  title: plain.textOrNull,
  metadata: AdMetadata,
  ...LinearCreative.shape,
  /** Fired once the ad was viewable: images for 1 s, videos for 2 s without a break. Absent like `ids`. */
  viewable: z.array(plain.text).exactOptional(),
});
export type Ad = z.infer<typeof Ad>;
