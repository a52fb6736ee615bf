import type { Log } from '../../shared/log';
import type { Fence } from '../service/fence/fence';
import { startFenceProxy } from '../service/fence/fence-proxy';
import { LINK_BUDGET } from '../service/fence/request-budget';
import type { Schedule } from '../service/schedule';
import { holdDocuments } from './held-documents';
import { createPartitionPool, type Visit } from './partition-pool';

/** While one is cleared of its shopper, the next shopper has the other. */
const PARTITIONS = 2;

export interface LinkVisitsParts {
  readonly fence: Fence;
  /** That of the ad whose link is followed (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly log: Log;
  /** Its pages asked for too much. */
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
      prepare: holdDocuments,
      schedule,
      log,
    });
  }

  /** The visit under way, or a new one. */
  enter(): Promise<Visit> {
    const { fence, schedule, log, onFlood } = this.#parts;
    this.#visit ??= this.#pool.enter((password) =>
      startFenceProxy({
        fence,
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
      () => {}, // It never began, and whoever waited for it has heard of that.
    );
  }
}
