import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { messageOf } from '../../describe-error';
import { doublingMs } from '../../egress/back-off';
import type { Schedule } from '../../schedule';

/** Ways to switch a display, in the order in which they are tried: the display server first, then the cable. */
export const WAY_NAMES = ['wlopm', 'sway', 'dpms', 'ddc', 'cec'] as const;
export type WayName = (typeof WAY_NAMES)[number];

/** Some displays accepted a command, others did not: what their errors were. */
export class AcceptedInPart extends Error {}

/** One way to switch the displays of this machine, by a program of the system. */
export interface DisplayWay {
  readonly name: WayName;
  /** Null: it can switch a display here. Otherwise why not, in a few words. */
  probe(): Promise<string | null>;
  /**
   * Resolves when the command was accepted, which does not mean that the display obeys. Rejects when it failed, with
   * `AcceptedInPart` where some displays accepted it.
   */
  turn(on: boolean): Promise<void>;
  /** Whether a display is on; null: unknown. Rejects when the program fails. */
  read(): Promise<boolean | null>;
  /** How long a display may take to obey, ms. */
  readonly obeysWithinMs: number;
  /** How often it may be read while nothing changes, ms. */
  readonly readEveryMs: number;
}

/** How often a display is asked whether it obeyed, ms. */
const ASK_MS = 500;
/** Longest wait between two rounds of tries, ms. */
export const MAX_WAIT_MS = 5 * 60_000;
const FIRST_WAIT_MS = 5_000;

/** What came of a command. */
interface Answer {
  /** Whether a display accepted it. */
  readonly isAccepted: boolean;
  /** Whether a display is on afterwards; null: unknown. */
  readonly isOn: boolean | null;
  /** Why not all displays are in the wanted state; null: they are, as far as is known. */
  readonly error: string | null;
}

export interface PowerRoundsParts {
  readonly ways: readonly DisplayWay[];
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly switched: (way: WayName, isDone: boolean) => void;
  /** Called at every change; resolves when the state is on the disk. */
  readonly changed: () => Promise<unknown>;
}

/**
 * Brings the display into the wanted state by the ways that work, in rounds: one reads or switches it until it is as
 * wanted, or every way has failed.
 */
export class PowerRounds {
  readonly #parts: PowerRoundsParts;
  /** The wanted state at the last check; null: the display is left alone. */
  goal: boolean | null;
  /** The state as last read or, if it cannot be read, as last commanded; null: unknown. */
  isOn: boolean | null = null;
  /**
   * The ways that accepted a command to switch it off since it was last on, the last one at the end; all of them have
   * to switch it on, because each may obey late.
   */
  offBy: readonly WayName[];
  /** The ways that work here, in their order; null: not probed. */
  #ways: readonly WayName[] | null = null;
  /** The way that switched or read it last. */
  using: WayName | null = null;
  #isBusy = false;
  /** The wanted state that the present or last round tries; until it commands anything, that of its beginning. */
  #tried: boolean | null = null;
  #isStopped = false;
  /** Consecutive rounds in which every way failed. */
  #failures = 0;
  /** Why the last round failed: the way and its error. */
  #error: string | null = null;
  /** Whether a command of the last round was accepted: the display may still obey it. */
  mayObeyLate = false;
  /** When it was last read or switched, on the monotonic clock, ms. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** After a failed round the next one begins then, on the monotonic clock, ms. */
  #retryAt = Number.NEGATIVE_INFINITY;

  /** @param offBy the ways that had switched the display off when the last run ended */
  constructor(parts: PowerRoundsParts, offBy: readonly WayName[], goal: boolean | null) {
    this.#parts = parts;
    // Nothing can be done by a way that only another version has.
    this.offBy = offBy.filter((name) => parts.ways.some((way) => way.name === name));
    this.goal = goal;
  }

  /** Why the display is not in the wanted state, in a sentence; null: it is, or that is not known yet. */
  get problem(): string | null {
    return this.#error === null ? null : sentenceOf(this.goal, this.#error);
  }

