import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';

/**
 * What became of a script: `ran` and `threw` as its page said, `timed-out` when
 * it said nothing by the deadline, `crashed` when its process died, `refused` when
 * no guest could be opened.
 */
export interface GuestOutcome {
  readonly result: 'ran' | 'threw' | 'timed-out' | 'crashed' | 'refused';
  readonly detail: string | null;
  /** From opening to the page's word, ms. */
  readonly tookMs: number;
}

/** Opens and destroys the guest processes; the shell's part. */
export interface GuestHost {
  /** Rejects when the guest cannot be opened. */
  open(guest: string, script: string, listener: GuestListener): Promise<void>;
  /** Destroys it; `stuck`: it may not hear that its element is gone. */
  close(guest: string, stuck: boolean): void;
}

export interface GuestListener {
  said(word: 'ran' | 'threw', detail: string | null): void;
  crashed(reason: string): void;
}

export interface JsGuests {
  /**
   * Runs a script once; never rejects. Whether it may run at all was decided, durably, before (rule 16).
   *
   * @param about what it belongs to, for the log
   */
  run(script: string, about?: Readonly<Record<string, string | number>>): Promise<GuestOutcome>;
  /** Guests open at the moment. */
  open(): number;
}

const AT_ONCE = 2;

/**
 * JavaScript beacons, at most two at once, each in a guest that is destroyed
 * after its deadline (rule 17).
 *
 * @param options.deadlineMs from opening to the page's word
 * @param options.lingerMs how long a script that ran may go on sending
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
  const waiting: Array<() => void> = [];
  let open = 0;

  async function slot(): Promise<void> {
    if (open < AT_ONCE) {
      open += 1;
      return;
    }
    // The slot of one that ends is handed on, so `open` stays.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function free(): void {
    const next = waiting.shift();
    if (next) next();
    else open -= 1;
  }

  async function runInGuest(
    script: string,
    about: Readonly<Record<string, string | number>>,
  ): Promise<GuestOutcome> {
    const guest = options.newId();
    const began = clock.monotonic();
    const outcome = await new Promise<GuestOutcome>((resolve) => {
      const end = (result: GuestOutcome['result'], detail: string | null) => {
        cancel();
        resolve({ result, detail, tookMs: clock.monotonic() - began });
      };
      const cancel = schedule(deadlineMs, () => end('timed-out', `nothing was heard for ${deadlineMs} ms`));
      host
        .open(guest, script, { said: end, crashed: (reason) => end('crashed', reason) })
        .catch((fault: unknown) => end('refused', fault instanceof Error ? fault.message : String(fault)));
    });
    const told = { ...about, ...outcome };
    if (outcome.result === 'ran') log.info('a JavaScript beacon ran', told);
    else log.warn('a JavaScript beacon did not run through', told);
    const linger = outcome.result === 'ran' || outcome.result === 'threw' ? lingerMs : 0;
    const close = () => {
      host.close(guest, outcome.result === 'timed-out');
      free();
    };
    if (linger > 0) schedule(linger, close);
    else close();
    return outcome;
  }

  return {
    async run(script, about = {}) {
      await slot();
      return runInGuest(script, about);
    },
    open: () => open,
  };
}
