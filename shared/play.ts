import { z } from 'zod';
import { AdIds, FrequencyCap } from './ad';
import { plain } from './plain';

/**
 * The states of a play: `reserved` before its first frame (it counts from here, rule 8), then settled once as one of
 * the others. `given-back` is the only outcome that no longer counts: no frame was shown. `unknown`: main found the
 * reservation at its start, or the kiosk window died as it was to show the ad. Nobody knows whether a frame was shown, so it
 * counts.
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

/** Facts about the ad from a native answer, for audits of the play; null where it has none. */
const NativeFacts = z.object({
  assetGroupId: plain.textOrNull,
  creativeId: plain.textOrNull,
  bundleId: plain.textOrNull,
  revenueModel: plain.textOrNull,
});

/**
 * Why an ad was allowed to play (rule 29): it has no audience, a group of its audience matched here, the service had
 * matched it (online), or its kind is not targeted.
 */
const AllowedBy = z.enum(['untargeted', 'matched-group', 'trusted', 'native', 'house']);
export type AllowedBy = z.infer<typeof AllowedBy>;

/** What the decision was based on; never who the people were. */
export const PlayDecision = z.object({
  allowedBy: AllowedBy,
  /** The first group of the audience that matched, from 0; null where there was none to match. */
  matchedGroup: plain.count.nullable(),
  /** How many people the sensor counted, and how old that count was at the decision, ms; null without a signal. */
  peopleCount: plain.count.nullable(),
  signalAgeMs: plain.numberOrNull,
  /** Caps in force, in the answer's order. */
  caps: z.array(FrequencyCap),
});
export type PlayDecision = z.infer<typeof PlayDecision>;

/** What was shown, as the file and the ads document name it; null where they do not. */
export const PlayCreative = AdIds.extend({
  /** Of the file's bytes, as they were verified on disk; lower-case hex. */
  sha256: plain.textOrNull,
  mediaType: plain.textOrNull,
});
export type PlayCreative = z.infer<typeof PlayCreative>;

/** Most errors of its guest that a play stores, and the longest of them, in UTF-16 code units. */
export const MAX_GUEST_ERRORS = 5;
export const MAX_GUEST_ERROR_LENGTH = 200;

/** One showing of one ad: the record behind caps and proof of play. Times: ms since the epoch, UTC. */
export const Play = z.object({
  id: plain.text,
  /** The books it belongs to (rule 26). */
  environment: plain.text,
  /** The moment it counts from: the planned time of its first frame. */
  at: plain.number,
  adId: plain.text,
  requestId: plain.text,
  flightId: plain.textOrNull,
  campaignId: plain.textOrNull,
  source: plain.textOrNull,
  sourceId: plain.textOrNull,
  /** The file that is shown; for a banner of markup `htmlbanner:sha256-HEX`; empty where there are only words. */
  mediaUrl: plain.text,
  delivery: z.enum(['offline', 'online', 'native', 'house']),
  /** Of native ads; absent in plays of versions that did not keep it. */
  native: NativeFacts.exactOptional(),
  /** Absent in plays of versions that did not keep them (rule 29). */
  creative: PlayCreative.exactOptional(),
  decision: PlayDecision.exactOptional(),
  /** Planned length in ms. Until its creative is loaded: as the ad states it, null where it does not. */
  durationMs: plain.numberOrNull,
  outcome: PlayOutcome,
  /** First presented frame, or null while none was. */
  shownAt: plain.numberOrNull,
  /** Time on the screen in ms, without the stalls of a video; 0 while none. Of a window that died or hung, until its last heartbeat. */
  viewedMs: plain.number,
  presentedFrames: plain.numberOrNull,
  droppedFrames: plain.numberOrNull,
  /** How often a video stalled; null also for plays of versions that did not store it. */
  stalls: plain.numberOrNull.default(null),
  /** Why it ended, in a word (`ended`, `overlay`, `stalled`, `decode-failed`, …), or null while under way. */
  endReason: plain.textOrNull,
  /**
   * Errors of scripts and violations of the policy in the banner or page that showed, each once, the
   * first ones; absent where there were none, and in plays of versions that did not keep them.
   */
  guestErrors: z.array(z.string().max(MAX_GUEST_ERROR_LENGTH)).max(MAX_GUEST_ERRORS).exactOptional(),
});
export type Play = z.infer<typeof Play>;

/** A play as it is read back: words that a newer version stored before it was taken back are kept, as proof of it. */
export const StoredPlay = Play.extend({
  delivery: plain.text,
  decision: PlayDecision.extend({ allowedBy: plain.text }).exactOptional(),
});

/** The fields of a play of which nothing has been shown yet. */
export const UNSEEN = {
  outcome: 'reserved',
  shownAt: null,
  viewedMs: 0,
  presentedFrames: null,
  droppedFrames: null,
  stalls: null,
  endReason: null,
} as const satisfies Partial<Play>;

/** The fields that settling a play sets. */
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

/** A past, present or coming showing: the one form that the player, the status and the overlay share. */
export const Showing = z.object({
  /** Where its ad came from; null: the brand card. */
  delivery: Play.shape.delivery.nullable(),
  adId: plain.textOrNull,
  flightId: plain.textOrNull,
  campaignId: plain.textOrNull,
  sourceId: plain.textOrNull,
  /** Without its query, which may hold a key. */
  mediaUrl: plain.textOrNull,
  /** When it began, or begins if nothing changes; null: it waits. Ms since the epoch, UTC. */
  at: plain.numberOrNull,
  /** Null: not known yet, or until something may play. */
  durationMs: z.number().min(0).nullable(),
});
export type Showing = z.infer<typeof Showing>;

export type ShowingKind = 'ad' | 'native' | 'house' | 'card';

export function showingKind({ delivery }: Pick<Showing, 'delivery'>): ShowingKind {
  if (delivery === null) return 'card';
  return delivery === 'native' || delivery === 'house' ? delivery : 'ad';
}
