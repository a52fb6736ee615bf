import type { Clock } from '../../../shared/clock';
import type { Schedule } from '../../schedule';

/** A clock and timers that only move when a test advances them. */
export interface HandTurnedTime {
  readonly clock: Clock & { isTrusted(): boolean };
  readonly schedule: Schedule;
  /** Advances by `ms`, runs the due timers in order and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Advances by `ms` and runs the due timers in order; promises settle later. */
  pass(ms: number): void;
  /** Advances by `ms` without running timers, as a blocked event loop does. */
  drift(ms: number): void;
  /** Lets promises settle without advancing. */
  settle(): Promise<void>;
  /** Time until each pending timer, ms, soonest first. */
  waits(): readonly number[];
}

/** `startAt`: ms since the epoch, UTC. Monotonic time starts at 1000, so that no code can rely on 0. */
export function handTurnedTime(startAt = Date.UTC(2026, 0, 5, 12)): HandTurnedTime {
  let elapsed = 0;
  let pending: { readonly at: number; readonly run: () => void }[] = [];
  const settle = async (): Promise<void> => {
    // A macrotask runs after all promises that only wait for other promises.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Removes the next timer that is due until `until`, and advances to it. */
  const nextDue = (until: number) => {
    const [next] = pending;
    if (next === undefined || next.at > until) return null;
    pending = pending.slice(1);
    elapsed = Math.max(elapsed, next.at);
    return next;
  };
  return {
    clock: { now: () => startAt + elapsed, monotonic: () => 1000 + elapsed, isTrusted: () => true },
    schedule: (ms, run) => {
      const timer = { at: elapsed + ms, run };
      pending = [...pending, timer].sort((a, b) => a.at - b.at);
      return () => {
        pending = pending.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let next = nextDue(until); next !== null; next = nextDue(until)) {
        next.run();
        await settle();
      }
      elapsed = Math.max(elapsed, until);
    },
    pass(ms) {
      const until = elapsed + ms;
      for (let next = nextDue(until); next !== null; next = nextDue(until)) next.run();
      elapsed = Math.max(elapsed, until);
    },
    drift(ms) {
      elapsed += ms;
    },
    settle,
    waits: () => pending.map((timer) => timer.at - elapsed),
  };
}
