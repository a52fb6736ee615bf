import type { Clock } from '../../../shared/clock';
import type { Schedule } from '../schedule';

/** Time that stands still until a test turns it, timers included. */
export interface HandTurnedTime {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Moves on by `ms`, running what falls due in its order and letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Moves on by `ms` and runs what falls due in its order; promises settle later. */
  pass(ms: number): void;
  /** Moves on without running timers, as a busy event loop does; ms. */
  drift(ms: number): void;
  /** Lets promises settle without moving on. */
  settle(): Promise<void>;
  /** The waits of what is scheduled, ms from now, soonest first. */
  waits(): readonly number[];
}

/** `startAt`: ms since the epoch, UTC. Monotonic time starts at 1000, because nothing may rely on 0. */
export function handTurnedTime(startAt = Date.UTC(2026, 0, 5, 12)): HandTurnedTime {
  let elapsed = 0;
  let pending: { readonly at: number; readonly run: () => void }[] = [];
  const settle = async (): Promise<void> => {
    // A macrotask comes after every promise that only waits for other promises.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Takes the next timer that is due by then, and moves on to it. */
  const nextDue = (until: number) => {
    const [next] = pending;
    if (next === undefined || next.at > until) return null;
    pending = pending.slice(1);
    elapsed = Math.max(elapsed, next.at);
    return next;
  };
  return {
    clock: { now: () => startAt + elapsed, monotonic: () => 1000 + elapsed },
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
