import { z } from 'zod';
import { ProvenPlay } from './proof-of-play';

/** A place in the sequence of settled plays (rule 27). `seq` 0 is before the first. */
export const SequencePosition = z.object({ epoch: z.int().min(0), seq: z.int().min(0) });
export type SequencePosition = z.infer<typeof SequencePosition>;

/** A row's content as it was cut: what is in a stored segment never changes again under the same epoch and number. */
export const SequenceEntry = ProvenPlay.extend({
  epoch: z.int().min(0),
  seq: z.int().min(1),
  /** 0 first; each later row of the same play has one more, and a number of its own. */
  rev: z.int().min(0),
});
export type SequenceEntry = z.infer<typeof SequenceEntry>;

/** Entries that one call of `readSequence` answers at most: some 15 ms of the records window. */
const MOST_ENTRIES_AT_ONCE = 200;
/** A segment's body, gzipped. */
const MOST_SEGMENT_BYTES = 16_777_216;

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const bytes = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array && value.byteLength <= MOST_SEGMENT_BYTES,
  `expected at most ${MOST_SEGMENT_BYTES} bytes`,
);

/** A segment that is stored, but for its bytes. Both ends are included; times are ms since the epoch. */
export const StoredSegment = z.object({
  epoch: z.int().min(0),
  first: z.int().min(1),
  last: z.int().min(1),
  count: z.int().min(1),
  /** Of its manifest. */
  digest,
  madeAt: z.number(),
});
export type StoredSegment = z.infer<typeof StoredSegment>;

/** A segment that the receiver refuses: the chain goes on over its digest. */
export const SetAsideSegment = StoredSegment.extend({
  since: z.number(),
  /** The last try. */
  triedAt: z.number(),
  /** HTTP status of the last try. */
  status: z.int(),
});
export type SetAsideSegment = z.infer<typeof SetAsideSegment>;

/** Numbers whose plays were pruned unsent, because more were waiting than the kiosk keeps. */
export const DroppedRange = z.object({
  epoch: z.int().min(0),
  first: z.int().min(1),
  last: z.int().min(1),
});
export type DroppedRange = z.infer<typeof DroppedRange>;

/** How far the sequence is, how far it was cut into segments, and how far those were delivered. */
export const ProofPosition = z.object({
  /** The current one: plays that settle now are numbered in it; 0: none was, so far. */
  epoch: z.int().min(0),
  /** Highest number given in it; 0: none. */
  last: z.int().min(0),
  /** Delivered or set aside up to here. */
  cursor: SequencePosition,
  /** Where the next segment begins to read: the end of the pending segment, or the cursor. */
  readFrom: SequencePosition,
  /** Of each epoch with a stored segment, the digest of the last one's manifest: the next one's predecessor. */
  heads: z.array(z.object({ epoch: z.int().min(0), digest })),
  /** Numbers beyond the cursor, dropped ones not counted. */
  waiting: z.int().min(0),
  /** When the oldest of those was settled, ms since the epoch. */
  oldestSettledAt: z.number().nullable(),
  /** Whether plays of older versions are still to be numbered: `waiting` does not hold those yet. */
  isNumbering: z.boolean(),
  setAside: z.array(SetAsideSegment),
  dropped: z.array(DroppedRange),
  /** Stored, and neither delivered nor set aside: its bytes are repeated unchanged. */
  pending: StoredSegment.nullable(),
});
export type ProofPosition = z.infer<typeof ProofPosition>;

const nothing = z.null();

/** The commands of the sequence (rules 27 and 28). No other command comes between the parts of one. */
export const sequenceCommands = {
  /**
   * The run without gaps after `after` whose rows may be cut: their beacons are final, or they settled 10 minutes
   * before `now` (ms since the epoch). All entries are of one epoch: the next one begins when it has no more.
   * As long as the window lives, and for ever once they are in a stored segment, the same entries again are the same
   * to the byte. Refused as a conflict when rows before them were read by an earlier window and are in no stored
   * segment: they may have changed since. `more`: there are further ones that may be cut now.
   */
  readSequence: {
    input: z.object({
      after: SequencePosition,
      limit: z.int().min(1).max(MOST_ENTRIES_AT_ONCE),
      now: z.number(),
    }),
    output: z.object({ entries: z.array(SequenceEntry), more: z.boolean() }),
  },
  proofPosition: { input: z.object({}), output: ProofPosition },
  /**
   * Stores a segment's bytes before the first try (rule 28). A conflict when another one is pending, or when it
   * does not follow the last stored one, or holds rows that were not read. The same segment again changes nothing.
   */
  storeSegment: { input: StoredSegment.extend({ bytes }), output: nothing },
  /** A stored segment's bytes; null: it was delivered, or is not known. */
  readSegment: {
    input: StoredSegment.pick({ epoch: true, first: true }),
    output: bytes.nullable(),
  },
  /**
   * Moves the cursor over the pending segment, durably. The bytes of a delivered one are deleted; those of one
   * that is set aside stay, until it is delivered after all. One that is not stored changes nothing.
   */
  settleSegment: {
    input: StoredSegment.pick({ epoch: true, first: true }).extend({
      how: z.enum(['delivered', 'set-aside']),
      at: z.number(),
      /** HTTP status of the answer. */
      status: z.int(),
    }),
    output: nothing,
  },
  /**
   * Begins a new epoch (rule 27): what was not delivered is numbered in it again, and cut anew. With `forgetWaiting`
   * (the disk is a copy of another kiosk's) what came before is not this kiosk's: it is neither delivered nor given a
   * revision any more, but stays exportable; `forgotten` is how many numbers that were. Without it, an epoch without
   * numbers goes on.
   */
  beginEpoch: {
    input: z.object({ now: z.number(), forgetWaiting: z.boolean() }),
    output: z.object({ epoch: z.int().min(1), forgotten: z.int().min(0) }),
  },
  /** Numbers at most `limit` settled plays that older versions left without; a step of the work in the background. */
  numberPlays: {
    input: z.object({ limit: z.int().min(1).max(1_000) }),
    output: z.object({ numbered: z.int().min(0), done: z.boolean() }),
  },
} as const;
