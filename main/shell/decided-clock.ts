import { DAY_MS } from '../../shared/clock';
import {
  ASK_AGAIN_MS,
  advanceClock,
  type ClockChange,
  type ClockEvent,
  type ClockState,
  carryOutChange,
  readClock,
  startClock,
} from '../decisions/trusted-clock';

export type DecidedClock = ReturnType<typeof createDecidedClock>;

/**
 * Sets the clock. In the same turn, before anything reads the new time, it calls `follow` with the change as of now.
 * Call it once.
 */
export type CarryOut = (follow: (change: ClockChange) => void) => void;

/** Longest time awake between a report that the machine is about to sleep and the one that it woke up, ms. */
const LATE_REPORT_MS = 60_000;

type WithoutSample<Event> = Event extends ClockEvent ? Omit<Event, 'sample'> : never;
/** An event for the clock; both clocks are read when it is applied. */
type Heard = WithoutSample<ClockEvent>;

/** The one place where the machine's clocks are read; all other parts read this clock. */
export function createDecidedClock(
  system: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
) {
  const sampled = () => ({ system: system(), monotonic: monotonic() });
  let state: ClockState = startClock(sampled());
  let lastTrustedAt: number | null = null;
  let changed = (_found: ClockChange, carryOut: CarryOut): void => carryOut(() => {});
  let askAgain: (inMs: number) => void = () => {};
  /** Events since a change that is not carried out yet; null: there is no such change. */
  let waiting: Heard[] | null = null;
  const whenSettled: (() => void)[] = [];
  /** Until this monotonic time, ms, the machine may have slept without a report that it woke up. */
  let asleepUntil = Number.NEGATIVE_INFINITY;
  /** When the service last set it forward by more than a day, monotonic ms. */
  let setAheadAt = Number.NEGATIVE_INFINITY;
  /** How long it has slept in this run, ms. */
  let sleptMs = 0;
  const now = () => readClock(state, sampled());

  function step(heard: Heard): void {
    // It wakes up a moment before that is reported. Whatever comes in between must not hide how long it slept.
    if (monotonic() < asleepUntil && heard.kind !== 'resumed') step({ kind: 'resumed' });
    if (waiting !== null) {
      waiting.push(heard);
      return;
    }
    const next = advanceClock(state, { ...heard, sample: sampled() });
    if (next.askAgain) askAgain(ASK_AGAIN_MS);
    const { change } = next;
    if (change === null) {
      take(heard, next.state);
      return;
    }
    waiting = [];
    changed(change, (follow) => {
      const carriedOut = carryOutChange(state, { state: next.state, change }, sampled());
      const since = waiting ?? [];
      waiting = null;
      take(heard, carriedOut.state);
      const aheadMs = carriedOut.change.now - carriedOut.change.before;
      if (heard.kind === 'resumed') sleptMs += aheadMs;
      if (heard.kind === 'answered' && aheadMs > DAY_MS) setAheadAt = monotonic();
      follow(carriedOut.change);
      // Wake-ups first: the others read both clocks only now, and a sleep before that would be lost.
      const wakeUps = since.filter(({ kind }) => kind === 'resumed');
      const others = since.filter(({ kind }) => kind !== 'resumed');
      for (const one of [...wakeUps, ...others]) step(moved(one, change));
      if (waiting !== null) return;
      for (const resolve of whenSettled.splice(0)) resolve();
    });
  }

  function take(heard: Heard, next: ClockState): void {
    state = next;
    if (heard.kind === 'answered') lastTrustedAt = readClock(state, sampled());
  }

  /** Whether the service has told the time in this run. */
  const isTrusted = () => lastTrustedAt !== null;

  return {
    now,
    monotonic,
    /** For what ends by itself: its monotonic time goes on while the machine sleeps. */
    throughSleep: { now, monotonic: () => monotonic() + sleptMs, isTrusted },
    /** The machine's own clock, ms since the epoch. */
    systemNow: system,
    /** Takes the time of a validated answer of the service (rule 10). */
    trust: ({ at, monotonic: monotonicAtReceipt }: { readonly at: number; readonly monotonic: number }) =>
      step({ kind: 'answered', serverTime: at, monotonicAtReceipt }),
    /** Resolves when everything that the clock was told so far is in force. */
    settled: () => new Promise<void>((resolve) => (waiting === null ? resolve() : whenSettled.push(resolve))),
    /** Sets the newest stored play of earlier runs: without trusted time the clock never shows an earlier time. */
    booksOpened: (lastPlayAt: number) => step({ kind: 'books-opened', lastPlayAt }),
    playStored: (at: number) => step({ kind: 'play-stored', at }),
    /** Checks whether the system's clock was set; call it every few seconds. */
    sample: () => step({ kind: 'sampled' }),
    /** The machine is about to sleep. */
    fallsAsleep() {
      step({ kind: 'sampled' });
      asleepUntil = monotonic() + LATE_REPORT_MS;
    },
    /** The machine is awake again. */
    resumed() {
      asleepUntil = Number.NEGATIVE_INFINITY;
      step({ kind: 'resumed' });
    },
    isTrusted,
    /**
     * Whether what is late by this time may be given up for good: it is trusted, and the service has not set it forward by
     * more than a day within the last day of running time. Within that day it may take a wrong time back.
     */
    isTrustedToExpire: () => isTrusted() && monotonic() - setAheadAt >= DAY_MS,
    /** When trusted time was last received, ms since the epoch, or null. */
    lastTrustedAt: () => lastTrustedAt,
    /**
     * Called when the clock has to be set, or is trusted from now on. The listener calls `carryOut` once everything
     * that depends on the clock is prepared. Until then the clock goes on as before, and further events wait.
     */
    onChange(listener: (found: ClockChange, carryOut: CarryOut) => void) {
      changed = listener;
    },
    /** Called when the service must be asked again after `inMs` ms: its time deviates, and a second answer decides. */
    onAskAgain(listener: (inMs: number) => void) {
      askAgain = listener;
    },
  };
}

/** Shifts the time of a play that was stored before the change was carried out, as the change does for stored plays. */
function moved(heard: Heard, { before, now, movesPlaysAfter }: ClockChange): Heard {
  if (heard.kind !== 'play-stored' || movesPlaysAfter === null || heard.at <= movesPlaysAfter) return heard;
  return { ...heard, at: heard.at + now - before };
}
