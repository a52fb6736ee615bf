import type { Job } from './download-places';

/** A download keeps its place for so long while others wait, ms (rule 31). */
const TURN_MS = 10 * 60_000;
/**
 * Of one that cannot be continued each turn is twice the last, up to this: else a slow line would never bring it.
 * Only files that had a turn before wait for so long, so that endless ones do not keep new files out for hours.
 */
const LONGEST_TURN_MS = 16 * TURN_MS;

/** Which downloads had a turn, and which made way for others. */
export class DownloadTurns {
  /** Turns of the files that made way for others and are not there yet; the one that waits longest is first. */
  readonly #yielded = new Map<string, number>();
  /** Files that had a place once and are not there yet. */
  readonly #had = new Set<string>();

  /** The one that waits longest is first. */
  get yielded(): string[] {
    return [...this.#yielded.keys()];
  }

  hasYielded(url: string): boolean {
    return this.#yielded.has(url);
  }

  /** When the turn of a file that has a place now ends, monotonic ms. @param goesOn from what an earlier turn left */
  begin(url: string, goesOn: boolean, now: number): Pick<Job, 'turnEndsAt' | 'firstTurnEndsAt'> {
    this.#had.add(url);
    const turns = goesOn ? 0 : (this.#yielded.get(url) ?? 0);
    return {
      turnEndsAt: now + Math.min(TURN_MS * 2 ** turns, LONGEST_TURN_MS),
      firstTurnEndsAt: now + TURN_MS,
    };
  }

  /**
   * The download whose turn ended first makes way for one that waits, and goes on behind the
   * others; while none has ended, answers in how many ms one does.
   */
  endFirst(running: readonly Job[], waiting: string, now: number): number {
    const endOf = ({ turnEndsAt, firstTurnEndsAt }: Job) =>
      this.#had.has(waiting) ? turnEndsAt : firstTurnEndsAt;
    const [first] = running.toSorted((a, b) => endOf(a) - endOf(b));
    if (!first) return Number.POSITIVE_INFINITY;
    const leftMs = endOf(first) - now;
    if (leftMs > 0) return leftMs;
    const turns = (this.#yielded.get(first.url) ?? 0) + 1;
    this.#yielded.delete(first.url);
    this.#yielded.set(first.url, turns);
    first.hasYielded = true;
    first.abort.abort();
    return Number.POSITIVE_INFINITY;
  }

  ended(url: string, isThere: boolean): void {
    this.#yielded.delete(url);
    if (isThere) this.#had.delete(url);
  }

  keepOnly(needs: { has(url: string): boolean }): void {
    for (const url of this.#yielded.keys()) if (!needs.has(url)) this.#yielded.delete(url);
    for (const url of this.#had) if (!needs.has(url)) this.#had.delete(url);
  }
}
