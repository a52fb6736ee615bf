import type { Play, Showing } from '../../shared/play';
import type { DrawnFile } from '../media/quarantine';
import type { SlotFacts } from './slot-ad';

/** What the rest of the kiosk may want to know about playback. */
export type PlayerFact =
  /** Something else is on the screen; `moving`: it is a video, its frames have to advance. */
  | {
      readonly kind: 'showing';
      readonly showing: Showing;
      readonly files: readonly string[];
      readonly moving: boolean;
    }
  | { readonly kind: 'next'; readonly showing: Showing | null; readonly files: readonly string[] }
  /** A play is on the books. */
  | { readonly kind: 'reserved'; readonly play: Play; readonly facts: SlotFacts }
  | { readonly kind: 'settled'; readonly play: Play; readonly drawn: readonly DrawnFile[] }
  /** Something to show was looked for. */
  | { readonly kind: 'chosen'; readonly tookMs: number }
  /** What comes next. The card, and `held` (nothing may be reserved), are told when they begin. */
  | { readonly kind: 'decided'; readonly next: SlotFacts['delivery'] | 'card' | 'held' }
  /** A slot that ran to its end is on the screen no more, so long after its planned end. */
  | { readonly kind: 'left-screen'; readonly overrunMs: number }
  /** Why no ad is reserved (rule 14); null: none holds any more. */
  | { readonly kind: 'held'; readonly reason: string | null }
  | { readonly kind: 'books-failing'; readonly fault: string };
