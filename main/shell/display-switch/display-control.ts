import { z } from 'zod';
import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { plain } from '../../../shared/plain';
import { isOpen, nextChange, type OpenHours } from '../../settings/open-hours';
import { asJson, openStateFile } from '../../state-file';
import type { DecidedClock } from '../decided-clock';
import { PowerRounds, type PowerRoundsParts, WAY_NAMES, type WayName } from './power-rounds';

/** The display's power, as far as it is known. */
export interface DisplayPower {
  /** What switches it; null: nothing yet. */
  readonly how: WayName | null;
  readonly on: boolean | null;
  /** When that changes next, ms since the epoch; null: it does not. */
  readonly until: number | null;
  /** What decides the state; null: nothing, the display is left alone. `touch`: somebody is at the screen. */
  readonly by: 'hours' | 'switch' | 'touch' | null;
  /** Why the display is not in the wanted state, in a sentence; null: it is. */
  readonly problem: string | null;
}

/** A manual switch by staff or the operator, in force until the hours change next. */
const Override = z.object({
  on: plain.yesOrNo,
  /** ms since the epoch; null: until it is taken back. */
  until: plain.numberOrNull,
  /** Whether the hours wanted the display on when the switch was made; null: there were no hours. */
  hoursSaid: plain.yesOrNo.nullable(),
});

/** The state that survives a restart: `display.json` in the data folder. */
const StoredPower = z.object({
  version: z.literal(1),
  offBy: z.array(z.enum(WAY_NAMES)).max(WAY_NAMES.length),
  override: Override.nullable(),
});
export type StoredPower = z.infer<typeof StoredPower>;

/** How often hours and back-off are checked, ms. */
const LOOK_MS = 5_000;
/** How long a touch keeps the display on outside its hours, ms. */
const AWAKE_MS = 2 * 60_000;
/** Touches are ignored for this long after a manual switch: the finger that did it is still there, ms. */
const OWN_TOUCH_MS = 3_000;

export interface DisplayControlParts extends Omit<PowerRoundsParts, 'changed'> {
  readonly clock: Clock & Pick<DecidedClock, 'isTrusted'>;
  readonly store: PowerStore;
  /** `display.power`; null: the display is left alone until somebody switches it. */
  readonly hours: OpenHours | null;
  /** Called when the result of `holds` or `power` may have changed. */
  readonly changed: () => void;
}

export async function openDisplayControl(parts: DisplayControlParts): Promise<DisplayControl> {
  return new DisplayControl(parts, await parts.store.read());
}

/** Switches the display by its hours and by hand, by the ways that work. Starts no program before `start`. */
export class DisplayControl {
  readonly #parts: DisplayControlParts;
  #kept: string;
  #written: Promise<unknown> = Promise.resolve();
  #override: StoredPower['override'];
  readonly #rounds: PowerRounds;
  /** On the monotonic clock, ms, as is `#ignoreTouchUntil`. */
  #awakeUntil = Number.NEGATIVE_INFINITY;
  #ignoreTouchUntil = Number.NEGATIVE_INFINITY;
  /** The next change of the hours after `from`, ms since the epoch. */
  #change: { readonly from: number; readonly until: number | null } | null = null;
  #cancelLook: (() => void) | null = null;
  #waiters: Array<(problem: string | null) => void> = [];

  constructor(parts: DisplayControlParts, kept: StoredPower) {
    this.#parts = parts;
    this.#kept = JSON.stringify(kept);
    this.#override = kept.override;
    const changed = () => this.#changed();
    this.#rounds = new PowerRounds({ ...parts, changed }, kept.offBy, this.#wanted().on);
  }

  /** Whether nothing may be reserved because the display is off or about to be. */
  readonly holds = (): boolean => this.#rounds.holds;

