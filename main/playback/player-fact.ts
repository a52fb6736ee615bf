import type { Play, Showing } from '../../shared/play';
import type { MediaCache } from '../media/media-cache';
import type { DrawnFile } from '../media/quarantine';
import type { SlotFacts } from './slot-ad';

/** What playback reports to the rest of the kiosk. */
export type PlayerFact =
  /** Something else is on the screen. `moving`: it is a video, whose frames must advance. */
  | {
      readonly kind: 'showing';
      readonly showing: Showing;
      readonly files: readonly string[];
      readonly drawn: readonly DrawnFile[];
      readonly moving: boolean;
    }
  | { readonly kind: 'next'; readonly showing: Showing | null; readonly files: readonly string[] }
  | { readonly kind: 'reserved'; readonly play: Play; readonly facts: SlotFacts }
  | { readonly kind: 'settled'; readonly play: Play; readonly drawn: readonly DrawnFile[] }
  /** An ad for a slot was searched for, found or not. */
  | { readonly kind: 'chosen'; readonly tookMs: number }
  /** What plays next. `card` and `held` (nothing may be reserved) are reported once, when they begin. */
  | { readonly kind: 'decided'; readonly next: SlotFacts['delivery'] | 'card' | 'held' }
  /** A slot that ran to its end has left the screen, `overrunMs` after its planned end. */
  | { readonly kind: 'left-screen'; readonly overrunMs: number }
  /** Why no ad is reserved (rule 14); null when no reason is left. */
  | { readonly kind: 'held'; readonly reason: string | null }
  | { readonly kind: 'books-failing'; readonly error: string };

const NOTHING = { files: [], drawn: [] };

/** Reasons that hold the loop only for minutes. */
export const SHORT_HOLDS: ReadonlySet<string | null> = new Set(['overlay', 'link-view']);

/**
 * Tells the cache which files play now and next, from the player's facts, so that it does not evict them (rule 13).
 * During a short hold, the files from before the hold stay, because they play again after it; staff may clear the
 * media meanwhile.
 */
export function keepMediaInUse(media: Pick<MediaCache, 'inUse'>): (fact: PlayerFact) => void {
  let now: Pick<Extract<PlayerFact, { kind: 'showing' }>, 'files' | 'drawn'> = NOTHING;
  let next: readonly string[] = [];
  let isHeld = false;
  return (fact) => {
    if (fact.kind === 'held') {
      const wasHeld = isHeld;
      isHeld = SHORT_HOLDS.has(fact.reason);
      if (!wasHeld || isHeld || fact.reason === null) return;
      // A long hold follows, so these files may be evicted.
      now = NOTHING;
      next = [];
    } else if (isHeld) return;
    else if (fact.kind === 'showing') now = fact;
    else if (fact.kind === 'next') next = fact.files;
    else return;
    media.inUse(
      [...now.files, ...next],
      now.drawn.map(({ sha256 }) => sha256),
    );
  };
}
