/** Of so many latest starts the slowest counts. */
const REMEMBERED = 8;
const LEAST_MS = 34;
const MOST_MS = 250;
const AT_FIRST_MS = 80;

/**
 * How long before its slot a video has to be started so that it moves when the
 * slot begins: learnt from how long the latest ones took.
 */
export class RunUp {
  readonly #took: number[] = [];

  /** A video moved `ms` after it was started. */
  learn(ms: number): void {
    this.#took.push(ms);
    if (this.#took.length > REMEMBERED) this.#took.shift();
  }

  get ms(): number {
    if (this.#took.length === 0) return AT_FIRST_MS;
    return Math.min(MOST_MS, Math.max(LEAST_MS, ...this.#took));
  }
}
