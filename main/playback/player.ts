import type { StageEvent } from '../../shared/stage';
import { OpenPlays } from './open-plays';
import type { SlotAd } from './slot-ad';
import { type PlayerParts, SlotLoopRunner } from './slot-loop-runner';
import type { LoopState } from './slot-loop-state';
import type { DrawnOnStage } from './suspects';

export type Player = ReturnType<typeof createPlayer>;

/** How long the stage may take to report that it stopped, ms. */
const STAGE_ANSWER_MS = 3_000;

/** The reasons to hold that somebody chose, the first of which is told in place of any other: nothing is amiss then. */
const CHOSEN = ['maintenance', 'closed', 'announcement'];

/** Runs the slot loop, and connects it with the rest of the kiosk. */
export function createPlayer(parts: PlayerParts) {
  const { clock, tell } = parts;
  const plays = new OpenPlays(parts);
  const loop = new SlotLoopRunner(parts, plays);
  const holds = new Set<string>();

  /** What the stage draws, to find the cause of a hang or crash (rule 11). */
  function drawnOnStage(): DrawnOnStage {
    const { showing, next } = loop.state;
    const coming =
      next.phase === 'none' ? null : { files: plays.drawnIn(next.slot), isReady: isPrepared(next) };
    // Committed and prepared, with nothing running before it: it is being raised.
    if (next.phase === 'committed' && coming?.isReady && (showing === null || showing.state === 'ended'))
      return { front: { ...coming, raisedAt: clock.monotonic() }, back: null };
    const front = showing && {
      files: plays.drawnIn(showing.slot),
      isReady: true,
      raisedAt: showing.raisedAt,
    };
    return { front, back: coming };
  }

  return {
    onStageEvent(event: Exclude<StageEvent, { type: 'heartbeat' }>): void {
      if (event.type === 'left') tell({ kind: 'left-screen', overrunMs: event.overrunMs });
      else loop.dispatch({ type: 'stage', event });
    },
    /** The kiosk window died; another will report `ready`. */
    onStageLost: (): void => loop.dispatch({ type: 'stage-lost' }),
    /** Playlist, media, signals or clock changed. */
    changed: (): void => loop.dispatch({ type: 'changed' }),
    /** While any reason holds, nothing is reserved; what showed is settled as interrupted (rule 14). */
    hold(reason: string, isHeld: boolean): void {
      const before = holds.size;
      if (isHeld) holds.add(reason);
      else holds.delete(reason);
      if (holds.size === before) return;
      const told = [...CHOSEN, ...holds].find((each) => holds.has(each));
      // Told first: `keepMediaInUse` keeps what plays, which the loop takes off the screen.
      tell({ kind: 'held', reason: told ?? null });
      loop.dispatch(told === undefined ? { type: 'resume' } : { type: 'hold', reason: told });
    },
    /** Removes ads that are blocked now (rule 30): the next one and, if `atOnce`, also the one on the screen. */
    takeDown: (atOnce: boolean): void => loop.dispatch({ type: 'take-down', atOnce }),
    drawnOnStage,
    /** Holds playback; resolves when every play is settled in the books and every beacon has had its answer. */
    async shutDown(): Promise<void> {
      const quiet = plays.quiet();
      // Another reason that ends meanwhile resumes nothing.
      holds.add('shut-down');
      loop.dispatch({ type: 'hold', reason: 'shut-down' });
      // A window that no longer answers must not keep its play from being settled.
      const cancel = parts.schedule(STAGE_ANSWER_MS, () => loop.dispatch({ type: 'stage-lost' }));
      await quiet;
      cancel();
      await parts.beacons.settled();
    },
  };
}

const isPrepared = (next: LoopState<SlotAd>['next']) =>
  next.phase !== 'none' && next.phase !== 'preparing' && next.durationMs !== null;
