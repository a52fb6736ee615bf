import type { NativeCardPart } from '../../shared/native';
import type { PlayOutcome } from '../../shared/play';
import type { StageEvent, StageReport } from '../../shared/stage';
import type { SlotEvent } from './slot-ad';

// The state of the slot loop, what it hears of, and what it has done. `C` is an ad chosen for a slot (`SlotAd`),
// whatever its source.

/** An ad for a slot. */
export interface Candidate<C> {
  readonly slot: number;
  readonly choice: C;
}

/** What the stage was told to show. */
export interface ToldToShow {
  /**
   * Why the stage was told to stop it; null: it was not. Stored, because the reason may be over before the stage
   * answers.
   */
  readonly stoppedBy: string | null;
}

/** What comes next on the screen. */
export type Next<C> =
  | { readonly phase: 'none' }
  /** `lightsUp`: the first slot of a stage that has just started and is dark until its first frame. */
  | ({ readonly phase: 'preparing'; readonly lightsUp: boolean } & Candidate<C>)
  /** Loaded and decoded behind the current one. */
  | ({ readonly phase: 'ready'; readonly durationMs: number } & Candidate<C>)
  /** Judged again; the reservation is being stored. `durationMs` is null until it is prepared too. */
  | ({
      readonly phase: 'reserving';
      readonly durationMs: number | null;
      /** When its slot was to begin at the reservation, ms since the epoch. */
      readonly at: number;
      /** Why the play becomes void once it is stored; null: it does not. */
      readonly abandoned: 'stage-lost' | 'blocked' | null;
    } & Candidate<C>)
  /** Durably reserved; the stage raises it when the current one ends. */
  | ({ readonly phase: 'committed'; readonly durationMs: number | null } & ToldToShow & Candidate<C>);

export interface ShownSlot<C> extends ToldToShow, Candidate<C> {
  /** First presented frame, ms since the epoch. */
  readonly shownAt: number;
  /** The same and the planned end, monotonic ms: the clock may be set meanwhile. */
  readonly raisedAt: number;
  readonly endsAt: number;
  readonly state: 'running' | 'ending' | 'ended';
}

export interface LoopState<C> {
  readonly stage: 'away' | 'ready';
  /** Why no ad may be reserved (rule 14), or null. */
  readonly held: string | null;
  readonly lastSlot: number;
  readonly showing: ShownSlot<C> | null;
  readonly next: Next<C>;
  /** No ad is prepared before this time, monotonic ms. */
  readonly notBefore: number;
}

/** The stage events that concern the loop. */
export type LoopStageEvent = Exclude<StageEvent, { type: 'heartbeat' | 'left' }>;

export type LoopEvent =
  | { readonly type: 'stage'; readonly event: LoopStageEvent }
  /** Playlist, media, signals or time may have changed what is eligible. */
  | { readonly type: 'changed' }
  /** The stage was told to prepare this slot. */
  | { readonly type: 'sent'; readonly slot: number }
  | { readonly type: 'reserved'; readonly slot: number; readonly stored: boolean }
  | { readonly type: 'hold'; readonly reason: string }
  | { readonly type: 'resume' }
  /** The blocks changed (rule 30): the next ad is chosen again and, if `atOnce`, a blocked ad on the screen ends. */
  | { readonly type: 'take-down'; readonly atOnce: boolean }
  /** The kiosk window died or hangs; the play that it showed is over. */
  | { readonly type: 'stage-lost' };

export type LoopEffect<C> =
  | ({ readonly do: 'prepare' } & Candidate<C>)
  | { readonly do: 'discard'; readonly slot: number }
  /** `durationMs`: null while not known; the `shown` effect has it. */
  | ({ readonly do: 'reserve'; readonly at: number; readonly durationMs: number | null } & Candidate<C>)
  | { readonly do: 'show'; readonly slot: number }
  | { readonly do: 'brand' }
  | { readonly do: 'stop' }
  /** First frame presented: impression and start are due (rule 15). */
  | { readonly do: 'shown'; readonly slot: number; readonly durationMs: number }
  | { readonly do: 'happened'; readonly slot: number; readonly event: SlotEvent }
  | { readonly do: 'tapped'; readonly slot: number; readonly part: NativeCardPart }
  | {
      readonly do: 'settle';
      readonly slot: number;
      readonly outcome: Exclude<PlayOutcome, 'reserved'>;
      readonly endReason: string;
      readonly shownAt: number | null;
      readonly report: StageReport | null;
    }
  /** The ad could not be shown: its error URLs are due, and a strike against its file. */
  | ({ readonly do: 'failed'; readonly code: string; readonly detail: string } & Candidate<C>)
  /** The last of a step whose other effects decide what may play next: it is chosen after them, by `changed`. */
  | { readonly do: 'choose' };

export interface LoopWorld<C> {
  /** Decided time, ms since the epoch (rule 10). */
  readonly now: number;
  /** For intervals, ms. */
  readonly monotonic: number;
  /** Time since the stage last reported that it draws, ms. */
  readonly silentMs: number;
  /** The best eligible ad for a slot at `at`, or null. Reserves nothing, and may be called again; see `SlotAds`. */
  choose(at: number): C | null;
  /** Whether a choice may still play at `at` (rules 5 to 7). */
  mayPlay(choice: C, at: number): boolean;
  /** Whether a choice whose play is reserved, and so counts in its caps, still fits at `at` (rules 5 and 6). */
  stillFits(choice: C, at: number): boolean;
  /** Whether a choice may not be shown, whatever else holds (rule 30). */
  isBlocked(choice: C): boolean;
  same(a: C, b: C): boolean;
  /** Whether one that is prepared serves the other: the same file, shown for as long, with the same marks. */
  sameCreative(a: C, b: C): boolean;
}

export interface LoopStep<C> {
  readonly state: LoopState<C>;
  readonly effects: ReadonlyArray<LoopEffect<C>>;
}

export const NONE = { phase: 'none' } as const;

export function initialLoopState<C>(): LoopState<C> {
  return {
    stage: 'away',
    held: null,
    lastSlot: 0,
    showing: null,
    next: NONE,
    notBefore: Number.NEGATIVE_INFINITY,
  };
}

/** A step to this state, with these effects. */
export const stepTo = <C>(state: LoopState<C>, ...effects: LoopEffect<C>[]): LoopStep<C> => ({
  state,
  effects,
});

/** A step, with earlier effects before its own. */
export const after = <C>(effects: ReadonlyArray<LoopEffect<C>>, step: LoopStep<C>): LoopStep<C> => ({
  state: step.state,
  effects: [...effects, ...step.effects],
});
