import type { Clock } from '../../shared/clock';
import {
  ASK_AGAIN_MS,
  advanceClock,
  type ClockChange,
  type ClockState,
  readClock,
  startClock,
} from '../decisioning/trusted-clock';
import { systemNow } from './system-now';

export interface DecidedClock extends Clock {
  /** The machine's own clock, ms since the epoch. */
  systemNow(): number;
  /** A validated answer of the service told its time (rule 10). */
  trust(serverTime: { readonly at: number; readonly monotonic: number }): void;
  /** The newest stored play of earlier runs: without trusted time the clock is never behind it. */
  booksOpened(lastPlayAt: number): void;
  /** A play was stored with this time. */
  playStored(at: number): void;
  /** Looks whether the system's clock was set; to be called every few seconds. */
  sample(): void;
  /** The machine woke up. */
  resumed(): void;
  /** When trusted time was last heard, ms since the epoch, or null. */
  lastTrustedAt(): number | null;
  /** Called when the clock was set, before anybody is told another time. */
  onChange(listener: (change: ClockChange) => void): void;
  /** Called when the service is to be asked again in so many ms: its time deviates, and a second answer decides. */
  onAskAgain(listener: (inMs: number) => void): void;
}

/** The one place where the machine's clocks are read; everything else is told the time. */
export function createDecidedClock(
  system: () => number = systemNow,
  monotonic: () => number = () => performance.now(),
): DecidedClock {
  const sampled = () => ({ system: system(), monotonic: monotonic() });
  let state: ClockState = startClock(sampled());
  let lastTrustedAt: number | null = null;
  let changed: (change: ClockChange) => void = () => {};
  let askAgain: (inMs: number) => void = () => {};

  function step(event: Parameters<typeof advanceClock>[1]): void {
    const next = advanceClock(state, event);
    state = next.state;
    if (next.change !== null) changed(next.change);
    if (next.askAgain) askAgain(ASK_AGAIN_MS);
  }

  return {
    now: () => readClock(state, sampled()),
    monotonic,
    systemNow: system,
    trust({ at, monotonic: heardAt }) {
      step({ kind: 'answered', serverTime: at, monotonicAtReceipt: heardAt, sample: sampled() });
      lastTrustedAt = readClock(state, sampled());
    },
    booksOpened: (lastPlayAt) => step({ kind: 'books-opened', lastPlayAt, sample: sampled() }),
    playStored: (at) => step({ kind: 'play-stored', at, sample: sampled() }),
    sample: () => step({ kind: 'sampled', sample: sampled() }),
    resumed: () => step({ kind: 'resumed', sample: sampled() }),
    lastTrustedAt: () => lastTrustedAt,
    onChange(listener) {
      changed = listener;
    },
    onAskAgain(listener) {
      askAgain = listener;
    },
  };
}
