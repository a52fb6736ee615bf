import type { StagePage } from '../stage';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** The frames and timers of a page, on a clock that the test turns. */
export class PretendFrames implements Pick<StagePage, 'next' | 'later' | 'now'> {
  visible = true;
  /** How many frames were asked for. */
  asked = 0;
  /** How late the next timer is, ms. */
  lateness = () => 0;
  #waiting: Array<(now: number) => void> = [];
  #timers: readonly Timer[] = [];

  constructor(readonly now: () => number) {}

  next(run: (now: number) => void): void {
    this.asked += 1;
    this.#waiting.push(run);
  }

  later(ms: number, run: () => void): () => void {
    const timer = { at: this.now() + ms + this.lateness(), run };
    this.#timers = [...this.#timers, timer];
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Runs the timers that are due. */
  runTimers(): void {
    const now = this.now();
    const due = this.#timers.filter(({ at }) => at <= now);
    this.#timers = this.#timers.filter(({ at }) => at > now);
    for (const { run } of due) run();
  }

  /** Runs the timers that are due, then draws a frame. */
  draw(): void {
    this.runTimers();
    const now = this.now();
    for (const run of this.#waiting.splice(0)) run(now);
  }
}
