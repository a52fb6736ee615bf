import type { Play, Showing } from '../../shared/play';
import type { MediaCache } from '../media/media-cache';
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

/** Keeps the cache told what plays now and next, from what the player tells: those files stay (rule 13). */
export function keepMediaInUse(media: Pick<MediaCache, 'inUse'>): (fact: PlayerFact) => void {
  let now: readonly string[] = [];
  let next: readonly string[] = [];
  return (fact) => {
    if (fact.kind === 'showing') now = fact.files;
    else if (fact.kind === 'next') next = fact.files;
    else return;
    media.inUse([...now, ...next]);
  };
}
