import type { ScriptResult } from '../../shared/beacon';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { messageOf } from '../describe-error';
import { createFairLine } from './fair-line';

/**
 * Result of a script: `ran` and `threw` as its page reported, `timed-out` without a
 * report by the deadline, `crashed` when its process died, `blocked` when the egress
 * policy refused one of its requests, `refused` when no guest could be opened or too
 * many scripts waited.
 */
export interface GuestOutcome {
  readonly result: Exclude<ScriptResult, 'running' | 'interrupted'>;
  readonly detail: string | null;
  /** From opening to the page's report, ms. */
  readonly tookMs: number;
}

/** What a guest's page reports of its script. */
export type GuestWord = 'ran' | 'threw' | 'not-loaded';

/** Opens and destroys the guest processes; the shell's part. */
export interface GuestHost {
  /** Resolves once its page is on its way, which may take until there is a place; rejects when it cannot be opened. */
  open(guest: string, script: string, listener: GuestListener): Promise<void>;
  /** Lets it go on for so long, ms, or until its place is needed; then resolves. */
  linger(guest: string, ms: number): Promise<void>;
  /** Destroys it; `stuck`: it may not hear that its element is gone. */
  close(guest: string, stuck: boolean): void;
}

export interface GuestListener {
  said(word: GuestWord, detail: string | null): void;
  /** A policy refused something; `what` in a few words. */
  held(what: string): void;
  crashed(reason: string): void;
}

export interface JsGuests {
  /**
   * Runs a script once; never rejects. Whether it may run at all was decided, durably, before (rule 16).
   * Ads take turns; of more than a hundred that wait of one ad the rest is refused.
   *
   * @param about what it belongs to, for the log; its `instance` is its ad
   */
  run(script: string, about?: Readonly<Record<string, string | number>>): Promise<GuestOutcome>;
  /** Scripts that run at the moment, those that linger left out. */
  open(): number;
}

const AT_ONCE = 4;
/** How many scripts may wait: an ad may name a thousand that never end. */
const MOST_WAITING = { ofOne: 100, ofAll: 1_000 } as const;

/**
 * JavaScript beacons, at most four at once, each in a guest that is destroyed
 * after its deadline (rule 17). One that lingers holds no place.
 *
 * @param options.deadlineMs from its page's beginning to the page's word
 * @param options.lingerMs how long a script that ran may go on sending, while its place is not needed
 */
export function createJsGuests(options: {
  readonly host: GuestHost;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly newId: () => string;
  readonly log: Log;
  readonly deadlineMs?: number;
  readonly lingerMs?: number;
}): JsGuests {
  const { host, clock, schedule, log } = options;
  const deadlineMs = options.deadlineMs ?? 10_000;
  const lingerMs = options.lingerMs ?? 3_000;
  const waiting = createFairLine<() => void>(MOST_WAITING);
  let open = 0;

  /** False: too many wait. */
  async function slot(owner: string): Promise<boolean> {
    if (open < AT_ONCE) {
      open += 1;
      return true;
    }
    // The slot of one that ends is handed on, so `open` stays.
    return new Promise((resolve) => {
      if (!waiting.join(owner, () => resolve(true))) resolve(false);
    });
  }

  function free(): void {
    const next = waiting.next();
    if (next) next();
    else open -= 1;
  }

  async function runInGuest(
    script: string,
    about: Readonly<Record<string, string | number>>,
  ): Promise<GuestOutcome> {
    const guest = options.newId();
    const began = clock.monotonic();
    let heldFirst: string | null = null;
    const word = await new Promise<Told>((resolve) => {
      let isOver = false;
      const end = (result: Told['result'], detail: string | null) => {
        isOver = true;
        cancel();
        resolve({ result, detail });
      };
      let cancel = (): void => {};
      const listener: GuestListener = {
        said: end,
        held: (what) => {
          heldFirst ??= what;
        },
        crashed: (reason) => end('crashed', reason),
      };
      host
        .open(guest, script, listener)
        .then(() => {
          // It may have reported already.
          if (isOver) return;
          cancel = schedule(deadlineMs, () => end('timed-out', `nothing was heard for ${deadlineMs} ms`));
        })
        .catch((error: unknown) => end('refused', messageOf(error)));
    });
    const tookMs = clock.monotonic() - began;
    const isAlive = word.result === 'ran' || word.result === 'threw' || word.result === 'not-loaded';
    free();
    // It may go on for a while: much of a script begins only when its page is loaded.
    if (isAlive) await host.linger(guest, lingerMs);
    host.close(guest, word.result === 'timed-out');
    const { result, detail } = judged(word, heldFirst);
    const outcome = { result, detail: detail === null ? null : bounded(detail), tookMs };
    const told = { ...about, ...outcome };
    if (outcome.result === 'ran') log.info('a JavaScript beacon ran', told);
    else log.warn('a JavaScript beacon did not run through', told);
    return outcome;
  }

  return {
    async run(script, about = {}) {
      const mayRun = await slot(String(about.instance ?? ''));
      return mayRun
        ? runInGuest(script, about)
        : { result: 'refused', detail: 'too many scripts of its ad wait', tookMs: 0 };
    },
    open: () => open,
  };
}

interface Told {
  readonly result: Exclude<GuestOutcome['result'], 'blocked'> | 'not-loaded';
  readonly detail: string | null;
}

/** A refusal explains a missing file, and is reported for a script that ran; else the page's report counts. */
function judged({ result, detail }: Told, held: string | null): Pick<GuestOutcome, 'result' | 'detail'> {
  if (held !== null && (result === 'ran' || result === 'not-loaded'))
    return { result: 'blocked', detail: held };
  return { result: result === 'not-loaded' ? 'threw' : result, detail };
}

/** Longest detail, in UTF-16 code units: a page may say anything, and it goes into log and books. */
const MOST_WORDS = 200;

const bounded = (detail: string): string => detail.slice(0, MOST_WORDS - 1).toWellFormed();
