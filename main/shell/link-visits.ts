import { LINK_BUDGET, startEgressProxy } from '../egress/egress-proxy';
import type { LinkViewParts } from './link-view-parts';
import { createPartitionPool, type Visit } from './partition-pool';
import { restrictDocuments } from './restrict-documents';

/** While one is cleared of a visit's data, the next visit uses the other. */
const PARTITIONS = 2;

interface LinkVisitsParts extends Pick<LinkViewParts, 'egressPolicy' | 'userAgent' | 'schedule' | 'log'> {
  /** Called when the pages of a visit exceed their network budget. */
  readonly onFlood: () => void;
}

/** The visits of shoppers, one at a time: each has a partition in memory and an egress proxy to itself. */
export class LinkVisits {
  readonly #parts: LinkVisitsParts;
  readonly #pool: ReturnType<typeof createPartitionPool>;
  #visit: Promise<Visit> | null = null;

  constructor(parts: LinkVisitsParts) {
    const { userAgent, schedule, log } = parts;
    this.#parts = parts;
    this.#pool = createPartitionPool({
      name: 'link',
      size: PARTITIONS,
      userAgent,
      leaves: 'nothing',
      prepare: restrictDocuments,
      schedule,
      log,
    });
  }

  /** The visit under way, or a new one. */
  enter(): Promise<Visit> {
    const { egressPolicy, schedule, log, onFlood } = this.#parts;
    this.#visit ??= this.#pool.enter((password) =>
      startEgressProxy({
        egressPolicy,
        purpose: 'link',
        password,
        budget: LINK_BUDGET,
        onFlood() {
          log.warn('a page of the link view flooded the network; it was ended');
          onFlood();
        },
        schedule,
        log,
      }),
    );
    return this.#visit;
  }

  isCurrent(visit: Promise<Visit>): boolean {
    return this.#visit === visit;
  }

  leave(): void {
    const ended = this.#visit;
    this.#visit = null;
    ended?.then(
      ({ leave }) => leave(),
      () => {}, // It never began; `enter` has rejected.
    );
  }
}
