import type { Beacon } from '../../shared/beacon';
import type { BeaconHosts } from './beacon-hosts';
import type { BeaconTries } from './beacon-tries';
import type { OutboxLedger } from './outbox-ledger';

/** Live beacons under way at once; further ones wait in the books. */
const LIVE_AT_ONCE = 32;

/** Sends new beacons at once, in the order of each play; those that cannot be sent now stay in the books. */
export class LiveBeacons {
  readonly #queues = new Map<string, Promise<void>>();
  #underWay = 0;

  constructor(
    private readonly hosts: BeaconHosts,
    private readonly ledger: OutboxLedger,
    private readonly tries: BeaconTries,
  ) {}

  /** @param queue lists of the same queue are sent one after the other */
  send(queue: string, beacons: readonly Beacon[]): void {
    const before = this.#queues.get(queue) ?? Promise.resolve();
    const done = before
      .then(() => this.#sendNow(beacons))
      .then(() => {
        if (this.#queues.get(queue) === done) this.#queues.delete(queue);
        this.ledger.moved();
      });
    this.#queues.set(queue, done);
  }

  async #sendNow(beacons: readonly Beacon[]): Promise<void> {
    const live = beacons.filter((beacon) => {
      const isLive =
        this.#underWay < LIVE_AT_ONCE &&
        this.hosts.answers(beacon.host) &&
        !this.ledger.isBehindOthers(beacon);
      if (isLive) this.#underWay += 1;
      else this.ledger.leaveInStore(beacon, beacon.dueAt);
      return isLive;
    });
    try {
      await this.tries.send(live);
    } finally {
      this.#underWay -= live.length;
    }
  }
}
