import type { Ad, FrequencyCap } from '../../../shared/ad';
import type { FlightCounters, RecencyEntry } from '../../../shared/books';
import { createDecider, type Decider } from '../decider';
import {
  advanceClock,
  type ClockEvent,
  type ClockState,
  carryOutChange,
  readClock,
  startClock,
} from '../trusted-clock';
import { anAd, emptyBooks, onlyMedia } from './ads-for-tests';

/** What may happen to a kiosk's clocks. Times in ms; `off`: how far a clock is from the truth. */
export type Happening =
  /** Time passes; the kiosk plays its ad whenever it may, every `every` ms. */
  | { readonly kind: 'play'; readonly slots: number; readonly every: number }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Somebody sets the system's clock. */
  | { readonly kind: 'system-set'; readonly off: number }
  /** The service answers with its time. */
  | { readonly kind: 'answer'; readonly off: number }
  /**
   * The service repeats an answer until the clock accepts it. Preparing the change takes `slots` slots, a minute each,
   * in which the kiosk goes on playing.
   */
  | { readonly kind: 'answers'; readonly off: number; readonly slots: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  /**
   * The kiosk is killed and starts `ms` later; the system's clock is `behind` ms slow until the service has answered.
   * Before the answer the kiosk plays `played` slots, one every `every` ms.
   */
  | {
      readonly kind: 'restart';
      readonly ms: number;
      readonly behind: number;
      readonly played: number;
      readonly every: number;
    };

/** A clock is right when it is off by no more than this; ms. */
export const RIGHT_MS = 50;

/** A kiosk with one ad, and the real time, which the kiosk does not know. */
class ClockWorld {
  readonly #ad: Ad;
  readonly #drift: number;
  readonly #plays: number[] = [];
  #jumps = 0;
  #restarts = 0;
  #real: number;
  #systemOff = 0;
  #monotonic = 0;
  #ranBefore = 0;
  /** How many slots the next change takes to prepare; null while a change is being prepared. */
  #slotsToPrepare: number | null = 0;
  readonly #stored = {
    flight: null as FlightCounters | null,
    recency: [] as RecencyEntry[],
    ran: 0,
    lastPlayAt: 0,
  };
  #clock!: ClockState;
  #decider!: Decider;

  /** @param drift how much faster than real time the monotonic clock runs */
  constructor(start: number, caps: FrequencyCap[], drift: number) {
    this.#ad = anAd({ flightId: 'f', frequencyCaps: caps });
    this.#real = start;
    this.#drift = drift;
    this.#begin();
    this.#answer(0);
  }

  /** When the ad really played, ms since the epoch, ascending. */
  plays = () => this.#plays as readonly number[];
  jumps = () => this.#jumps;
  restarts = () => this.#restarts;
  counters = () => this.#stored.flight;
  now = () => readClock(this.#clock, this.#sample());

  #sample() {
    return { system: this.#real + this.#systemOff, monotonic: this.#monotonic };
  }

  #ran(): number {
    return this.#ranBefore + this.#monotonic;
  }

  #pass(ms: number): void {
    this.#real += ms;
    this.#monotonic += ms * (1 + this.#drift);
  }

  #step(event: ClockEvent): void {
    // As in the kiosk: while a change is prepared, the clock ignores other events.
    if (this.#slotsToPrepare === null) return;
    const { state, change: found } = advanceClock(this.#clock, event);
    if (found === null) {
      this.#clock = state;
      return;
    }
    if (found.isJump) this.#jumps += 1;
    const preparing = this.#decider.prepareMove(found, this.#ran());
    let prepared = preparing.next();
    const slots = this.#slotsToPrepare;
    this.#slotsToPrepare = null;
    for (let slot = 0; slot < slots; slot += 1) {
      this.#playSlots(1, 60_000);
      if (!prepared.done) prepared = preparing.next();
    }
    this.#slotsToPrepare = 0;
    while (!prepared.done) prepared = preparing.next();
    const { state: setTo, change } = carryOutChange(this.#clock, { state, change: found }, this.#sample());
    this.#clock = setTo;
    const flights = this.#decider.clockChanged(change, this.#ran(), prepared.value);
    const after = change.movesPlaysAfter;
    if (after !== null && this.#stored.lastPlayAt > after)
      this.#stored.lastPlayAt += change.now - change.before;
    this.#stored.flight = flights[0] ?? this.#stored.flight;
  }

  #begin(): void {
    this.#monotonic = 0;
    this.#ranBefore = this.#stored.ran;
    this.#clock = startClock(this.#sample());
    if (this.#stored.lastPlayAt > 0) {
      const opened = advanceClock(this.#clock, {
        kind: 'books-opened',
        lastPlayAt: this.#stored.lastPlayAt,
        sample: this.#sample(),
      });
      this.#clock = opened.state;
    }
    this.#decider = createDecider({
      ...emptyBooks,
      ads: [this.#ad],
      counters: this.#stored.flight === null ? [] : [this.#stored.flight],
      recency: this.#stored.recency,
      running: { at: readClock(this.#clock, this.#sample()), ran: this.#ranBefore, isTrusted: false },
    });
    this.#decider.mediaReady(onlyMedia(this.#ad) ?? '');
  }

  #play(): void {
    this.#step({ kind: 'sampled', sample: this.#sample() });
    const at = readClock(this.#clock, this.#sample());
    const choice = this.#decider.choose(at);
    const entry = choice && this.#decider.enter(choice, at);
    if (!entry) return;
    this.#plays.push(this.#real);
    this.#stored.flight = entry.books.flight;
    this.#stored.recency = entry.books.recency ? [entry.books.recency] : [];
    this.#stored.ran = this.#ran();
    this.#stored.lastPlayAt = Math.max(this.#stored.lastPlayAt, at);
    this.#step({ kind: 'play-stored', at, sample: this.#sample() });
  }

  #playSlots(slots: number, every: number): void {
    for (let slot = 0; slot < slots; slot += 1) {
      this.#play();
      this.#pass(every);
    }
  }

  #answer(off: number): void {
    this.#step({
      kind: 'answered',
      serverTime: this.#real + off,
      monotonicAtReceipt: this.#monotonic,
      sample: this.#sample(),
    });
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'play':
        this.#playSlots(happening.slots, happening.every);
        return;
      case 'pass':
        this.#pass(happening.ms);
        return;
      case 'system-set':
        this.#systemOff = happening.off;
        this.#step({ kind: 'sampled', sample: this.#sample() });
        return;
      case 'answer':
        this.#answer(happening.off);
        return;
      case 'answers':
        for (let times = 0; times < 3; times += 1) {
          this.#slotsToPrepare = happening.slots;
          this.#answer(happening.off);
          this.#slotsToPrepare = 0;
          this.#playSlots(4, 15_000);
        }
        return;
      case 'sleep':
        this.#real += happening.ms;
        this.#step({ kind: 'resumed', sample: this.#sample() });
        return;
      case 'restart':
        // A later run cannot distinguish plays stamped by a wrong clock from time that the machine was off.
        if (Math.abs(readClock(this.#clock, this.#sample()) - this.#real) > RIGHT_MS) return;
        this.#restarts += 1;
        this.#real += happening.ms;
        this.#systemOff = -happening.behind;
        this.#begin();
        this.#playSlots(happening.played, happening.every);
        // Only this answer shows how long the machine was off.
        this.#answer(0);
        return;
    }
  }
}

export const clockWorld = (start: number, caps: FrequencyCap[], drift = 0) =>
  new ClockWorld(start, caps, drift);
