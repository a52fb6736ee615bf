import type { Play } from '../../shared/play';
import type { DrawnFile } from '../media/quarantine';
import type { SlotFacts } from './slot-ad';

/** What the rest of the kiosk may want to know about playback. */
export type PlayerFact =
  | {
      readonly kind: 'showing';
      readonly facts: SlotFacts;
      readonly files: readonly string[];
      /** It is a video: its frames have to advance. */
      readonly moving: boolean;
      readonly startedAt: number;
      readonly durationMs: number | null;
    }
  | { readonly kind: 'nothing-showing' }
  | { readonly kind: 'next'; readonly facts: SlotFacts | null; readonly files: readonly string[] }
  /** A play is on the books. */
  | { readonly kind: 'reserved'; readonly play: Play; readonly facts: SlotFacts }
  | { readonly kind: 'settled'; readonly play: Play; readonly drawn: readonly DrawnFile[] }
  /** Something to show was looked for. */
  | { readonly kind: 'chosen'; readonly tookMs: number }
  /** What comes next; `held`: nothing, because the store is closed then. May be told again and again. */
  | { readonly kind: 'decided'; readonly next: SlotFacts['delivery'] | 'card' | 'held' }
  /** A slot that ran to its end is on the screen no more, so long after its planned end. */
  | { readonly kind: 'left-screen'; readonly overrunMs: number }
  /** Why no ad is reserved (rule 14); null: none holds any more. */
  | { readonly kind: 'held'; readonly reason: string | null }
  | { readonly kind: 'books-failing'; readonly fault: string };
