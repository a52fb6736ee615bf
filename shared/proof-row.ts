import { z } from 'zod';
import { plain } from './plain';
import { PlayOutcome } from './play';

/*
 * A play in the form in which it leaves the kiosk for good (rule 27): one flat JSON object per line, every value a
 * scalar that a table can hold, unknown ones null and never left out. What each column means: docs/proof-of-play.md.
 * The columns are a public interface: they may only be added to.
 */

const text = plain.textOrNull;
const count = plain.count.nullable();
/** RFC 3339, UTC. */
const instant = plain.text;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The columns of a play's row, in the order in which they are written. */
export const ProofRow = z.strictObject({
  kind: z.literal('play'),
  /** Fingerprint of the kiosk's signing key, as exports name it. */
  kiosk: plain.text,
  /** When the epoch began, ms since the epoch; 0: plays of versions that did not number them. */
  epoch: plain.count,
  /** From 1 in each epoch, without gaps. */
  seq: z.int().min(1),
  /** 0, and one more for each later row of the same play. */
  rev: plain.count,
  id: plain.text,
  at: instant,
  shownAt: instant.nullable(),
  outcome: PlayOutcome,
  endReason: text,
  viewedMs: plain.number,
  durationMs: plain.numberOrNull,
  presentedFrames: plain.numberOrNull,
  droppedFrames: plain.numberOrNull,
  stalls: plain.numberOrNull,
  delivery: plain.text,
  adId: plain.text,
  requestId: plain.text,
  flightId: text,
  campaignId: text,
  source: text,
  sourceId: text,
  mediaUrl: plain.text,
  environment: plain.text,
  beaconsSent: count,
  beaconsUnknown: count,
  beaconsFailed: count,
  beaconsPending: count,
  scripts: text,
  guestErrors: text,
  playerId: text,
  storeId: text,
  zone: text,
  screenId: text,
  /** An object of strings as canonical JSON text. */
  labels: plain.text,
  mediaSha256: sha256.nullable(),
  mediaType: text,
  universalAdIdRegistry: text,
  universalAdId: text,
  adServingId: text,
  creativeId: text,
  assetGroupId: text,
  bundleId: text,
  revenueModel: text,
  allowedBy: text,
  /** Which group of the audience matched, from 0. */
  matchedGroup: count,
  peopleCount: count,
  signalAgeMs: plain.numberOrNull,
  /** JSON text of `[{window,limit}]`, in the answer's order; null: not known. */
  caps: text,
  /** SHA-256 of the RFC 8785 JSON of all other fields, lower-case hex. */
  digest: sha256,
});
export type ProofRow = z.infer<typeof ProofRow>;

/** The parts of a row that are not in the books: the kiosk's name and location. */
export interface RowOrigin {
  readonly kiosk: string;
  readonly playerId: string | null;
  readonly store: {
    readonly storeId: string | null;
    readonly zone: string | null;
    readonly screenId: string | null;
    readonly labels: Readonly<Record<string, string>>;
  };
}
