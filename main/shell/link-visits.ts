import { LINK_BUDGET } from '../egress/egress-proxy';
import type { LinkViewParts } from './link-view-parts';
import { createPartitionPool, type Visit } from './partition-pool';
import { restrictDocuments } from './restrict-documents';

/** While one is cleared of a visit's data, the next visit uses the other. */
const PARTITIONS = 2;

/**
 * The visits of shoppers, one at a time: each has a partition in memory and an egress proxy to itself.
 *
 * @param onFlood called when the pages of a visit exceed their network budget
 */
export function createLinkVisits(
  { egressPolicy, userAgent, schedule, log }: LinkViewParts,
  onFlood: () => void,
) {
  const pool = createPartitionPool({
    name: 'link',
    size: PARTITIONS,
    userAgent,
    leaves: 'nothing',
    prepare: restrictDocuments,
    schedule,
    log,
  });
  let visit: Promise<Visit> | null = null;
  return {
    /** The visit under way, or a new one. */
    enter(): Promise<Visit> {
      visit ??= pool.enter({
        egressPolicy,
        purpose: 'link',
        budget: LINK_BUDGET,
        onFlood() {
          log.warn('a page of the link view flooded the network; it was ended');
          onFlood();
        },
      });
      return visit;
    },
    isCurrent: (entered: Promise<Visit>) => visit === entered,
    leave() {
      const ended = visit;
      visit = null;
      ended?.then(
        ({ leave }) => leave(),
        () => {}, // It never began; `enter` has rejected.
      );
    },
  };
}
