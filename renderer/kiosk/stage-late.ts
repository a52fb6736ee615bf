import type { StageCreative } from '../../shared/stage';
import { bannerOf, type Loaded, type Loading } from './stage-state';
import type { Turn } from './stage-turn';

/** A banner that has painted nothing gives way this long before its slot, ms: enough to prepare another ad. */
const GIVE_WAY_MS = 600;
/** A banner always has at least this long to paint something, ms. */
const SHORTEST_PAINT_MS = 1_900;

/** When a banner that is loaded now gives way. `inMs`: ms until its slot; null: it begins as soon as it is prepared. */
export const givesWayAt = (leadMs: number, inMs: number | null, now: number): number =>
  now + (inMs === null ? leadMs : Math.max(SHORTEST_PAINT_MS, inMs - GIVE_WAY_MS));

/** The banner has painted nothing in time: another ad takes its slot, and it goes on in the late layer (rule 17). */
export function giveWay(turn: Turn, coming: Loading): void {
  const { backLayer, lateLayer } = turn.state;
  dropLate(turn);
  turn.set({ backLayer: lateLayer, lateLayer: backLayer, late: coming });
  turn.place(lateLayer, 'next');
  turn.breakComing(coming.slot, 'late', 'its banner has painted nothing yet');
}

/** Takes the result of a load that gave way. */
export function lateLoaded(turn: Turn, loadedFor: number, outcome: Loaded): void {
  const { late } = turn.state;
  if (late?.is !== 'loading' || late.loadedFor !== loadedFor) return;
  if ('code' in outcome) dropLate(turn);
  else turn.set({ late: { ...late, is: 'ready', durationMs: outcome.durationMs } });
}

/** Uses the late banner for this slot instead of loading it again. Returns false if it is another creative. */
export function adoptLate(turn: Turn, slot: number, creative: StageCreative): boolean {
  const { late, backLayer, lateLayer } = turn.state;
  const banner = bannerOf(creative);
  // Main prepares it again only after it has told the stage that it painted.
  if (late?.is !== 'ready' || banner === null || bannerOf(late.creative)?.url !== banner.url) return false;
  turn.set({ late: null, backLayer: lateLayer, lateLayer: backLayer });
  turn.place(backLayer, 'behind');
  turn.ready(slot, creative, late.durationMs);
  return true;
}

export function dropLate(turn: Turn): void {
  turn.set({ late: null });
  turn.release(turn.state.lateLayer);
}
