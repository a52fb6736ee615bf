import type { StageCreative } from '../../shared/stage';
import { milestonesOf } from './slot-plan';
import { type BannerCard, type Coming, hasBanner, type LoadError } from './stage-state';
import type { Turn } from './stage-turn';

/** A banner that has painted nothing gives way so long before its slot: another ad is prepared in that time, ms. */
const GIVE_WAY_MS = 600;
/** A banner has so long to paint something, however near its slot is, ms. */
const SHORTEST_PAINT_MS = 1_900;

/** When a banner gives way that is loaded now; `inMs`: when its slot begins, null: as soon as it is prepared. */
export const givesWayAt = ({ banner }: BannerCard, inMs: number | null, now: number): number =>
  now + (inMs === null ? banner.leadMs : Math.max(SHORTEST_PAINT_MS, inMs - GIVE_WAY_MS));

/** Its banner has painted nothing in time: another ad takes the slot, and it goes on loading out of the way (rule 17). */
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
  turn.tell(late);
}

/** What was asked for by a load that gave way. */
export function lateLoaded(turn: Turn, load: number, outcome: { durationMs: number } | LoadError): void {
  const { late } = turn.state;
  if (late?.load !== load) return;
  if ('code' in outcome) dropLate(turn);
  else turn.set({ late: { ...late, durationMs: outcome.durationMs } });
}

/** The banner that was late is wanted again: it is there already, or nearly. Answers whether it was. */
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
  const milestones = milestonesOf(durationMs, creative.marks);
  turn.set({ coming: { is: 'ready', slot, creative, durationMs, milestones, video: null } });
  turn.tell({ type: 'prepared', slot, durationMs });
  return true;
}

/** Its process died while it waited. */
export function dropBrokenLate(turn: Turn): void {
  if (turn.state.late !== null && turn.lateLook.isTorn) dropLate(turn);
}

function dropLate(turn: Turn): void {
  turn.set({ late: null });
  turn.release(turn.state.lateLayer);
}
