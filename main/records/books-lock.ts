/**
 * Makes commands that store single plays, and work that rewrites the books as a whole (a move by the clock, a window
 * that takes over, a check), wait for each other. Both use the counters of their own moment, so neither may overtake
 * the other on its way to the disk; nor may a play be reserved between listing the open plays and using that list.
 */
export class BooksLock {
  readonly #storing = new Set<Promise<unknown>>();
  #underWay: Promise<unknown> | null = null;

  /** Resolves when no rewrite is under way. */
  async whenIdle(): Promise<void> {
    while (this.#underWay !== null) await this.#underWay;
  }

  /** Stores something once no rewrite is under way. */
  storePlay<Result>(work: () => Promise<Result>): Promise<Result> {
    // Listed while it waits: a rewrite that is asked for later waits for it.
    const run = this.#underWay === null ? work() : this.#underWay.then(work);
    this.#storing.add(run);
    return run.finally(() => this.#storing.delete(run));
  }

  /** Runs a rewrite, once everything before it is stored. */
  rewrite<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = Promise.allSettled([this.#underWay, ...this.#storing]).then(work);
    const done = run
      .catch(() => {}) // The caller gets the error from `run`.
      .then(() => {
        if (this.#underWay === done) this.#underWay = null;
      });
    this.#underWay = done;
    return run;
  }
}
