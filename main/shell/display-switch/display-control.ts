import { z } from 'zod';
import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { messageOf } from '../../describe-error';
import type { Schedule } from '../../schedule';
import { nextChange, type OpenHours } from '../../settings/open-hours';
import { createWholeFile, readWholeJson } from '../../whole-file';
import {
  holdsForPower,
  type PowerEffect,
  type PowerEvent,
  type PowerState,
  powerAtStart,
  stepPower,
  WAY_NAMES,
  type WayName,
} from './power-machine';
import { isInForce, Override, overrideOf, type Wanted, wantedAt } from './power-plan';

/** One way to switch the displays of this machine, by a program of the system. */
export interface DisplayWay {
  readonly name: WayName;
  /** Null: it can switch a display here. Otherwise why not, in a few words. */
  probe(): Promise<string | null>;
  /** Resolves when the command was accepted, which does not mean that the display obeys; rejects when it failed. */
  turn(on: boolean): Promise<void>;
  /** Whether a display is on; null: unknown. Rejects when the program fails. */
  read(): Promise<boolean | null>;
  /** How long a display may take to obey, ms. */
  readonly obeysWithinMs: number;
  /** How often it may be read while nothing changes, ms. */
  readonly readEveryMs: number;
}

/** The display's power, as far as it is known. */
export interface DisplayPower {
  /** What switches it; null: nothing yet. */
  readonly how: WayName | null;
  readonly on: boolean | null;
  /** When that changes next, ms since the epoch; null: it does not. */
  readonly until: number | null;
  /** What decides the state; null: nothing, the display is left alone. `touch`: somebody is at the screen. */
  readonly by: Wanted['by'] | 'touch';
  /** Why the display is not in the wanted state, in a sentence; null: it is. */
  readonly problem: string | null;
}

/** How often hours and back-off are checked, ms. */
const LOOK_MS = 5_000;
/** How long a touch keeps the display on outside its hours, ms. */
const AWAKE_MS = 2 * 60_000;
/** Touches are ignored for this long after a manual switch: the finger that did it is still there, ms. */
const OWN_TOUCH_MS = 3_000;
/** How often a display is asked whether it obeyed, ms. */
const ASK_MS = 500;

export interface DisplayControlParts {
  readonly store: PowerStore;
  /** `display.power`; null: the display is left alone until somebody switches it. */
  readonly hours: OpenHours | null;
  readonly ways: readonly DisplayWay[];
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
  /** Called when the result of `holds` or `power` may have changed. */
  readonly changed: () => void;
  readonly switched: (way: WayName, isDone: boolean) => void;
}

export async function openDisplayControl(parts: DisplayControlParts): Promise<DisplayControl> {
  return new DisplayControl(parts, await parts.store.read());
}

/** Switches the display by its hours and by hand. Starts no program before `start`. */
export class DisplayControl {
  readonly #parts: DisplayControlParts;
  #kept: string;
  #written: Promise<unknown> = Promise.resolve();
  #override: Override | null;
  #state: PowerState;
  /** On the monotonic clock, ms, as is `#ignoreTouchUntil`. */
  #awakeUntil = Number.NEGATIVE_INFINITY;
  #ignoreTouchUntil = Number.NEGATIVE_INFINITY;
  /** The next change of the hours after `from`. */
  #change: { readonly from: number; readonly until: number | null } | null = null;
  #cancelLook: (() => void) | null = null;
  #isStopped = false;
  #waiters: Array<(problem: string | null) => void> = [];

  constructor(parts: DisplayControlParts, kept: StoredPower) {
    this.#parts = parts;
    this.#kept = JSON.stringify(kept);
    this.#override = kept.override;
    this.#state = powerAtStart(kept.offBy, this.#wanted().on);
  }

