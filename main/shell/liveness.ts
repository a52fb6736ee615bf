import { once } from 'node:events';
import type { WebContents } from 'electron';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { beforeDeadline, isTimeout, startDeadline } from '../deadline';
import type { Schedule } from '../schedule';

const LOOK_MS = 1_000;
/** The first report after a start may take longer, ms. */
export const START_MS = 20_000;
/** When the monitor runs this late, main itself was stopped (sleep, a stopped process), ms. */
const HELD_UP_MS = 3_000;
/** After this many restarts in a row without a report, the kiosk itself is started over. */
const MAX_ATTEMPTS = 4;

/** Something that must report regularly. */
interface Reporter {
  readonly name: string;
  /** How long it may be silent before `onSilence`, ms: well beyond what a busy moment takes. */
  readonly withinMs: number;
  /** Asks it for a report every `everyMs`; absent: it reports by itself. */
  readonly ask?: { readonly everyMs: number; run(): void };
  /** Restarts it; `attempt` counts from 1, and from 1 again after a report. */
  onSilence(attempt: number): void;
}

export type Liveness = ReturnType<typeof watchLiveness>;
export type LifeSigns = ReturnType<Liveness['register']>;

/** What is known of a reporter that starts at `now`. Times are on the monotonic clock, ms. */
const standingAt = (now: number, reporter: Reporter) => ({
  reporter,
  isExpected: true,
  hasReported: false,
  lastHeard: null as number | null,
  /** Its last report, or the end of a time in which it was allowed to be silent. */
  lastAlive: null as number | null,
  silentSince: now,
  /** Silence before this moment does not count. */
  graceUntil: now + START_MS,
  attempts: 0,
  askedAt: Number.NEGATIVE_INFINITY,
});
type Standing = ReturnType<typeof standingAt>;

/**
 * The one liveness monitor: finds what runs but does not work any more, such as a page that hangs, or records that do
 * not answer (rule 25). Processes that died are restarted by their owners. Silence while main itself was stopped does
 * not count.
 *
 * @param parts.giveUp exits the process, so that the service manager starts it over
 */
export function watchLiveness(parts: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly isEnding: () => boolean;
  readonly giveUp: () => void;
}) {
  const { clock, schedule, log } = parts;
  const all = new Set<Standing>();
  let lookedAt = clock.monotonic();

  function graceForAll(now: number): void {
    for (const each of all) each.graceUntil = Math.max(each.graceUntil, now + each.reporter.withinMs);
  }

  function askIfDue(each: Standing, now: number): void {
    const { ask } = each.reporter;
    if (!ask || now - each.askedAt < ask.everyMs) return;
    each.askedAt = now;
    ask.run();
  }

  function checkSilence(each: Standing, now: number): void {
    const { name, withinMs, onSilence } = each.reporter;
    if (!each.isExpected || now < each.graceUntil || now - each.silentSince < withinMs) return;
    if (parts.isEnding()) return;
    each.attempts += 1;
    // Time for the restart to work before the next one.
    each.graceUntil = now + withinMs;
    log.error('no report came in time', { of: name, attempt: each.attempts });
    if (each.attempts > MAX_ATTEMPTS) parts.giveUp();
    else onSilence(each.attempts);
  }

  function look(): void {
    schedule(LOOK_MS, look);
    const now = clock.monotonic();
    if (now - lookedAt > HELD_UP_MS) graceForAll(now);
    lookedAt = now;
    for (const each of all) {
      askIfDue(each, now);
      checkSilence(each, now);
    }
  }
  schedule(LOOK_MS, look);

  return {
    register(reporter: Reporter) {
      const each = standingAt(clock.monotonic(), reporter);
      all.add(each);
      return {
        /** It was started, or started over, and must report. */
        started() {
          const now = clock.monotonic();
          if (!each.isExpected) each.lastAlive = now;
          const graceUntil = now + START_MS;
          Object.assign(each, { isExpected: true, hasReported: false, silentSince: now, graceUntil });
        },
        heard() {
          const now = clock.monotonic();
          Object.assign(each, { hasReported: true, attempts: 0, lastHeard: now, lastAlive: now });
          Object.assign(each, { silentSince: now, graceUntil: now });
        },
        /** It need not report for now: a display that is off shows no frames. */
        mayBeSilent: () => void Object.assign(each, { isExpected: false, attempts: 0 }),
        /** Monotonic time of the last report, ms; null before the first. */
        lastHeard: () => each.lastHeard,
        /** How long it has been silent, ms; 0 while it may be silent, null while it has not reported yet. */
        silentMs() {
          if (!each.isExpected) return 0;
          return each.lastAlive === null ? null : clock.monotonic() - each.lastAlive;
        },
        /** Ends the registration; call it when the reporter is gone. */
        end() {
          all.delete(each);
        },
      };
    },
    /** The machine slept and woke. */
    woke: () => graceForAll(clock.monotonic()),
    /** Whether everything that must report has done so in time; a reporter counts as late until its first report. */
    isWell() {
      const now = clock.monotonic();
      return [...all].every(
        ({ reporter, isExpected, hasReported, silentSince }) =>
          !isExpected || (hasReported && now - silentSince < reporter.withinMs),
      );
    },
  };
}

/**
 * Resolves to false if the own thread of a page does not answer in time, to true if the page is gone or another one.
 * It is not asked over DevTools, whose messages Chromium holds back while the page waits for a server.
 */
export function answers(contents: WebContents, withinMs: number, schedule: Schedule): Promise<boolean> {
  const done = new AbortController();
  const ask = async () => {
    const isNew = once(contents, 'did-navigate', { signal: done.signal });
    await Promise.race([contents.mainFrame.executeJavaScript('0'), isNew]);
  };
  return beforeDeadline(startDeadline(withinMs, schedule), ask)
    .then(
      () => true,
      (error: unknown) => !isTimeout(error),
    )
    .finally(() => done.abort());
}
