import type { Clock } from '../shared/clock';
import type { Basics } from './basics';
import type { DecidedClock } from './shell/decided-clock';
import { createWholeFile, readJsonIfThere } from './whole-file';

/** A value that is in force until a time. Times: ms since the epoch, by the clock for decisions; durations: ms. */
export interface Lasting<Value> {
  readonly value: Value;
  /** Its planned duration when it began. */
  readonly lasts: number;
  readonly until: number;
}

/** What a value needs of the machine. */
export interface LastingParts extends Pick<Basics, 'schedule' | 'log'> {
  readonly clock: Clock & Pick<DecidedClock, 'isTrusted'>;
}

/** How a value is stored in its file. */
export interface LastingFile<Value> {
  readonly path: string;
  /** What it is called in the log, such as "a pause". */
  readonly name: string;
  readonly write: (lasting: Lasting<Value>) => object;
  /** Throws if the JSON is no such value. */
  readonly read: (json: unknown) => Lasting<Value>;
}

/** If the end differs by more than this between the two clocks, one of them was set, ms. */
const CLOCK_WAS_SET_MS = 1_000;
/** How often the end is checked, ms: a value of an earlier run ends by a clock that may be set at any time. */
const LOOK_MS = 10_000;

/**
 * Holds at most one value, which ends by itself and survives restarts. After a restart it ends at its stored time, by
 * a clock that may become right only in this run (rule 10), but lasts its planned duration from the start on at most,
 * even if the clock was set back. While the file of an earlier run cannot be read, there is no value. A value whose end
 * passed while the kiosk was off is removed only by a trusted clock: another one may be ahead.
 */
export async function openKeptUntil<Value>(
  { path, name, write, read }: LastingFile<Value>,
  { clock, schedule, log }: LastingParts,
) {
  const file = createWholeFile(path, 0o600);
  const listeners = new Set<() => void>();
  let present: {
    readonly value: Value;
    readonly lasts: number;
    until: number;
    /** `until` as the file has it, or should. */
    noted: number;
    /** By the monotonic clock. */
    readonly endsAtMonotonic: number;
    /** By the clock; `Infinity`: it began in this run, and a jump of the clock does not end it. */
    readonly endsByClock: number;
    cancel: () => void;
  } | null = null;
  /** Whether a value of an earlier run may still be taken up. */
  let mayBeTakenUp = true;
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function last({ value, lasts, until: noted }: Lasting<Value>, endsByClock: number): void {
    present?.cancel();
    const endsAtMonotonic = clock.monotonic() + lasts;
    const until = Math.min(clock.now() + lasts, endsByClock);
    present = { value, lasts, until, noted, endsAtMonotonic, endsByClock, cancel() {} };
    lookLater(present);
  }

  const store = (lasting: Lasting<Value>): Promise<void> =>
    file
      .write(`${JSON.stringify(write(lasting))}\n`)
      .catch((error: unknown) => log.error(`${name} will not outlive a restart`, { error }));

  /** How long the value still lasts, ms. */
  const leftOf = ({ endsAtMonotonic, endsByClock }: NonNullable<typeof present>): number =>
    Math.min(endsAtMonotonic - clock.monotonic(), endsByClock - clock.now());

  function look(): void {
    if (present === null) return;
    if (leftOf(present) <= 0) {
      void end();
      return;
    }
    lookLater(present);
    current();
    if (Math.abs(present.until - present.noted) <= CLOCK_WAS_SET_MS) return;
    // With the end of a wrong clock it would end early after a restart, or each restart would prolong it.
    present.noted = present.until;
    void store(present);
  }

  function lookLater(value: NonNullable<typeof present>): void {
    value.cancel = schedule(Math.min(leftOf(value), LOOK_MS), look);
  }

  /** Null: there is none. `until` follows the clock when that is set. */
  function current(): Pick<Lasting<Value>, 'value' | 'until'> | null {
    if (present === null) return null;
    const until = clock.now() + leftOf(present);
    if (Math.abs(until - present.until) > CLOCK_WAS_SET_MS) present.until = until;
    return present;
  }

  async function end(): Promise<void> {
    if (present === null && !mayBeTakenUp) return;
    mayBeTakenUp = false;
    present?.cancel();
    present = null;
    changed();
    await file
      .remove()
      .catch((error: unknown) => log.error(`the file of ${name} could not be removed at its end`, { error }));
  }

  async function takeUp(): Promise<void> {
    const kept = await readJsonIfThere(path, { parse: read });
    if (!mayBeTakenUp) return;
    const left = kept === null ? 0 : kept.until - clock.now();
    mayBeTakenUp = kept !== null && left <= 0 && !clock.isTrusted();
    if (mayBeTakenUp) takeUpLater();
    else if (kept !== null && left > 0) last(kept, kept.until);
    else if (kept !== null) await file.remove().catch(() => undefined);
  }

  const takeUpLater = () =>
    schedule(LOOK_MS, () => {
      if (mayBeTakenUp) takeUp().then(() => mayBeTakenUp || changed(), takeUpLater);
    });

  await takeUp().catch((error: unknown) => {
    log.error(`${name} of an earlier run cannot be read now`, { error });
    takeUpLater();
  });

  return {
    current,
    /**
     * Replaces the current value. Resolves when the new one is stored, or could not be stored: it is in force in both
     * cases.
     */
    async begin(value: Value, lasts: number): Promise<void> {
      mayBeTakenUp = false;
      const lasting = { value, lasts, until: clock.now() + lasts };
      last(lasting, Number.POSITIVE_INFINITY);
      changed();
      await store(lasting);
    },
    end,
    /** Called at every change. */
    onChange: (listener: () => void) => void listeners.add(listener),
  };
}
