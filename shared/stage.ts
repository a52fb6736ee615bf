import { z } from 'zod';
import { LinkCommand, LinkEvent } from './link';
import { NativeCardContent, NativeCardPart } from './native';
import { plain } from './plain';
import type { RpcContract } from './rpc';

/**
 * The contract between main and the kiosk window: the slot loop and the stage; with guests and links beside them.
 *
 * Main decides; the stage shows, and reports what it has shown. Every `prepare` is answered by `prepared` or `failed`,
 * unless `discard`, `stop` or another `prepare` comes first; every `show` by `presented` and later `ended`, or by
 * `failed` alone when no frame of it was presented. A slot number is never used twice, so an answer about an earlier
 * slot cannot be mistaken for one about its successor.
 */
const slot = z.int().positive();

/** How long a starting stage waits for the first creative before it shows the brand card, ms. */
export const DARK_START_MS = 1_500;
/** How long after its load a banner that has painted nothing is given up, ms (rule 16). */
export const BANNER_PAINT_DEADLINE_MS = 15_000;

/** A message of the fleet's operator, shown over the ads. */
export const Announcement = z.object({
  text: z.string().min(1).max(500),
  severity: z.enum(['information', 'warning', 'emergency']),
  /** The language tag of the text. */
  language: z.string().max(64),
});
export type Announcement = z.infer<typeof Announcement>;

/** A point of a creative that the stage reports when it is reached: a time in ms, or a share of its length. */
export const Mark = z.discriminatedUnion('of', [
  z.object({ of: z.literal('time'), ms: z.number().min(0) }),
  z.object({ of: z.literal('length'), share: z.number().min(0).max(1) }),
]);
export type Mark = z.infer<typeof Mark>;

const marks = z.array(Mark).max(100);

/** A video that lasts longer, ms, fails; absent: it may last as long as it does. */
const longestMs = z.number().positive().exactOptional();

const FileCreative = z.object({
  /** `media://cache/…`, complete and verified (rule 13). */
  url: plain.text,
  /** How long to show it, ms; null: as long as the video lasts. */
  durationMs: z.number().positive().nullable(),
  /** 0 (silent) to 1. */
  volume: z.number().min(0).max(1),
  longestMs,
  marks,
});

/** A creative that is a page: verified markup in a silent guest without network. */
const PageCreative = z.object({
  kind: z.literal('page'),
  url: plain.text,
  partition: plain.text,
  /** How long before its slot it is loaded at the earliest, ms: from then on it runs. Absent: as early as possible. */
  leadMs: z.number().positive().exactOptional(),
  durationMs: z.number().positive(),
  marks,
});

/** A native ad. Its frame, if it has one, holds a video that the stage plays, or a banner in a guest of its own. */
const CardCreative = z.object({
  kind: z.literal('card'),
  content: NativeCardContent,
  language: plain.text,
  video: plain.textOrNull,
  banner: z
    .object({
      url: plain.text,
      partition: plain.text,
      /** How long before its slot it is loaded at the earliest, ms (rule 16). */
      leadMs: z.number().positive(),
    })
    .nullable(),
  /** Null: as long as the video lasts. */
  durationMs: z.number().positive().nullable(),
  volume: z.number().min(0).max(1),
  longestMs,
  marks,
});

export const StageCreative = z.discriminatedUnion('kind', [
  FileCreative.extend({ kind: z.literal('image') }),
  FileCreative.extend({ kind: z.literal('video') }),
  PageCreative,
  CardCreative,
]);
export type StageCreative = z.infer<typeof StageCreative>;

/** The corner of the picture that staff tap to open the overlay; ads take no taps there. */
export const StaffCorner = z.enum(['top-left', 'top-right', 'bottom-left', 'bottom-right']);
export type StaffCorner = z.infer<typeof StaffCorner>;

