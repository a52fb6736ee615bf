import type { Clock } from '../../../shared/clock';
import type { Schedule } from '../schedule';

/** Time that stands still until a test turns it, timers included. */
export interface HandTurnedTime {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Moves on by `ms`, running what falls due in its order and letting promises settle in between. */
  advance(ms: number): Promise<void>;
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
      for (let next = pending[0]; next !== undefined && next.at <= until; next = pending[0]) {
        pending = pending.slice(1);
        elapsed = Math.max(elapsed, next.at);
        next.run();
        await settle();
      }
      elapsed = until;
    },
    settle,
    waits: () => pending.map((timer) => timer.at - elapsed),
  };
}