  /**
   * Whether nothing may be reserved (rule 14): the display is off, or is about to be switched off. A display that could
   * not be switched off counts as on, and so does one that is left alone, whose state is unknown here. Where only some
   * displays accepted to be switched off, the kiosk's own may be one of them.
   */
  get holds(): boolean {
    const mayBeOff = this.offBy.length > 0;
    // Until a command to switch it off is over, the display may still obey it.
    const goesOff = this.#isBusy && this.#tried === false && this.goal !== false;
    const isOff = this.isOn === false || (mayBeOff && (this.isOn === null || goesOff));
    return (isOff && this.#target() !== null) || (this.goal === false && this.#failures === 0);
  }

  /** `done`: it is as wanted. `failed`: it is not, or not all displays are, and the next round waits. */
  get outcome(): 'done' | 'failed' | 'open' {
    if (this.#isBusy) return 'open';
    const to = this.#target();
    if (to === null || (this.isOn === to && this.#error === null)) return 'done';
    return this.#failures > 0 ? 'failed' : 'open';
  }

  /** A regular check: begins a round if one is due. */
  look(goal: boolean | null): void {
    this.#aim(goal);
    const now = this.#parts.clock.monotonic();
    const to = this.#target();
    const isDone = to === null || (this.isOn === to && this.#ways !== null);
    const readEveryMs = this.#parts.ways.find(({ name }) => name === this.using)?.readEveryMs ?? 0;
    const isReadDue = this.using !== null && goal !== null && now - this.#readAt >= readEveryMs;
    if (!this.#isBusy && !this.#isStopped && now >= this.#retryAt && (!isDone || isReadDue)) {
      this.#isBusy = true;
      this.#tried = goal;
      const ended = (error: string | null) => {
        this.#isBusy = false;
        if (!this.#isStopped) this.#ended(error);
      };
      void this.#round().then(
        () => ended(null),
        (error) => ended(messageOf(error)),
      );
    }
    void this.#parts.changed();
  }

  /** Staff or the operator asked for it: a waiting retry runs at once, and the ways are probed again. */
  ask(goal: boolean | null): void {
    this.#failures = 0;
    this.#aim(goal);
    if (!this.#isBusy) {
      this.#retryAt = Number.NEGATIVE_INFINITY;
      // Whoever asks can see the display.
      this.#doubt();
    }
    this.look(goal);
  }

  /** Somebody sees that the display is on, although no way could switch it on. */
  isSeenOn(): void {
    this.offBy = [];
    this.isOn = null;
  }

  /** A round under way ends after its present command. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A change of the wanted state resets the count of failures and cancels a waiting retry. */
  #aim(goal: boolean | null): void {
    if (goal === this.goal) return;
    this.goal = goal;
    this.#failures = 0;
    this.#error = null;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  /** A display that we switched off is switched on before it is left alone. */
  #target(): boolean | null {
    return this.goal ?? (this.offBy.length > 0 ? true : null);
  }

  /** The state known here may be wrong: the next round probes the ways and reads it. */
  #doubt(): void {
    this.#ways = null;
    if (this.isOn === this.#target()) this.isOn = null;
  }

  #ended(error: string | null): void {
    if (error === null) {
      this.#failures = 0;
      this.#error = null;
    } else if (this.#tried !== this.goal) {
      // Nobody has tried the new one yet.
      this.#doubt();
    } else if (this.#target() !== null) {
      this.#error = error;
      this.#failures += 1;
      // The ways are probed again after a wait.
      this.#ways = null;
      const waitMs = doublingMs(this.#failures, { minMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS });
      this.#retryAt = this.#parts.clock.monotonic() + waitMs;
      this.#parts.log.warn(sentenceOf(this.goal, error), { failures: this.#failures });
    }
    void this.#parts.changed();
  }

  /** Rejects when every way has failed. */
  async #round(): Promise<void> {
    this.mayObeyLate = false;
    const isProbing = this.#ways === null;
    if (isProbing) await this.#probe();
    // The present state first: if it is the wanted one, there is nothing to do.
    if (this.using !== null && (isProbing || this.isOn === this.#target())) await this.#read();
    const to = this.#target();
    this.#tried = this.goal;
    if (this.#isStopped) return;
    // A display that reads "on" may still be off by another way.
    const mayBeOff = to === true && this.offBy.length > 0;
    if (to !== null && (this.isOn !== to || mayBeOff)) await this.#turn(to);
  }

  /**
   * Finds the ways that work here. Rejects when there are none, except to switch on a display that one has switched
   * off: a display may not answer while it is off.
   */
  async #probe(): Promise<void> {
    const found = await Promise.all(
      this.#parts.ways.map(async (way) => ({ name: way.name, error: await way.probe() })),
    );
    const errors = found.flatMap(({ name, error }) => (error === null ? [] : `${name}: ${error}`));
    this.#ways = found.flatMap(({ name, error }) => (error === null ? name : []));
    this.#parts.log.info('ways to switch the display', { ways: this.#ways, errors });
    const [first] = this.#ways;
    const canTryOffBy = this.#target() === true && this.offBy.length > 0;
    if (first === undefined && !canTryOffBy) throw new Error(errors.join('; '));
    this.using = first ?? null;
  }

  /** Reads the state by the way in use. */
  async #read(): Promise<void> {
    const way = this.#wayNamed(this.using);
    const read = await way.read().catch((error: unknown) => {
      throw new Error(`${way.name}: ${messageOf(error)}`);
    });
    // It obeyed late: without this, nothing would switch it on before it is left alone.
    if (read === false && this.#target() === false) this.#setOffBy(way.name);
    const known = read ?? this.isOn;
    // One way may read "on" although another way switched the display off. The last one was seen to switch it off.
    const isByAnother = (this.offBy.at(-1) ?? way.name) !== way.name;
    // Some displays may be off although another one is on.
    const isInPart = this.goal === false && this.isOn === null && this.offBy.length > 0;
    if (known !== true || !(isByAnother || isInPart)) this.#setOn(known);
    this.#readAt = this.#parts.clock.monotonic();
  }

  /**
   * Switches the display, first by the way that worked last; rejects with an error where no way helped, or where a
   * display may not have been switched. To switch on, it uses every way that accepted a command to switch it off, even
   * if the last probe did not find it, and others until one has helped. To switch off, one is enough.
   */
  async #turn(to: boolean): Promise<void> {
    const usual = [this.using ?? [], this.#ways ?? []].flat();
    const offBefore = this.offBy;
    let helped: WayName | null = null;
    let hadNoEffect = false;
    let errorInPart: string | null = null;
    let lastError = '';
    // The last one first: until it has switched the display on, the others may read "off".
    for (const name of new Set(to ? [...offBefore.toReversed(), ...usual] : usual)) {
      const isNeeded = to && offBefore.includes(name);
      if (helped !== null && !isNeeded) break;
      const offByOthers = this.offBy;
      if (!to) this.#setOffBy(name);
      // On the disk before each command, so that a killed kiosk knows afterwards what it switched off.
      await this.#parts.changed();
      const { isAccepted, isOn, error } = await this.#command(name, to);
      // The display may obey later: the way stays on the disk, and no other one is tried.
      if (this.#isStopped) return;
      if (error !== null) lastError = `${name}: ${error}`;
      if (isAccepted) this.mayObeyLate = true;
      else this.offBy = offByOthers;
      // What it switched off may still be off, whatever the others read.
      if (isNeeded && !isAccepted) errorInPart = lastError;
      if (isOn === !to) hadNoEffect = true;
      else if (isAccepted) {
        if (error !== null) errorInPart = lastError;
        // One display is enough to count as on; all have to accept to count as off.
        if (to || error === null) helped = name;
        else this.isOn = null;
      }
    }
    if (!to && errorInPart !== null) throw new Error(errorInPart);
    const isAgainstAnother = to && hadNoEffect && this.offBy.length > 0;
    if (helped === null || isAgainstAnother) {
      if (hadNoEffect) this.#setOn(!to);
      throw new Error(lastError);
    }
    this.using = helped;
    this.#setOn(to);
    this.#readAt = this.#parts.clock.monotonic();
    if (errorInPart !== null) throw new Error(errorInPart);
    if (to) this.offBy = [];
  }

  async #command(name: WayName, to: boolean): Promise<Answer> {
    try {
      const way = this.#wayNamed(name);
      const inPart = await way.turn(to).catch((error: unknown) => {
        if (error instanceof AcceptedInPart) return error;
        throw error;
      });
      // Whether a display is on tells nothing of the others.
      const isOn = inPart && !to ? null : await this.#obeyed(way, to);
      const error = inPart?.message ?? (isOn === !to ? 'the display did not obey' : null);
      this.#parts.switched(name, error === null);
      return { isAccepted: true, isOn, error };
    } catch (error) {
      this.#parts.switched(name, false);
      return { isAccepted: false, isOn: null, error: messageOf(error) };
    }
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

  #wayNamed(name: WayName | null): DisplayWay {
    const way = this.#parts.ways.find((each) => each.name === name);
    if (way === undefined) throw new Error(`${name} is not a way of this machine`);
    return way;
  }

  #setOffBy(name: WayName): void {
    this.offBy = [...this.offBy.filter((each) => each !== name), name];
  }

  #setOn(isOn: boolean | null): void {
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    this.#parts.log.info(isOn ? 'the display is on' : 'the display is off', { by: this.using });
  }
}

function sentenceOf(goal: boolean | null, error: string): string {
  return `The display could not be switched ${goal === false ? 'off' : 'on'}: ${error || 'there is no way to do it'}.`;
}
