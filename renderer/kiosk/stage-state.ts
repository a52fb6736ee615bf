import type { NativeCardPart } from '../../shared/native';
import type { StageCommand, StageCreative, StageEvent, StageReport } from '../../shared/stage';
import type { Milestone, RunUp } from './slot-plan';

/** One of the stage's layers: two that take turns, and one for a card whose banner is late. */
export type LayerIndex = 0 | 1 | 2;
/** One value for each layer. */
export type EachLayer<T> = readonly [T, T, T];

/**
 * `front`: what shoppers see. `next`: above it but for one pixel clipped away and
 * all but transparent, because a video that is wholly covered presents nothing and
 * comes up black when it is raised. `rising`: the same without the clip, so that it is
 * drawn by the moment in which it is raised. `behind`: covered, on its way out.
 */
export type Place = 'front' | 'next' | 'rising' | 'behind';

export type LoadError = { code: 'load-failed' | 'decode-failed' | 'start-timeout'; detail: string };

/** What can be told of a video that was started, at the moment of an event. */
export interface RunLook {
  /** Its clock runs: what is on the screen from now on moves. */
  readonly hasStarted: boolean;
  readonly hasEnded: boolean;
  readonly isBroken: boolean;
  /** After this time it has stalled, unless it moves on before; ms on the page's monotonic clock. */
  readonly stallsAfter: number;
  readonly positionMs: number;
  /** How long nothing new was seen, ms. */
  readonly stillMs: number;
  /** Time since it was raised in which it stood still so that it was noticed, ms. */
  readonly stoodStillMs: number;
  readonly counts: Omit<StageReport, 'viewedMs'>;
}

export interface LayerLook {
  /** The process that draws it died: no last frame of it is left. */
  readonly isLost: boolean;
  /** The banner in its card has broken: a part of the ad is not to be seen any more. */
  readonly isTorn: boolean;
  /** Null: it holds no video that was started. */
  readonly run: RunLook | null;
}

/** The world as it is at an event. */
export interface StageLook {
  /** ms on the page's monotonic clock. */
  readonly now: number;
  readonly layers: EachLayer<LayerLook>;
  /** The window is visible, and nothing lies over the layers. */
  readonly isSeen: boolean;
}

export type StageInput =
  | Exclude<StageCommand, { type: 'message' | 'screen' | 'announcement' }>
  /** A dark screen has waited long enough for its first creative. */
  | { readonly type: 'light-up' }
  /** What was asked for by the `load` effect of the same number. */
  | { readonly type: 'loaded'; readonly load: number; readonly outcome: { durationMs: number } | LoadError }
  /** A frame is about to be drawn. */
  | { readonly type: 'frame' }
  /** Answers the effect `await-drawn`. */
  | { readonly type: 'drawn'; readonly leaving: Leaving }
  | { readonly type: 'tap'; readonly part: NativeCardPart };

export type StageEffect =
  | { readonly do: 'tell'; readonly event: StageEvent }
  | {
      readonly do: 'load';
      readonly layer: LayerIndex;
      readonly load: number;
      readonly creative: StageCreative;
    }
  | { readonly do: 'release' | 'start' | 'raised' | 'freeze'; readonly layer: LayerIndex }
  | { readonly do: 'place'; readonly layer: LayerIndex; readonly place: Place }
  | { readonly do: 'card'; readonly card: 'none' | 'brand' }
  /** Answer with `drawn` once the present state of the page is on the display. */
  | { readonly do: 'await-drawn'; readonly leaving: Leaving };

/** A layer that is covered now, and may let go of what it holds once the frame that covers it is drawn. */
export interface Leaving {
  readonly layer: LayerIndex;
  readonly load: number;
  /** The slot that was raised over it; null: the brand card. */
  readonly slot: number | null;
}

/** A time to look again that is always over. */
export const EACH_FRAME = Number.NEGATIVE_INFINITY;

/** A video that was told to play. */
export interface StartedVideo {
  /** ms on the page's monotonic clock. */
  readonly startedAt: number;
  readonly hasMoved: boolean;
}