  /** Whether nothing may be reserved because the display is off or about to be. */
  readonly holds = (): boolean => holdsForPower(this.#state);

  /** Null as long as the display has been left alone. */
  readonly power = (): DisplayPower | null => {
    const { using, isOn, error, offBy } = this.#state;
    const { by } = this.#wanted();
    if (by === null && using === null && offBy.length === 0) return null;
    return { how: using, on: isOn, until: this.#until(by), by, problem: error && this.#problem() };
  };

  /** Starts to check the hours and to switch the display. A second call does nothing. */
  readonly start = (): void => {
    if (this.#cancelLook === null && !this.#isStopped) this.#lookAgain();
  };

  /**
   * Overrides `display.power` until its hours change next; null removes the override. Resolves to null when the
   * display is switched, or to the reason when every way has failed.
   */
  readonly switch = (on: boolean | null): Promise<string | null> => {
    const { hours, clock } = this.#parts;
    this.#override = on === null ? null : overrideOf(on, hours, clock.now());
    this.#awakeUntil = Number.NEGATIVE_INFINITY;
    this.#ignoreTouchUntil = clock.monotonic() + OWN_TOUCH_MS;
    this.start();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#step({ kind: 'asked', wanted: this.#wanted().on });
    });
  };

  /** Call it on input: a display that is off outside its hours turns on for two minutes. */
  readonly touched = (): void => {
    const now = this.#parts.clock.monotonic();
    if (now < this.#ignoreTouchUntil) return;
    this.#awakeUntil = now + AWAKE_MS;
    if (this.#cancelLook !== null && this.#state.wanted === false) this.#look();
  };

  readonly stop = (): void => {
    this.#isStopped = true;
    this.#cancelLook?.();
  };

  #wanted(): Pick<DisplayPower, 'on' | 'by'> {
    const { hours, clock } = this.#parts;
    const wanted = wantedAt({ hours, override: this.#override }, clock.now());
    const isAwake = wanted.on === false && clock.monotonic() < this.#awakeUntil;
    return isAwake ? { on: true, by: 'touch' } : wanted;
  }

  #until(by: DisplayPower['by']): number | null {
    const { hours, clock } = this.#parts;
    if (by === 'switch') return this.#override?.until ?? null;
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
    const { hours, clock } = this.#parts;
    if (this.#override && !isInForce(this.#override, hours, clock.now())) this.#override = null;
    const readEveryMs = this.#way(this.#state.using)?.readEveryMs ?? 0;
    this.#step({ kind: 'look', wanted: this.#wanted().on, readEveryMs });
  }

  #step(event: PowerEvent): void {
    const before = this.#state;
    const { state, effect } = stepPower(before, event, this.#parts.clock.monotonic());
    this.#state = state;
    this.#logChange(before, state);
    this.#keep();
    this.#parts.changed();
    if (effect) void this.#run(effect).then((answer) => this.#isStopped || this.#step(answer));
    else this.#answerWaiters();
  }

  /** Never rejects. */
  async #run(effect: PowerEffect): Promise<PowerEvent> {
    // The state is on the disk before each command, so that a killed kiosk knows afterwards what it switched off.
    await this.#written;
    if (effect.kind === 'probe') return this.#probe();
    const way = this.#way(effect.way);
    try {
      if (!way) throw new Error(`${effect.way} is not a way of this version`);
      if (effect.kind === 'read') return { kind: 'read', isOn: await way.read() };
      await way.turn(effect.to);
      const isOn = await this.#obeyed(way, effect.to);
      this.#parts.switched(effect.way, isOn !== !effect.to);
      return { kind: 'switched', isOn };
    } catch (error) {
      if (effect.kind === 'switch') this.#parts.switched(effect.way, false);
      return { kind: 'failed', message: messageOf(error) };
    }
  }

  async #probe(): Promise<PowerEvent> {
    const found = await Promise.all(
      this.#parts.ways.map(async (way) => ({ way: way.name, message: await way.probe() })),
    );
    const errors = found.flatMap(({ way, message }) => (message === null ? [] : [{ way, message }]));
    const ways = found.flatMap(({ way, message }) => (message === null ? [way] : []));
    this.#parts.log.info('ways to switch the display', { ways, errors });
    return { kind: 'probed', ways, errors };
  }

  /** Resolves to the display's state once it has obeyed, cannot be read (null), or its time is over. */
  async #obeyed(way: DisplayWay, to: boolean): Promise<boolean | null> {
    const { clock, schedule } = this.#parts;
    const until = clock.monotonic() + way.obeysWithinMs;
    for (;;) {
      const isOn = await way.read().catch(() => null);
      if (isOn !== !to || clock.monotonic() >= until || this.#isStopped) return isOn;
      await new Promise<void>((resolve) => schedule(ASK_MS, resolve));
    }
  }

  #way(name: WayName | null): DisplayWay | undefined {
    return this.#parts.ways.find((way) => way.name === name);
  }

  #problem(): string {
    const { error, wanted } = this.#state;
    const what = wanted === false ? 'off' : 'on';
    const by = error?.way ? `${error.way}: ` : '';
    return `The display could not be switched ${what}: ${by}${error?.message || 'there is no way to do it'}.`;
  }

  #answerWaiters(): void {
    const { work, isOn, wanted } = this.#state;
    const isDone = work.kind === 'rest' && (wanted === null || isOn === wanted);
    if (!isDone && work.kind !== 'waiting') return;
    const problem = isDone ? null : this.#problem();
    for (const answer of this.#waiters.splice(0)) answer(problem);
  }

  #logChange(before: PowerState, { isOn, using, error, failures }: PowerState): void {
    const { log } = this.#parts;
    if (isOn !== before.isOn) log.info(isOn ? 'the display is on' : 'the display is off', { by: using });
    if (failures > before.failures) log.warn(this.#problem(), { error, failures });
  }

  #keep(): void {
    const kept: StoredPower = { version: 1, offBy: [...this.#state.offBy], override: this.#override };
    const text = JSON.stringify(kept);
    if (text === this.#kept) return;
    this.#kept = text;
    this.#written = this.#parts.store
      .write(kept)
      .catch((error: unknown) =>
        this.#parts.log.error('the power of the display could not be kept', { error }),
      );
  }
}

/** The state that survives a restart: `display.json` in the data folder. Times are ms since the epoch. */
const StoredPower = z.object({
  version: z.literal(1),
  offBy: z.array(z.enum(WAY_NAMES)).max(WAY_NAMES.length),
  override: Override.nullable(),
});
export type StoredPower = z.infer<typeof StoredPower>;

export type PowerStore = ReturnType<typeof powerFile>;

export function powerFile(path: string) {
  const file = createWholeFile(path, 0o600);
  return {
    /** Resolves to a state in which nothing is switched if none is stored or it cannot be read. */
    read: async (): Promise<StoredPower> =>
      (await readWholeJson(path, StoredPower)) ?? { version: 1, offBy: [], override: null },
    write: (kept: StoredPower) => file.write(`${JSON.stringify(kept)}\n`),
  };
}
