import type { RoomSeeker } from './make-room';

/** How long a download keeps its place while others wait, ms (rule 31). */
const TURN_MS = 10 * 60_000;
/**
 * Longest turn, ms. The turn of a file that cannot be continued doubles each time, up to this; otherwise a
 * slow line would never complete it. Only files that already had a turn wait this long, so that endless
 * downloads do not delay new files for hours.
 */
const LONGEST_TURN_MS = 16 * TURN_MS;

/** A download under way. */
export interface Job extends RoomSeeker {
  readonly url: string;
  /** `refresh`: the file is stored, and the server is asked for a newer version. */
  readonly purpose: 'fetch' | 'refresh';
  readonly abort: AbortController;
  /** When it yields its place to a file that had a turn before, monotonic ms. */
  readonly turnEndsAt: number;
  /** When it yields its place to a file that never had a turn, monotonic ms. */
  readonly firstTurnEndsAt: number;
  /** Whether it yielded its place. */
  hasYielded: boolean;
  writtenBytes: number;
}

/** Which downloads had a turn, and which of them yielded their place. */
export class DownloadTurns {
  /** How many turns each file had that yielded and is not stored yet; the longest waiting first. */
  readonly #yielded = new Map<string, number>();
  readonly #had = new Set<string>();

  /** The longest waiting first. */
  get yielded(): string[] {
    return [...this.#yielded.keys()];
  }

  hasYielded(url: string): boolean {
    return this.#yielded.has(url);
  }

  /**
   * Starts a file's turn. Returns when it ends, monotonic ms. @param goesOn it continues the part of an
   * earlier turn
   */
  begin(url: string, goesOn: boolean, now: number): Pick<Job, 'turnEndsAt' | 'firstTurnEndsAt'> {
    this.#had.add(url);
    const turns = goesOn ? 0 : (this.#yielded.get(url) ?? 0);
    return {
      turnEndsAt: now + Math.min(TURN_MS * 2 ** turns, LONGEST_TURN_MS),
      firstTurnEndsAt: now + TURN_MS,
    };
  }

  /**
   * Interrupts the download whose turn ended first. If no turn has ended, returns the time until the first
   * one ends, ms.
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
