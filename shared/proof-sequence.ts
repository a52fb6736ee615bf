import { z } from 'zod';
import { plain } from './plain';
import { ProvenPlay } from './play-report';

/** A place in the sequence of settled plays (rule 27). `seq` 0 is before the first. */
export const SequencePosition = z.object({ epoch: plain.count, seq: plain.count });
export type SequencePosition = z.infer<typeof SequencePosition>;

/** A row's content as it was cut: under the same epoch and number, the content of a stored segment never changes. */
export const SequenceEntry = ProvenPlay.extend({
  epoch: plain.count,
  seq: z.int().min(1),
  /** 0 first; each later row of the same play has one more, and a number of its own. */
  rev: plain.count,
});
export type SequenceEntry = z.infer<typeof SequenceEntry>;

/** Most entries in an answer of `readSequence`: about 15 ms of work for the records window. */
const MAX_ENTRIES_AT_ONCE = 200;
/** Longest body of a segment, gzipped. */
const MAX_SEGMENT_BYTES = 16_777_216;

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const bytes = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array && value.byteLength <= MAX_SEGMENT_BYTES,
  `expected at most ${MAX_SEGMENT_BYTES} bytes`,
);

/** A stored segment, without its bytes. Both ends are included; times are ms since the epoch. */
export const StoredSegment = z.object({
  epoch: plain.count,
  first: z.int().min(1),
  last: z.int().min(1),
  count: z.int().min(1),
  /** The digest of its manifest. */
  digest,
  madeAt: plain.number,
});
export type StoredSegment = z.infer<typeof StoredSegment>;

/** The status of a segment whose stored bytes cannot be read. */
export const UNREADABLE = 0;

/**
 * A segment that the receiver rejected, or whose bytes cannot be read, and that is tried again daily; the chain goes on
 * over its digest.
 */
export const SetAsideSegment = StoredSegment.extend({
  since: plain.number,
  /** When it was last tried. */
  triedAt: plain.number,
  /** HTTP status of the last try, or `UNREADABLE`. */
  status: plain.whole,
});
export type SetAsideSegment = z.infer<typeof SetAsideSegment>;

/** Numbers whose plays were pruned unsent, because more were waiting than the kiosk keeps. */
export const DroppedRange = StoredSegment.pick({ epoch: true, first: true, last: true });
export type DroppedRange = z.infer<typeof DroppedRange>;

/** How far the sequence is numbered, cut into segments, and delivered. */
export const ProofPosition = z.object({
  /** Everything up to here is delivered or set aside. */
  cursor: SequencePosition,
  /** Where the next segment begins to read: the end of the pending segment, or the cursor. */
  readFrom: SequencePosition,
  /** For each epoch with a stored segment, the digest of the last one's manifest: the predecessor of the next one. */
  heads: z.array(z.object({ epoch: plain.count, digest })),
  /**
   * How many numbers are beyond the cursor, or get another one in a new epoch; without dropped ones, and without plays
   * that have no number yet.
   */
  waiting: plain.count,
  /** When the oldest waiting number's play was settled, ms since the epoch; null: none waits. */
  oldestSettledAt: plain.numberOrNull,
  setAside: z.array(SetAsideSegment),
  dropped: z.array(DroppedRange),
  /** Stored, but neither delivered nor set aside: its bytes are sent again unchanged. */
  pending: StoredSegment.nullable(),
});
export type ProofPosition = z.infer<typeof ProofPosition>;

const nothing = z.null();

/** The commands of the sequence (rules 27 and 28). Only a reservation can come between the parts of one. */
export const sequenceCommands = {
  /**
   * Returns the entries without a gap after `after` whose rows may be cut: their beacons are final, or they settled 10
   * minutes before `now` (ms since the epoch). All entries are of one epoch: the next one begins when it has no more. An
   * entry that changes after it was read gets a revision, whether or not it reached a segment. A conflict when rows
   * before them were read by an earlier window and are in no stored segment, because they may have changed since.
   * `more`: further entries may be cut now.
   */
  readSequence: {
    input: z.object({
      after: SequencePosition,
      limit: z.int().min(1).max(MAX_ENTRIES_AT_ONCE),
      now: plain.number,
    }),
    output: z.object({ entries: z.array(SequenceEntry), more: plain.yesOrNo }),
  },
  proofPosition: { input: z.object({}), output: ProofPosition },
  /**
   * Stores a segment's bytes before the first try (rule 28). A conflict when another segment is pending, or when it
   * does not follow the last stored one or holds rows that were not read. The same segment again changes nothing.
   */
  storeSegment: { input: StoredSegment.extend({ bytes }), output: nothing },
  /** Returns a stored segment's bytes; null: it was delivered, or is not known. */
  readSegment: {
    input: StoredSegment.pick({ epoch: true, first: true }),
    output: bytes.nullable(),
  },
  /**
   * Moves the cursor over the pending segment, durably. The bytes of a delivered segment are deleted; those of one that
   * is set aside stay until it is delivered after all. Does nothing for a segment that is not stored.
   */
  settleSegment: {
    input: StoredSegment.pick({ epoch: true, first: true }).extend({
      how: z.enum(['delivered', 'set-aside']),
      at: plain.number,
      /** HTTP status of the answer, or `UNREADABLE`. */
      status: plain.whole,
    }),
    output: nothing,
  },
  /**
   * Begins a new epoch (rule 27): `numberPlays` gives undelivered entries numbers in it, and they are cut again. An epoch
   * without numbers goes on instead, unless `forgetWaiting` is set.
   *
   * @param forgetWaiting the disk is a copy of another kiosk's: entries of earlier epochs are neither delivered nor
   *   given revisions, but stay exportable
   * @param kiosk the kiosk's new name; if the current epoch was begun for it already, nothing changes. Without
   *   `forgetWaiting` the old key was lost, and no play gets a row under both names: a stored segment is delivered as
   *   it is, and plays in it, or delivered before, get no revisions
   */
  beginEpoch: {
    input: z.object({ now: plain.number, forgetWaiting: plain.yesOrNo, kiosk: plain.text.optional() }),
    output: z.object({ epoch: z.int().min(1) }),
  },
  /**
   * Numbers at most `limit` settled plays that older versions left without a number, or that `beginEpoch` left behind the
   * end of their epoch; one step of the background work.
   */
  numberPlays: {
    input: z.object({ limit: z.int().min(1).max(1_000) }),
    output: z.object({ numbered: plain.count, done: plain.yesOrNo }),
  },
} as const;
