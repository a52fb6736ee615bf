import type { ConfirmingParts } from './confirming';
import { type Firing, storedTogether } from './firing';
import { newBeacons } from './new-beacons';

/**
 * Most beacons in memory while the books cannot store any, besides the latest event's. Older ones are
 * dropped, and counted as lost.
 */
const MOST_UNSTORED = 5_000;
const MOST_UNSTORED_BYTES = 33_554_432;

/** Stores beacons in the order of their events, several in one transaction, and then sends them. */
export class UnstoredBeacons {
  readonly #firings: Firing[] = [];
  #beacons = 0;
  #bytes = 0;
  #isOpen = false;
  #isStoring = false;

  constructor(private readonly parts: Omit<ConfirmingParts, 'tries'>) {}

  get count(): number {
    return this.#beacons;
  }

  get isAllStored(): boolean {
    return this.#firings.length === 0 && !this.#isStoring;
  }

  keep(firings: readonly Firing[]): void {
    const earlier = this.#firings.length;
    for (const firing of firings) {
      this.#firings.push(firing);
      this.#noteSize(firing, 1);
      this.parts.ledger.pending(firing.asked.length);
    }
    this.#dropOldest(earlier);
    // Deferred, because the slot must not wait.
    queueMicrotask(() => void this.#store());
  }

  /** Starts to store: the books are ready. */
  open(): void {
    this.#isOpen = true;
    void this.#store();
  }

  /**
   * While there are too many, drops the oldest of the first `droppable` firings. The latest event stays
   * complete.
   */
  #dropOldest(droppable: number): void {
    let dropped = 0;
    for (let left = droppable; left > 0 && this.#isTooMuch(); left -= 1) {
      const oldest = this.#firings.shift();
      if (!oldest) break;
      this.#noteSize(oldest, -1);
      dropped += oldest.asked.length;
    }
    if (dropped > 0) this.parts.ledger.lose(dropped, 'the books cannot store beacons');
  }

  #isTooMuch(): boolean {
    return this.#beacons > MOST_UNSTORED || this.#bytes > MOST_UNSTORED_BYTES;
  }

  #noteSize({ asked, bytes }: Firing, sign: 1 | -1): void {
    this.#beacons += sign * asked.length;
    this.#bytes += sign * bytes;
  }

  async #store(): Promise<void> {
    const { retryUntilStored, ledger, live, newId } = this.parts;
    if (this.#isStoring || !this.#isOpen) return;
    this.#isStoring = true;
    while (this.#firings.length > 0) {
      const batch = this.#takeBatch().map(({ play, asked, occasion }) => ({
        play,
        beacons: newBeacons(asked, occasion, newId),
      }));
      const beacons = batch.flatMap((firing) => firing.beacons);
      ledger.hold(beacons);
      try {
        await retryUntilStored('storeBeacons', () => ({ beacons }));
        for (const firing of batch) live.send(firing.play ?? firing.beacons[0]?.id ?? '', firing.beacons);
      } catch (error) {
        ledger.letGo(beacons);
        ledger.lose(beacons.length, 'the books refuse them', error);
      }
    }
    this.#isStoring = false;
    ledger.moved();
  }

  #takeBatch(): Firing[] {
    const batch = this.#firings.splice(0, storedTogether(this.#firings));
    for (const firing of batch) this.#noteSize(firing, -1);
    return batch;
  }
}