  /** Null as long as the display has been left alone. */
  readonly power = (): DisplayPower | null => {
    const { by } = this.#wanted();
    const { using, isOn, offBy, problem } = this.#rounds;
    if (by === null && using === null && offBy.length === 0) return null;
    return { how: using, on: isOn, until: this.#until(by), by, problem };
  };

  /** Starts to check the hours and to switch the display. A second call does nothing. */
  readonly start = (): void => {
    if (this.#cancelLook === null) this.#lookAgain();
  };

  /**
   * Overrides `display.power` until its hours change next; null removes the override. Resolves to null when the
   * displays are switched, or to the reason why not all are. If no command was accepted, it is then as if nobody
   * had switched it; a display that has not obeyed yet may still do so.
   * @param isAtScreen whoever wants it on sees the overlay on it
   */
  readonly switch = async (on: boolean | null, isAtScreen = false): Promise<string | null> => {
    const { hours, clock } = this.#parts;
    const at = clock.now();
    const until = hours && nextChange(hours, at);
    this.#override = on === null ? null : { on, until, hoursSaid: hours && isOpen(hours, at) };
    this.#awakeUntil = Number.NEGATIVE_INFINITY;
    this.#ignoreTouchUntil = clock.monotonic() + OWN_TOUCH_MS;
    this.start();
    const wanted = this.#wanted().on;
    if (wanted !== this.#rounds.goal) {
      for (const answer of this.#waiters.splice(0)) answer('Another switch took its place.');
    }
    const override = this.#override;
    const problem = await new Promise<string | null>((resolve) => {
      this.#waiters.push(resolve);
      this.#rounds.ask(wanted);
    });
    const hasFailed = problem !== null && !this.#rounds.mayObeyLate;
    if (hasFailed && override !== null && this.#override === override) {
      this.#override = null;
      // What switched it off may have gone with another display, and would be waited for without end.
      if (on === true && isAtScreen) this.#rounds.isSeenOn();
      this.#look();
    }
    return problem;
  };

  /** Call it on input: a display that is off outside its hours turns on for two minutes. */
  readonly touched = (): void => {
    const now = this.#parts.clock.monotonic();
    if (now < this.#ignoreTouchUntil) return;
    this.#awakeUntil = now + AWAKE_MS;
    if (this.#cancelLook !== null && this.#rounds.goal === false) this.#look();
  };

  readonly stop = (): void => {
    this.#rounds.stop();
    this.#cancelLook?.();
  };

  #wanted(): Pick<DisplayPower, 'on' | 'by'> {
    const { hours, clock } = this.#parts;
    const at = clock.now();
    const wanted = this.#isOverridden(at)
      ? ({ on: this.#override?.on ?? null, by: 'switch' } as const)
      : ({ on: hours && isOpen(hours, at), by: hours && 'hours' } as const);
    const isAwake = wanted.on === false && clock.monotonic() < this.#awakeUntil;
    return isAwake ? { on: true, by: 'touch' } : wanted;
  }

  /** Other hours, after a clock jump or a change of the settings, end a manual switch. */
  #isOverridden(at: number): boolean {
    const { hours } = this.#parts;
    if (this.#override === null) return false;
    const { until, hoursSaid } = this.#override;
    return (until === null || at < until) && hoursSaid === (hours && isOpen(hours, at));
  }

  #until(by: DisplayPower['by']): number | null {
    const { hours, clock } = this.#parts;
    if (by === 'switch') return this.#override?.until ?? null;
    // In whole seconds, because the two clocks do not tick together.
    if (by === 'touch')
      return 1_000 * Math.round((clock.now() + this.#awakeUntil - clock.monotonic()) / 1_000);
    if (hours === null) return null;
    const at = clock.now();
    // Computed once per change: it takes some ms.
    const known = this.#change;
    if (known === null || at < known.from || (known.until !== null && at >= known.until))
      this.#change = { from: at, until: nextChange(hours, at) };
    return this.#change?.until ?? null;
  }

  #lookAgain(): void {
    this.#look();
    this.#cancelLook = this.#parts.schedule(LOOK_MS, () => this.#lookAgain());
  }

  #look(): void {
    const { clock } = this.#parts;
    // A clock that is ahead after a restart must not end it for good.
    if (clock.isTrusted() && !this.#isOverridden(clock.now())) this.#override = null;
    this.#rounds.look(this.#wanted().on);
  }

  /** Stores and reports the state, and answers those who wait for a switch that is over. */
  #changed(): Promise<unknown> {
    const { store, changed } = this.#parts;
    const { offBy, outcome, problem } = this.#rounds;
    const kept: StoredPower = { version: 1, offBy: [...offBy], override: this.#override };
    const text = JSON.stringify(kept);
    if (text !== this.#kept) {
      this.#kept = text;
      this.#written = store.write(kept);
    }
    changed();
    if (outcome !== 'open')
      for (const answer of this.#waiters.splice(0)) answer(outcome === 'done' ? null : problem);
    return this.#written;
  }
}

export type PowerStore = ReturnType<typeof powerFile>;

const NOTHING: StoredPower = { version: 1, offBy: [], override: null };

export function powerFile(path: string, log: Log) {
  /** Read too late for this run. What switched the display off must switch it on: the next start sees to it. */
  let late: StoredPower['offBy'] = [];
  const opened = openStateFile<StoredPower>({
    path,
    ...asJson(StoredPower),
    nothing: NOTHING,
    ifUnread: 'replace',
    log,
    merge(stored) {
      late = stored.offBy;
      return stored;
    },
    unread: 'the stored power of the display cannot be read',
    notStored: 'the power of the display could not be kept',
  });
  return {
    /** Resolves to a state in which nothing is switched if none is stored or it cannot be read. */
    read: async (): Promise<StoredPower> => (await opened).now(),
    /** Never rejects. */
    async write(kept: StoredPower): Promise<void> {
      const file = await opened;
      await file.changeEvenIfNotStored(() => ({ ...kept, offBy: [...new Set([...late, ...kept.offBy])] }));
    },
  };
}
