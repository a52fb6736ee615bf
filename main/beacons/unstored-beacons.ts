import type { ConfirmingParts } from './confirming';
import { type Firing, sizeOf, storedTogether } from './firing';
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
  #isOpen = false;
  #isStoring = false;

  constructor(private readonly parts: Omit<ConfirmingParts, 'tries'>) {}

  get count(): number {
    return sizeOf(this.#firings).beacons;
  }

  get isAllStored(): boolean {
    return this.#firings.length === 0 && !this.#isStoring;
  }

  keep(firings: readonly Firing[]): void {
    const earlier = this.#firings.length;
    this.#firings.push(...firings);
    this.parts.ledger.pending(sizeOf(firings).beacons);
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
    let { beacons, bytes } = sizeOf(this.#firings);
    let dropped = 0;
    for (const oldest of this.#firings.slice(0, droppable)) {
      if (beacons <= MOST_UNSTORED && bytes <= MOST_UNSTORED_BYTES) break;
      beacons -= oldest.asked.length;
      bytes -= oldest.bytes;
      dropped += 1;
    }
    const lost = sizeOf(this.#firings.splice(0, dropped)).beacons;
    if (lost > 0) this.parts.ledger.lose(lost, 'the books cannot store beacons');
  }

  async #store(): Promise<void> {
    const { retryUntilStored, ledger, live, newId } = this.parts;
    if (this.#isStoring || !this.#isOpen) return;
    this.#isStoring = true;
    while (this.#firings.length > 0) {
      const batch = this.#firings
        .splice(0, storedTogether(this.#firings))
        .map(({ play, asked, occasion }) => ({ play, beacons: newBeacons(asked, occasion, newId) }));
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
}
