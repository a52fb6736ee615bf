import type { StageCreative } from '../../shared/stage';
import { type BannerCard, type Coming, hasBanner, type Loaded } from './stage-state';
import type { Turn } from './stage-turn';

/** A banner that has painted nothing gives way so long before its slot, ms: enough to prepare another ad. */
const GIVE_WAY_MS = 600;
/** A banner always has at least so long to paint something, ms. */
const SHORTEST_PAINT_MS = 1_900;

/** When a banner that is loaded now gives way. `inMs`: ms until its slot; null: it begins as soon as it is prepared. */
export const givesWayAt = ({ banner }: BannerCard, inMs: number | null, now: number): number =>
  now + (inMs === null ? banner.leadMs : Math.max(SHORTEST_PAINT_MS, inMs - GIVE_WAY_MS));

/** The banner has painted nothing in time: another ad takes its slot, and it goes on in the late layer (rule 17). */
export function giveWay(turn: Turn, coming: Extract<Coming, { is: 'loading' }>): void {
  const { slot, load, creative } = coming;
  const { backLayer, lateLayer } = turn.state;
  if (!hasBanner(creative)) return;
  dropLate(turn);
  const detail = 'its banner has painted nothing yet';
  const late = { type: 'failed', slot, code: 'late', detail } as const;
  turn.set({
    ...{ backLayer: lateLayer, lateLayer: backLayer, late: { load, creative, durationMs: null } },
    ...{ coming: { is: 'none' }, broken: late },
    follows: turn.state.follows === 'brand' ? 'brand' : 'nothing',
  });
  turn.place(lateLayer, 'next');
  turn.emit(late);
}

/** Takes the result of a load that gave way. */
export function lateLoaded(turn: Turn, load: number, outcome: Loaded): void {
  const { late } = turn.state;
  if (late?.load !== load) return;
  if ('code' in outcome) dropLate(turn);
  else turn.set({ late: { ...late, durationMs: outcome.durationMs } });
}

/** Uses the late banner for this slot instead of loading it again. Returns false if it is another creative. */
export function adoptLate(turn: Turn, slot: number, creative: StageCreative): boolean {
  const { late, backLayer, lateLayer } = turn.state;
  if (late === null || !hasBanner(creative) || late.creative.banner.url !== creative.banner.url) return false;
  const { load, durationMs } = late;
  turn.set({ late: null, backLayer: lateLayer, lateLayer: backLayer });
  turn.place(backLayer, 'behind');
  if (durationMs === null) {
    const until = givesWayAt(creative, null, turn.now);
    turn.set({ coming: { is: 'loading', slot, load, creative, givesWayAt: until } });
    return true;
  }
  turn.ready(slot, creative, durationMs);
  return true;
}

/** Drops a late banner whose process died. */
export function dropBrokenLate(turn: Turn): void {
  if (turn.state.late !== null && turn.lateLook.isBannerBroken) dropLate(turn);
}

function dropLate(turn: Turn): void {
  turn.set({ late: null });
  turn.release(turn.state.lateLayer);
}