export const StageCommand = z.discriminatedUnion('type', [
  /** Load and decode into the hidden layer. */
  z.object({ type: z.literal('prepare'), slot, creative: StageCreative }),
  /**
   * Present the prepared slot when the current one ends, or now if nothing is on the stage. A dark stage accepts it
   * while it is still preparing the slot, and presents the slot as soon as it is prepared.
   */
  z.object({ type: z.literal('show'), slot }),
  /** Drop a prepared slot that will not be shown. */
  z.object({ type: z.literal('discard'), slot }),
  /** Nothing is eligible: show the brand card after the current slot's end. */
  z.object({ type: z.literal('brand') }),
  /** The volume of what is loaded or plays already, 0 (silent) to 1; later creatives state it themselves. */
  z.object({ type: z.literal('volume'), volume: z.number().min(0).max(1) }),
  /** End what is showing now (rule 14, shutdown); `ended` follows with reason `stopped`. */
  z.object({ type: z.literal('stop') }),
  /** A full-screen message instead of the stage: the kiosk cannot work as configured. */
  z.object({ type: z.literal('message'), title: plain.text, text: plain.text }),
  /** The operator's message over everything that shoppers see; null: none. The loop is held meanwhile. */
  z.object({ type: z.literal('announcement'), announcement: Announcement.nullable() }),
  /** How the stage lies on the screen, degrees clockwise, the language for shoppers, and the staff's corner. */
  z.object({
    type: z.literal('screen'),
    rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
    language: plain.text,
    corner: StaffCorner,
  }),
]);
export type StageCommand = z.infer<typeof StageCommand>;

/** What was shown of a slot, measured on presented frames with a monotonic clock. */
export const StageReport = z.object({
  viewedMs: z.number().min(0),
  presentedFrames: plain.count.nullable(),
  droppedFrames: plain.count.nullable(),
  /** How often a video waited for its own data, or stalled for long enough to be noticed. */
  stalls: plain.count.nullable(),
});
export type StageReport = z.infer<typeof StageReport>;

export const StageEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Loaded, decoded and waiting; `durationMs` as the slot will run. */
  z.object({ type: z.literal('prepared'), slot, durationMs: z.number().positive() }),
  /** Its first frame is on the screen. */
  z.object({ type: z.literal('presented'), slot }),
  z.object({
    type: z.literal('progress'),
    slot,
    quartile: z.enum(['firstQuartile', 'midpoint', 'thirdQuartile']),
  }),
  /** A mark was reached; `mark` is its index in the creative's marks. */
  z.object({ type: z.literal('mark'), slot, mark: plain.count }),
  /**
   * It was really visible for one second without a break (rule 16), a video that is no part of a card for two: drawn,
   * nothing above it, frames advancing. Sent once a slot.
   */
  z.object({ type: z.literal('viewed'), slot }),
  /** A tap landed on a part of a native card; main decides whether a person made it (rule 18). */
  z.object({ type: z.literal('tap'), slot, part: NativeCardPart }),
  /** It ends in `remainingMs`: the time to commit the next slot. */
  z.object({ type: z.literal('ending'), slot, remainingMs: z.number().min(0) }),
  z.object({
    type: z.literal('ended'),
    slot,
    /** `no-sound`: the kiosk's sound output broke, which is no error of the file. */
    reason: z.enum(['ended', 'stopped', 'stalled', 'error', 'no-sound']),
    report: StageReport,
  }),
  /**
   * A slot that ran to its end has left the screen: the next slot or the brand card took its place `overrunMs` after
   * its planned end. Sent after `ended`.
   */
  z.object({ type: z.literal('left'), slot, overrunMs: z.number().min(0) }),
  /**
   * It could not be loaded, decoded or started; no frame of it was presented. `late`: its banner has painted nothing
   * yet and goes on loading; the same banner, prepared for a later slot, continues that load.
   */
  z.object({
    type: z.literal('failed'),
    slot,
    code: z.enum([
      ...['load-failed', 'decode-failed', 'start-timeout', 'no-sound'],
      ...['late', 'not-prepared', 'stopped'],
    ] as const),
    detail: z.string().max(500),
  }),
  /** Sent every second while the page's frames advance. */
  z.object({ type: z.literal('heartbeat') }),
]);
export type StageEvent = z.infer<typeof StageEvent>;

/**
 * The contract for guests: `<webview>`s that the kiosk window holds; only main sees what runs inside. Main opens and
 * closes those of JavaScript beacons. Pages and banners come and go with their creative.
 */
export const GuestCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open'), guest: plain.text, url: plain.text, partition: plain.text }),
  z.object({ type: z.literal('close'), guest: plain.text }),
  /** The page or banner at this address, which a layer of the stage holds, has drawn something. */
  z.object({ type: z.literal('painted'), url: plain.text }),
  /** It could not be loaded, or its process died, so it shows nothing. */
  z.object({ type: z.literal('broken'), url: plain.text, detail: z.string().max(300) }),
]);
export type GuestCommand = z.infer<typeof GuestCommand>;

/** Main is the client, the kiosk window the server. There are only one-way messages. */
export const stageContract = {
  calls: {},
  errorCode: z.never(),
  fromClient: { stage: StageCommand, guest: GuestCommand, link: LinkCommand },
  fromServer: { stage: StageEvent, link: LinkEvent },
} as const satisfies RpcContract;
