import { z } from 'zod';
import { AdIds, FrequencyCap } from './ad';

/**
 * A play's life: `reserved` before its first frame (it counts from here, rule
 * 8), then settled once as one of the others. `given-back` is the only outcome
 * that no longer counts: no frame was shown. `unknown` is a reservation found
 * at start: whether a frame was shown died with the process, so it counts.
 */
export const PlayOutcome = z.enum([
  'reserved',
  'completed',
  'interrupted',
  'failed',
  'given-back',
  'unknown',
]);
export type PlayOutcome = z.infer<typeof PlayOutcome>;

/** What a native answer says of the ad, for whoever audits the play; null where it says nothing. */
const NativeFacts = z.object({
  assetGroupId: z.string().nullable(),
  creativeId: z.string().nullable(),
  bundleId: z.string().nullable(),
  revenueModel: z.string().nullable(),
});

/**
 * Why an ad might play (rule 29): no audience was asked for, a group of its audience matched here, the service
 * had matched it (online), or its kind is not targeted.
 */
const AllowedBy = z.enum(['untargeted', 'matched-group', 'trusted', 'native', 'house']);
export type AllowedBy = z.infer<typeof AllowedBy>;

/** What was decided by; never who the people were. */
export const PlayDecision = z.object({
  allowedBy: AllowedBy,
  /** Which group of the audience matched first, from 0; null where none was asked. */
  matchedGroup: z.int().min(0).nullable(),
  /** How many people the sensor counted, and how old that was at the decision, ms; null: it did not tell. */
  peopleCount: z.int().min(0).nullable(),
  signalAgeMs: z.number().nullable(),
  /** Caps in force, in the answer's order. */
  caps: z.array(FrequencyCap),
});
export type PlayDecision = z.infer<typeof PlayDecision>;

/** What was shown, as the file and the ads document name it; null where they do not. */
export const PlayCreative = AdIds.extend({
  /** Of the file's bytes, as they were verified on disk; lower-case hex. */
  sha256: z.string().nullable(),
  mediaType: z.string().nullable(),
});
export type PlayCreative = z.infer<typeof PlayCreative>;

/** A play keeps so many errors of its guest, each of so many UTF-16 code units. */
export const MAX_GUEST_ERRORS = 5;
export const MAX_GUEST_ERROR_LENGTH = 200;

/** One showing of one ad: the record behind caps and proof of play. Times: ms since the epoch, UTC. */
export const Play = z.object({
  id: z.string(),
  /** The books it belongs to (rule 26). */
  environment: z.string(),
  /** The moment it counts from: the planned time of its first frame. */
  at: z.number(),
  adId: z.string(),
  requestId: z.string(),
  flightId: z.string().nullable(),
  campaignId: z.string().nullable(),
  source: z.string().nullable(),
  sourceId: z.string().nullable(),
  /** The file that is shown; of a banner of markup `htmlbanner:sha256-HEX`; empty where there are only words. */
  mediaUrl: z.string(),
  delivery: z.enum(['offline', 'online', 'native', 'house']),
  /** Of native ads; absent in plays of versions that did not keep it. */
  native: NativeFacts.exactOptional(),
  /** Absent in plays of versions that did not keep them (rule 29). */
  creative: PlayCreative.exactOptional(),
  decision: PlayDecision.exactOptional(),
  /** Planned length in ms. While its creative is still loaded: as the ad states it, null where it does not. */
  durationMs: z.number().nullable(),
  outcome: PlayOutcome,
  /** First presented frame, or null while none was. */
  shownAt: z.number().nullable(),
  /** Time on the screen in ms, 0 while none; what a video stood still is not part of it. */
  viewedMs: z.number(),
  presentedFrames: z.number().nullable(),
  droppedFrames: z.number().nullable(),
  /** How often a video stood still; null also for plays of versions that did not keep it. */
  stalls: z.number().nullable().default(null),
  /** Why it ended, in a word (`ended`, `skipped`, `covered`, `decode-error`, …), or null while under way. */
  endReason: z.string().nullable(),
  /**
   * Errors of scripts and violations of the policy in the banner or page that showed, each once, the
   * first ones; absent where there were none, and in plays of versions that did not keep them.
   */
  guestErrors: z.array(z.string().max(MAX_GUEST_ERROR_LENGTH)).max(MAX_GUEST_ERRORS).exactOptional(),
});
export type Play = z.infer<typeof Play>;

/** What a play has come to as long as nothing of it was seen. */
export const UNSEEN = {
  outcome: 'reserved',
  shownAt: null,
  viewedMs: 0,
  presentedFrames: null,
  droppedFrames: null,
  stalls: null,
  endReason: null,
} as const satisfies Partial<Play>;

/** What a play is settled with. */
export const Settlement = Play.pick({
  outcome: true,
  shownAt: true,
  viewedMs: true,
  presentedFrames: true,
  droppedFrames: true,
  stalls: true,
  endReason: true,
}).extend({
  /** Absent: as it was reserved. */
  durationMs: Play.shape.durationMs.exactOptional(),
  guestErrors: Play.shape.guestErrors,
});
export type Settlement = z.infer<typeof Settlement>;

/** What is on the screen, was or comes: the one shape that the player, the status and the overlay share. */
export const Showing = z.object({
  /** Where its ad came from; null: the brand card. */
  delivery: Play.shape.delivery.nullable(),
  adId: z.string().nullable(),
  flightId: z.string().nullable(),
  campaignId: z.string().nullable(),
  sourceId: z.string().nullable(),
  /** Without its query, which may hold a key. */
  mediaUrl: z.string().nullable(),
  /** When it began, or begins as things are now; null: it waits. Ms since the epoch, UTC. */
  at: z.number().nullable(),
  /** Null: not known yet, or until something may play. */
  durationMs: z.number().min(0).nullable(),
});
export type Showing = z.infer<typeof Showing>;

export type ShowingKind = 'ad' | 'native' | 'house' | 'card';

export function showingKind({ delivery }: Pick<Showing, 'delivery'>): ShowingKind {
  if (delivery === null) return 'card';
  return delivery === 'native' || delivery === 'house' ? delivery : 'ad';
}
