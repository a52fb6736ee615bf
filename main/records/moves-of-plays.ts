import type { FlightCounters, RecencyEntry } from '../../shared/books';

/** Plays that moved because the clock was set; times in ms since the epoch. */
export interface PlaysMoved {
  readonly after: number;
  readonly by: number;
  /** What the clock shows since. */
  readonly now: number;
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/**
 * Lets what stores plays one by one and moves of all of them wait for each other: both sides
 * hold counters as of their own moment, and neither may overtake the other on its way to the disk.
 */
export class MovesOfPlays {
  readonly #storing = new Set<Promise<unknown>>();
  #moving: Promise<unknown> | null = null;

  /** Resolves when no move is under way. */
  async over(): Promise<void> {
    while (this.#moving !== null) await this.#moving;
  }

  async between<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#moving !== null) await this.#moving;
    const run = work();
    this.#storing.add(run);
    return run.finally(() => this.#storing.delete(run));
  }

  alone(work: () => Promise<void>): Promise<void> {
    const run = Promise.allSettled([this.#moving, ...this.#storing]).then(work);
    const done = run
      .catch(() => {}) // Told to the one who asked.
      .then(() => {
        if (this.#moving === done) this.#moving = null;
      });
    this.#moving = done;
    return run;
  }
}
