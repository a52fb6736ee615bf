import type { SourceMixState } from '../../shared/books';
import { creditsAfter, nextSource, type SourceInPlaylist, sourceShares } from './source-mix';

/** When more sources than this have left the playlist, the credits of all of them are forgotten. */
const MAX_ABSENT_SOURCES = 256;

/** What each source earned by a slot, so that it can be given back. */
export interface Charge {
  readonly sources: readonly SourceInPlaylist[];
  readonly earned: Float64Array;
}

/** The credits of the source mix (rule 9), of sources in the playlist and of those that left it. */
export class SourceCredits {
  #weights: Readonly<Record<string, number>>;
  readonly #absent: Map<string, number>;
  #sources: readonly SourceInPlaylist[] = [];
  #indexOf: ReadonlyMap<string, number> = new Map();
  #shares: readonly number[] = [];
  #credits: Float64Array = new Float64Array();

  /** @param weights `ads.sourceWeights` of the settings */
  constructor(stored: SourceMixState, weights: Readonly<Record<string, number>>) {
    this.#weights = weights;
    this.#absent = new Map(stored.credits.map(({ sourceId, credit }) => [sourceId, credit]));
  }

  setPlaylist(sources: readonly SourceInPlaylist[], indexOf: ReadonlyMap<string, number>): void {
    const credits = new Float64Array(sources.length);
    for (const [source, { sourceId }] of sources.entries()) {
      const before = this.#indexOf.get(sourceId);
      credits[source] = (before === undefined ? this.#absent.get(sourceId) : this.#credits[before]) ?? 0;
      this.#absent.delete(sourceId);
    }
    for (const [source, { sourceId }] of this.#sources.entries()) {
      if (!indexOf.has(sourceId)) this.#absent.set(sourceId, this.#credits[source] ?? 0);
    }
    // An empty playlist does not mean that its sources left: at the start, the books are read before it.
    if (sources.length > 0 && this.#absent.size > MAX_ABSENT_SOURCES) this.#absent.clear();
    this.#sources = sources;
    this.#indexOf = indexOf;
    this.#credits = credits;
    this.#shares = sourceShares(sources, this.#weights);
  }

  /** Changes the shares of the slots; the credits stay. */
  weigh(weights: Readonly<Record<string, number>>): void {
    this.#weights = weights;
    this.#shares = sourceShares(this.#sources, weights);
  }

  /** The index of the contender whose turn it is, or −1 without one. */
  next(contenders: readonly number[]): number {
    return nextSource({ contenders, shares: this.#shares, credits: this.#credits });
  }

  /** Charges a source for a slot that `contenders` could have had. A source outside the playlist pays nothing. */
  charge(sourceId: string, contenders: readonly number[]): Charge {
    const sources = this.#sources;
    const source = this.#indexOf.get(sourceId);
    if (source === undefined) return { sources, earned: new Float64Array(sources.length) };
    const all = contenders.includes(source) ? contenders : [...contenders, source];
    const credits = this.#credits;
    const after = creditsAfter({ contenders: all, shares: this.#shares, credits }, source);
    this.#credits = after;
    return { sources, earned: after.map((credit, index) => credit - (credits[index] ?? 0)) };
  }

  refund({ sources, earned }: Charge): void {
    for (const [index, { sourceId }] of sources.entries()) {
      const amount = earned[index] ?? 0;
      const source = this.#indexOf.get(sourceId);
      if (source !== undefined) this.#credits[source] = (this.#credits[source] ?? 0) - amount;
      else if (this.#absent.has(sourceId)) {
        this.#absent.set(sourceId, (this.#absent.get(sourceId) ?? 0) - amount);
      }
    }
  }

  /** Returns a function that restores the present credits exactly. In between, only `charge` may be called. */
  remember(): () => void {
    const credits = this.#credits;
    return () => {
      this.#credits = credits;
    };
  }

  stored(): SourceMixState {
    const present = this.#sources.map(({ sourceId }, source) => ({
      sourceId,
      credit: this.#credits[source] ?? 0,
    }));
    return {
      credits: [...present, ...[...this.#absent].map(([sourceId, credit]) => ({ sourceId, credit }))],
    };
  }
}
