import type { FrequencyCap } from '../../shared/ad';
import type { FlightCounters, RecencyEntry } from '../../shared/books';
import { anAd, onlyMedia } from './ads-for-tests';
import { createDecider, type Decider } from './decider';
import {
  advanceClock,
  type ClockEvent,
  type ClockState,
  carryOutChange,
  readClock,
  startClock,
} from './trusted-clock';

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
   * It answers the same again until it is believed, whoever asks. What that changes takes `slots` slots
   * to prepare, a minute each, in which the kiosk goes on playing.
   */
  | { readonly kind: 'answers'; readonly off: number; readonly slots: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  /**
   * A kill, and a start after so long: the system's clock is behind until the service has answered.
   * Before that the kiosk plays `played` slots, one every `every` ms.
   */
  | {
      readonly kind: 'restart';
      readonly ms: number;
      readonly behind: number;
      readonly played: number;
      readonly every: number;
    };

/** A clock is right when it is off by no more; ms. */
export const RIGHT_MS = 50;

/**
 * A kiosk with one ad, and the real time, which only the world knows: `plays` says when
 * the ad really played.
 *
 * @param drift how much faster than real time the monotonic clock runs
 */
export function clockWorld(start: number, caps: FrequencyCap[], drift = 0) {
  const ad = anAd({ flightId: 'f', frequencyCaps: caps });
  const plays: number[] = [];
  let jumps = 0;
  let restarts = 0;
  let real = start;
  let systemOff = 0;
  let monotonic = 0;
  let ranBefore = 0;
  /** How many slots the next change takes to prepare; null: one is being prepared. */
  let slotsToPrepare: number | null = 0;
  const stored = {
    flight: null as FlightCounters | null,
    recency: [] as RecencyEntry[],
    ran: 0,
    lastPlayAt: 0,
  };
  let clock: ClockState;
  let decider: Decider;

  const sample = () => ({ system: real + systemOff, monotonic });
  const ran = () => ranBefore + monotonic;
  const pass = (ms: number) => {
    real += ms;
    monotonic += ms * (1 + drift);
  };

  function step(event: ClockEvent): void {
    // As in the kiosk: while a change is prepared, nothing else that the clock hears is taken in.
    if (slotsToPrepare === null) return;
    const { state, change: found } = advanceClock(clock, event);
    if (found === null) {
      clock = state;
      return;
    }
    if (found.isJump) jumps += 1;
    const preparing = decider.prepareMove(found, ran());
    let prepared = preparing.next();
    const slots = slotsToPrepare;
    slotsToPrepare = null;
    for (let slot = 0; slot < slots; slot += 1) {
      playSlots(1, 60_000);
      if (!prepared.done) prepared = preparing.next();
    }
    slotsToPrepare = 0;
    while (!prepared.done) prepared = preparing.next();
    const { state: setTo, change } = carryOutChange(clock, { state, change: found }, sample());
    clock = setTo;
    const { flights, recency } = decider.clockChanged(change, ran(), prepared.value);
    const after = change.movesPlaysAfter;
    if (after !== null && stored.lastPlayAt > after) stored.lastPlayAt += change.now - change.before;
    stored.flight = flights[0] ?? stored.flight;
    if (recency.length > 0) stored.recency = [...recency];
  }

  function begin(): void {
    monotonic = 0;
    ranBefore = stored.ran;
    clock = startClock(sample());
    if (stored.lastPlayAt > 0) {
      const opened = advanceClock(clock, {
        kind: 'books-opened',
        lastPlayAt: stored.lastPlayAt,
        sample: sample(),
      });
      clock = opened.state;
    }
    decider = createDecider({
      ads: [ad],
      mediaUrl: onlyMedia,
      weights: {},
      counters: stored.flight === null ? [] : [stored.flight],
      recency: stored.recency,
      sourceMix: { credits: [] },
      running: { at: readClock(clock, sample()), ran: ranBefore, isTrusted: false },
    });
    decider.mediaReady(onlyMedia(ad) ?? '');
  }

  function play(): void {
    step({ kind: 'sampled', sample: sample() });
    const at = readClock(clock, sample());
    const choice = decider.choose(at);
    const reservation = choice && decider.reserve(choice, at);
    if (!reservation) return;
    plays.push(real);
    stored.flight = reservation.persist.counters;
    stored.recency = [reservation.persist.recency];
    stored.ran = ran();
    stored.lastPlayAt = Math.max(stored.lastPlayAt, at);
    step({ kind: 'play-stored', at, sample: sample() });
  }

  function playSlots(slots: number, every: number): void {
    for (let slot = 0; slot < slots; slot += 1) {
      play();
      pass(every);
    }
  }

  function answer(off: number): void {
    step({ kind: 'answered', serverTime: real + off, monotonicAtReceipt: monotonic, sample: sample() });
  }

  function happen(happening: Happening): void {
    switch (happening.kind) {
      case 'play':
        playSlots(happening.slots, happening.every);
        return;
      case 'pass':
        pass(happening.ms);
        return;
      case 'system-set':
        systemOff = happening.off;
        step({ kind: 'sampled', sample: sample() });
        return;
      case 'answer':
        answer(happening.off);
        return;
      case 'answers':
        for (let times = 0; times < 3; times += 1) {
          slotsToPrepare = happening.slots;
          answer(happening.off);
          slotsToPrepare = 0;
          playSlots(4, 15_000);
        }
        return;
      case 'sleep':
        real += happening.ms;
        step({ kind: 'resumed', sample: sample() });
        return;
      case 'restart':
        // What a wrong clock has stamped, no later run can tell from time that the machine was off.
        if (Math.abs(readClock(clock, sample()) - real) > RIGHT_MS) return;
        restarts += 1;
        real += happening.ms;
        systemOff = -happening.behind;
        begin();
        playSlots(happening.played, happening.every);
        // Nothing but this tells how long the machine was off.
        answer(0);
        return;
    }
  }

  begin();
  answer(0);
  return {
    happen,
    /** When the ad really played, ms since the epoch, ascending. */
    plays: () => plays as readonly number[],
    jumps: () => jumps,
    restarts: () => restarts,
    counters: () => stored.flight,
    now: () => readClock(clock, sample()),
  };
}