/** A slot whose creative is in front. All times: ms on the page's monotonic clock. */
export interface Playing {
  readonly is: 'playing';
  readonly slot: number;
  readonly durationMs: number;
  /** From when its length is counted: as a rule the planned end of the slot before. */
  readonly startedAt: number;
  /** When the next one should begin. */
  readonly nextAt: number;
  readonly raisedAt: number;
  readonly presentedTold: boolean;
  readonly endingTold: boolean;
  readonly viewedTold: boolean;
  /** How long it has to be visible without a break until it counts as viewed (rules 15 and 16). */
  readonly viewAfterMs: number;
  readonly milestones: readonly Milestone[];
  readonly milestonesTold: number;
  /** Since when it is visible without a break, and until when the next frame shows that it still is; null: not at the moment. */
  readonly visible: { readonly since: number; readonly until: number } | null;
  /** As its layer was when it was looked at before. */
  readonly isTorn: boolean;
  readonly video: StartedVideo | null;
  /** When it is to be looked at again, unless something changes before. */
  readonly dueAt: number;
}

/** What shoppers see. */
export type Front =
  /** Nothing was shown yet. */
  | { readonly is: 'dark' }
  | { readonly is: 'brand' }
  | Playing
  /** It has ended, and its last frame stays until something follows. */
  | {
      readonly is: 'over';
      readonly slot: number;
      readonly plannedEnd: number;
      /** When the next one should begin; null: it did not run to its end, and nothing leads up to the next. */
      readonly nextAt: number | null;
    };

/** What the hidden layer holds. */
export type Coming =
  | { readonly is: 'none' }
  /** It has a banner, which is not loaded before its time (rule 17). */
  | { readonly is: 'early'; readonly slot: number; readonly creative: BannerCard }
  | {
      readonly is: 'loading';
      readonly slot: number;
      readonly load: number;
      readonly creative: StageCreative;
      /** When another ad takes its slot if its banner has painted nothing; null: it has none. */
      readonly givesWayAt: number | null;
    }
  | {
      readonly is: 'ready';
      readonly slot: number;
      readonly durationMs: number;
      readonly creative: StageCreative;
      readonly milestones: readonly Milestone[];
      readonly video: StartedVideo | null;
    };

/** A card whose banner gave way, and goes on loading in the third layer. */
export interface Late {
  readonly load: number;
  readonly creative: BannerCard;
  /** Null: it has painted nothing yet. */
  readonly durationMs: number | null;
}

export interface StageState {
  readonly front: Front;
  readonly coming: Coming;
  /** What main has committed to follow; `slot`: the coming one, which only a dark stage takes while it is loading. */
  readonly follows: 'nothing' | 'brand' | 'slot';
  readonly late: Late | null;
  readonly frontLayer: LayerIndex;
  /** Where the coming creative is loaded. */
  readonly backLayer: LayerIndex;
  /** Where a late one is kept. */
  readonly lateLayer: LayerIndex;
  /** Which load each layer holds; 0: none. */
  readonly holds: EachLayer<number>;
  readonly lastLoad: number;
  /** Why the latest slot that could not be loaded could not: also the answer if main commits it all the same. */
  readonly broken: Extract<StageEvent, { type: 'failed' }> | null;
  readonly runUp: RunUp;
}

export const DARK_STAGE: StageState = {
  front: { is: 'dark' },
  coming: { is: 'none' },
  follows: 'nothing',
  late: null,
  ...{ frontLayer: 0, backLayer: 1, lateLayer: 2 },
  holds: [0, 0, 0],
  lastLoad: 0,
  broken: null,
  runUp: [],
};

export type BannerCard = Extract<StageCreative, { kind: 'card' }> & {
  banner: NonNullable<Extract<StageCreative, { kind: 'card' }>['banner']>;
};
/** Its frame holds a banner of markup. */
export const hasBanner = (creative: StageCreative): creative is BannerCard =>
  creative.kind === 'card' && creative.banner !== null;

/** A video plays in it, alone or in a card's frame. */
export const isMoving = (creative: StageCreative): boolean =>
  creative.kind === 'video' || (creative.kind === 'card' && creative.video !== null);
