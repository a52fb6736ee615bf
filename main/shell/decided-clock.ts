import type { Clock } from '../../shared/clock';
import { advanceClock, type ClockState, readClock, startClock } from '../decisioning/trusted-clock';
import { systemNow } from './system-now';

export interface DecidedClock extends Clock {
  /** The machine's own clock, ms since the epoch. */
  systemNow(): number;
  /** A validated answer of the service told its time (rule 10). */
  trust(serverTime: { readonly at: number; readonly monotonic: number }): void;
  /** The newest stored play: without trusted time the clock is never behind it. */
  playStored(at: number): void;
  /** Looks whether one of the clocks jumped; to be called every few seconds. */
  sample(): void;
  /** The machine woke up. */
  resumed(): void;
  /** When trusted time was last heard, ms since the epoch, or null. */
  lastTrustedAt(): number | null;
  /** Called with the time that plays stamped after it are to be moved to. */
  onRestamp(listener: (to: number) => void): void;
}

/** The one place where the machine's clocks are read; everything else is told the time. */
export function createDecidedClock(
  system: () => number = systemNow,
  monotonic: () => number = () => performance.now(),
): DecidedClock {
  const sampled = () => ({ system: system(), monotonic: monotonic() });
  let state: ClockState = startClock(null, sampled());
  let lastTrustedAt: number | null = null;
  let restamp: (to: number) => void = () => {};

  function step(event: Parameters<typeof advanceClock>[1]): void {
    const next = advanceClock(state, event);
    state = next.state;
    if (next.restampTo !== null) restamp(next.restampTo);
  }

  return {
    now: () => readClock(state, sampled()),
    monotonic,
    systemNow: system,
    trust({ at, monotonic: heardAt }) {
      step({ kind: 'answered', serverTime: at, monotonicAtReceipt: heardAt, sample: sampled() });
      lastTrustedAt = readClock(state, sampled());
    },
    playStored: (at) => step({ kind: 'play-stored', at, sample: sampled() }),
    sample: () => step({ kind: 'sampled', sample: sampled() }),
    resumed: () => step({ kind: 'resumed', sample: sampled() }),
    lastTrustedAt: () => lastTrustedAt,
    onRestamp(listener) {
      restamp = listener;
    },
  };
}
