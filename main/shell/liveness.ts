import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';

const LOOK_MS = 1_000;
/** Something that was just started, or started over, is given longer, ms. */
export const START_MS = 20_000;
/** When the monitor looks this late, main was held up itself (sleep, a stopped process), ms. */
const HELD_UP_MS = 3_000;
/** Whatever stays silent after so many helps in a row is beyond help from inside. */
const MOST_HELPS = 4;

/** Something that must report regularly. */
interface Reporter {
  readonly name: string;
  /** How long it may be silent before it is helped, ms: well beyond what a busy moment takes. */
  readonly withinMs: number;
  /** Asks it for a report, each `everyMs`; absent: it reports by itself. */
  readonly ask?: { readonly everyMs: number; run(): void };
  /** Helps it; `attempt` counts from 1, and begins again once it was heard. */
  onSilence(attempt: number): void;
}

export interface LifeSigns {
  /** It was started, or started over, and is expected to report. */
  started(): void;
  /** It reported. */
  heard(): void;
  /** It is not expected to report for now: a display that is off shows no frames. */
  excused(): void;
  /** Monotonic time of the last report, ms; null before the first. */
  lastHeard(): number | null;
  /** It is gone. */
  end(): void;
}

export interface Liveness {
  /** From now on it is expected to report. */
  register(reporter: Reporter): LifeSigns;
  /** The machine slept and woke. */
  woke(): void;
  /** Whether everything that is expected to has reported in time; what has not reported yet is not well. */
  isWell(): boolean;
}

/** Times on the monotonic clock, ms. */
interface Standing {
  readonly reporter: Reporter;
  isExpected: boolean;
  hasReported: boolean;
  silentSince: number;
  /** Silence before this moment proves nothing. */
  graceUntil: number;
  helped: number;
  askedAt: number;
}

/**
 * The one liveness monitor: looks after what lives but does nothing any more, such as a page that hangs, or records
 * that do not answer (rule 25). What died outright is brought back by whoever keeps it. Silence while main itself
 * stood still counts against nothing.
 *
 * @param parts.giveUp ends the process for the service manager to start it over
 */
export function watchLiveness(parts: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly isEnding: () => boolean;
  readonly giveUp: () => void;
}): Liveness {
  const { clock, schedule, log } = parts;
  const all = new Set<Standing>();
  let lookedAt = clock.monotonic();

  function graceForAll(now: number): void {
    for (const each of all) each.graceUntil = Math.max(each.graceUntil, now + each.reporter.withinMs);
  }

  function askWhereDue(each: Standing, now: number): void {
    const { ask } = each.reporter;
    if (!ask || now - each.askedAt < ask.everyMs) return;
    each.askedAt = now;
    ask.run();
  }

  function helpWhereSilent(each: Standing, now: number): void {
    const { name, withinMs, onSilence } = each.reporter;
    if (!each.isExpected || now < each.graceUntil || now - each.silentSince < withinMs) return;
    if (parts.isEnding()) return;
    each.helped += 1;
    // Time for the help to work before the next one.
    each.graceUntil = now + withinMs;
    log.error('nothing was heard for too long', { of: name, attempt: each.helped });
    if (each.helped > MOST_HELPS) parts.giveUp();
    else onSilence(each.helped);
  }

  function look(): void {
    schedule(LOOK_MS, look);
    const now = clock.monotonic();
    if (now - lookedAt > HELD_UP_MS) graceForAll(now);
    lookedAt = now;
    for (const each of [...all]) {
      askWhereDue(each, now);
      helpWhereSilent(each, now);
    }
  }
  schedule(LOOK_MS, look);

  return {
    register(reporter) {
      let lastHeard: number | null = null;
      const each: Standing = {
        ...{ reporter, isExpected: true, hasReported: false, helped: 0 },
        ...{ silentSince: 0, graceUntil: 0, askedAt: Number.NEGATIVE_INFINITY },
      };
      const started = () => {
        const now = clock.monotonic();
        Object.assign(each, { isExpected: true, hasReported: false });
        Object.assign(each, { silentSince: now, graceUntil: now + START_MS });
      };
      started();
      all.add(each);
      return {
        started,
        heard() {
          lastHeard = clock.monotonic();
          Object.assign(each, {
            hasReported: true,
            helped: 0,
            silentSince: lastHeard,
            graceUntil: lastHeard,
          });
        },
        excused: () => void Object.assign(each, { isExpected: false, helped: 0 }),
        lastHeard: () => lastHeard,
        end() {
          each.isExpected = false;
          all.delete(each);
        },
      };
    },
    woke: () => graceForAll(clock.monotonic()),
    isWell() {
      const now = clock.monotonic();
      return [...all].every(
        ({ reporter, isExpected, hasReported, silentSince }) =>
          !isExpected || (hasReported && now - silentSince < reporter.withinMs),
      );
    },
  };
}
