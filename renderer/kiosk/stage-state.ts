import type { NativeCardPart } from '../../shared/native';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { Milestone, SlotPlan } from './slot-plan';
import type { VideoRun } from './video-run';

/** Index of a layer: two take turns, and one holds a card whose banner is late. */
export type LayerIndex = 0 | 1 | 2;
export type EachLayer<T> = readonly [T, T, T];

/**
 * `front`: what shoppers see. `next`: above it, but clipped to one pixel and almost
 * transparent, because a completely covered video presents no frames and would be black
 * when it is raised. `rising`: the same without the clip, so that all of it is drawn
 * before it is raised. `behind`: covered, and released soon.
 */
export type Place = 'front' | 'next' | 'rising' | 'behind';

export type LoadError = {
  code: 'load-failed' | 'decode-failed' | 'start-timeout' | 'no-sound';
  detail: string;
};
export type Loaded = { durationMs: number } | LoadError;

/** A started video as of its last observation. */
export type RunLook = Readonly<
  Pick<
    VideoRun,
    | ('startedAt' | 'startMs' | 'hasEnded' | 'isBroken' | 'lacksSound')
    | ('stallsAfter' | 'positionMs' | 'stillMs' | 'stoodStillMs' | 'counts')
  >
>;

export interface LayerLook {
  /** The process of its page died, so not even a last frame is left. */
  readonly isLost: boolean;
  /** The banner in its card broke, so only the rest of the card can be seen. */
  readonly isBannerBroken: boolean;
  /** Null: it holds no video that was started. */
  readonly run: RunLook | null;
}

/** Whether its page is gone, or its card has a hole: it is shown no more. */
export const isDead = ({ isLost, isBannerBroken }: LayerLook): boolean => isLost || isBannerBroken;

/** What the state machine can observe at the moment of an input. */
export interface StageLook {
  /** ms on the page's monotonic clock. */
  readonly now: number;
  readonly layers: EachLayer<LayerLook>;
  /** The window is visible, and nothing lies over the layers. */
  readonly isSeen: boolean;
}

export type StageInput =
  | Exclude<StageCommand, { type: 'message' | 'screen' | 'announcement' | 'volume' }>
  /** A dark screen has waited long enough for its first creative. */
  | { readonly type: 'light-up' }
  /** The result of the effect `load` for the same slot. */
  | { readonly type: 'loaded'; readonly loadedFor: number; readonly outcome: Loaded }
  /** A frame is about to be drawn. */
  | { readonly type: 'frame' }
  /** Answers the effect `await-drawn` for the same slot. */
  | { readonly type: 'drawn'; readonly slot: number | null }
  | { readonly type: 'tap'; readonly part: NativeCardPart };

export type StageEffect =
  | { readonly do: 'tell'; readonly event: StageEvent }
  | {
      readonly do: 'load';
      readonly layer: LayerIndex;
      readonly slot: number;
      readonly creative: StageCreative;
    }
  | { readonly do: 'release' | 'start' | 'shown' | 'freeze'; readonly layer: LayerIndex }
  | { readonly do: 'place'; readonly layer: LayerIndex; readonly place: Place }
  | { readonly do: 'card'; readonly card: 'none' | 'brand' }
  /** Give the input `drawn` once the slot that was raised, or (null) the brand card, is on the display. */
  | { readonly do: 'await-drawn'; readonly slot: number | null };

/** A `dueAt` that is always past: look at each frame. */
export const EACH_FRAME = Number.NEGATIVE_INFINITY;
/** A `dueAt` that never comes: look only after something changed. */
export const NOT_DUE = Number.POSITIVE_INFINITY;

/** A slot whose creative is in front. All times: ms on the page's monotonic clock. */
export interface Playing extends SlotPlan {
  readonly is: 'playing';
  readonly slot: number;
  readonly durationMs: number;
  readonly raisedAt: number;
  readonly presentedReported: boolean;
  readonly endingReported: boolean;
  readonly viewedReported: boolean;
  /** How long it has to be visible without a break until it counts as viewed (rules 15 and 16). */
  readonly viewAfterMs: number;
  /** Those that were not reported yet, in the order in which they are reached. */
  readonly milestones: readonly Milestone[];
  /** Visible without a break since `since`; a look after `until` counts as a break. Null: not visible now. */
  readonly visible: { readonly since: number; readonly until: number } | null;
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
      /** When the next slot should begin; null: this one did not run to its end, so the next has no planned time. */
      readonly nextAt: number | null;
    };

export interface Loading {
  readonly is: 'loading';
  readonly slot: number;
  /** The earlier slot for which it began to load, or the same. */
  readonly loadedFor: number;
  readonly creative: StageCreative;
  /** When another ad takes its slot if its banner has painted nothing; null: it has no banner. */
  readonly givesWayAt: number | null;
}
export interface Ready {
  readonly is: 'ready';
  readonly slot: number;
  readonly durationMs: number;
  readonly creative: StageCreative;
}

/** The creative that comes next, in the back layer. */
export type Coming =
  | { readonly is: 'none' }
  /** Its page or banner is not loaded yet (rules 11 and 17). `leadMs`: how long before its slot it is loaded. */
  | { readonly is: 'early'; readonly slot: number; readonly creative: StageCreative; readonly leadMs: number }
  | Loading
  | Ready;

export interface StageState {
  readonly front: Front;
  readonly coming: Coming;
  /** What follows, as main has committed. `slot`: the coming one; only a dark stage accepts it while it is loading. */
  readonly follows: 'nothing' | 'brand' | 'slot';
  /** A card whose banner gave way, and goes on loading in the late layer. */
  readonly late: Loading | Ready | null;
  readonly frontLayer: LayerIndex;
  /** Where the coming creative is loaded. */
  readonly backLayer: LayerIndex;
  /** The layer of a card whose banner is late. */
  readonly lateLayer: LayerIndex;
  /** Why the last slot that could not be loaded failed. It is reported again if main commits that slot. */
  readonly broken: Extract<StageEvent, { type: 'failed' }> | null;
  /** How long the latest videos took from their start until they moved, ms. */
  readonly starts: readonly number[];
}

export const DARK_STAGE: StageState = {
  front: { is: 'dark' },
  coming: { is: 'none' },
  follows: 'nothing',
  late: null,
  frontLayer: 0,
  backLayer: 1,
  lateLayer: 2,
  broken: null,
  starts: [],
};

/** The banner in its frame, if it has one. */
export const bannerOf = (creative: StageCreative) => (creative.kind === 'card' ? creative.banner : null);

/** Whether it is a video, or a card with a video in its frame. */
export const isMoving = (creative: StageCreative): boolean =>
  creative.kind === 'video' || (creative.kind === 'card' && creative.video !== null);
