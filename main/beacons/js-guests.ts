import type { ScriptResult } from '../../shared/beacon';
import type { Basics } from '../basics';
import { messageOf } from '../describe-error';
import { createFairLine } from './fair-line';

/**
 * Result of a script. `ran`, `threw`: as its page reported; `timed-out`: no report by the deadline;
 * `crashed`: its process ended; `blocked`: the egress policy or the page's policy rejected a request;
 * `refused`: no guest could be opened, or too many scripts waited.
 */
export interface GuestOutcome {
  readonly result: Exclude<ScriptResult, 'running' | 'interrupted'>;
  readonly detail: string | null;
  /** From opening to the page's report, ms. */
  readonly tookMs: number;
}

/** Fields for the log; `instance` identifies the ad. */
type LogFields = Readonly<Record<string, string | number>>;

/** How a guest's page reports the end of its script. */
export type ScriptReport = 'ran' | 'threw' | 'not-loaded';

/** Opens and destroys guest processes; implemented in `main/shell`. */
export interface GuestHost {
  /**
   * Resolves when its page starts to load, which may take until a place is free; rejects when it cannot be
   * opened.
   */
  open(guest: string, script: string, listener: GuestListener): Promise<void>;
  /** Resolves once this guest, which has run, is to give up its place for another one. */
  placeNeeded(guest: string): Promise<void>;
  /** Destroys a guest. @param stuck it may not react to the removal of its element */
  close(guest: string, stuck: boolean): void;
}

export interface GuestListener {
  reported(report: ScriptReport, detail: string | null): void;
  /** A policy rejected a request; `what` in a few words. */
  blocked(what: string): void;
  crashed(reason: string): void;
}

export type JsGuests = ReturnType<typeof createJsGuests>;

const AT_ONCE = 4;
/** From the start of a page to its report, ms. */
const DEADLINE_MS = 10_000;
/** How long a finished script may go on sending, ms. */
const LINGER_MS = 3_000;
/** The same if its place is needed: most send at the end of their load. */
const LEAST_LINGER_MS = 1_000;
/** How many scripts may wait: an ad may have a thousand that never end. Beyond that, each ad has its share. */
const MAX_WAITING = { ofOne: 100, ofAll: 1_000 } as const;

/**
 * Runs JavaScript beacons, at most four at once, each in a guest that is destroyed after its deadline (rule
 * 17). A lingering script takes no place.
 */
export function createJsGuests(
  options: Pick<Basics, 'clock' | 'schedule' | 'newId' | 'log'> & { readonly host: GuestHost },
) {
  const { host, clock, schedule, log } = options;
  const waiting = createFairLine<() => void>(MAX_WAITING);
  let open = 0;
  const wait = (ms: number) => new Promise<void>((done) => void schedule(ms, done));

  /** Waits for a place. False: too many are waiting. */
  async function takePlace(owner: string): Promise<boolean> {
    if (open < AT_ONCE) {
      open += 1;
      return true;
    }
    // A script that ends hands its place on, so `open` stays the same.
    return new Promise((resolve) => {
      if (!waiting.join(owner, () => resolve(true))) resolve(false);
    });
  }

  function freePlace(): void {
    const next = waiting.next();
    if (next) next();
    else open -= 1;
  }

  async function runInGuest(script: string, about: LogFields): Promise<GuestOutcome> {
    const guest = options.newId();
    const began = clock.monotonic();
    let firstBlocked: string | null = null;
    const report = await new Promise<Report>((resolve) => {
      let cancel = (): void => {};
      // A script may report before its page has loaded; then the deadline comes too late to count.
      const end = (result: Report['result'], detail: string | null) => {
        cancel();
        resolve({ result, detail });
      };
      const listener: GuestListener = {
        reported: end,
        blocked: (what) => {
          firstBlocked ??= what;
        },
        crashed: (reason) => end('crashed', reason),
      };
      host
        .open(guest, script, listener)
        .then(() => {
          cancel = schedule(DEADLINE_MS, () => end('timed-out', `nothing was heard for ${DEADLINE_MS} ms`));
        })
        .catch((error: unknown) => end('refused', messageOf(error)));
    });
    const tookMs = clock.monotonic() - began;
    const isAlive = report.result === 'ran' || report.result === 'threw' || report.result === 'not-loaded';
    freePlace();
    // Let the script go on for a while, because many scripts send only after their page has loaded.
    if (isAlive)
      await Promise.race([wait(LINGER_MS), Promise.all([wait(LEAST_LINGER_MS), host.placeNeeded(guest)])]);
    host.close(guest, report.result === 'timed-out');
    const { result, detail } = outcomeOf(report, firstBlocked);
    const outcome = { result, detail: detail === null ? null : bounded(detail), tookMs };
    const told = { ...about, ...outcome };
    if (outcome.result === 'ran') log.info('a JavaScript beacon ran', told);
    else log.warn('a JavaScript beacon did not run to its end', told);
    return outcome;
  }

  return {
    /**
     * Runs a script once; never rejects. The caller has already stored that it runs (rule 17). Ads take turns;
     * of each ad at most a hundred scripts wait, the others are refused.
     */
    async run(script: string, about: LogFields = {}): Promise<GuestOutcome> {
      const mayRun = await takePlace(String(about.instance ?? ''));
      return mayRun
        ? runInGuest(script, about)
        : { result: 'refused', detail: 'too many scripts of its ad wait', tookMs: 0 };
    },
  };
}

interface Report {
  readonly result: Exclude<GuestOutcome['result'], 'blocked'> | 'not-loaded';
  readonly detail: string | null;
}

/**
 * A blocked request explains a missing file, and counts even if the script ran; otherwise the page's report
 * counts.
 */
function outcomeOf(
  { result, detail }: Report,
  blocked: string | null,
): Pick<GuestOutcome, 'result' | 'detail'> {
  if (blocked !== null && (result === 'ran' || result === 'not-loaded'))
    return { result: 'blocked', detail: blocked };
  return { result: result === 'not-loaded' ? 'threw' : result, detail };
}

/** Longest detail, in UTF-16 code units. A page may send any text, and it goes into log and books. */
const MAX_DETAIL_LENGTH = 200;

const bounded = (detail: string): string => detail.slice(0, MAX_DETAIL_LENGTH - 1).toWellFormed();
