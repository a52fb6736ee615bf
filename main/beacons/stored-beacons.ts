import type { Beacon } from '../../shared/beacon';
import type { Log } from '../../shared/log';
import { MAX_HOSTS_AT_ONCE, type RecordsOutput } from '../../shared/records';
import { type BeaconHosts, FAR_AHEAD_MS } from './beacon-hosts';
import type { BeaconTries, OutboxParts } from './beacon-tries';
import type { OutboxLedger } from './outbox-ledger';
import { BOOKS_RETRY_MS } from './retry-until-stored';

/** Average time between two stored beacons, ms; at most two are under way, each to a host of its own. */
const DRAIN_PACE_MS = 200;
const DRAIN_AT_ONCE = 2;
/** Spreads the drains of kiosks that start together, ms. */
const START_SPREAD_MS = 2_000;
/** Longest wait until the waiting beacons are checked again, ms, because the clock may jump. */
const MAX_WAIT_MS = 60_000;

export interface StoredBeaconsParts extends OutboxParts {
  readonly hosts: BeaconHosts;
  readonly ledger: OutboxLedger;
  readonly tries: BeaconTries;
  /** Names this run of the kiosk. */
  readonly run: string;
  /** For errors of the books, which may last. */
  readonly booksLog: Log;
}

/** Sends the beacons that wait in the books: host by host, oldest first, at a fixed pace. */
export class StoredBeacons {
  #notBefore = 0;
  #isOpen = false;
  #isAsking = false;
  #underWay = 0;
  #cancelWake: (() => void) | null = null;
  /** The next page of the hosts that the books know begins after this one. */
  #nextHostsAfter = '';

  constructor(private readonly parts: StoredBeaconsParts) {}

  open(): void {
    this.#isOpen = true;
    this.#notBefore = this.parts.clock.monotonic() + this.parts.random() * START_SPREAD_MS;
    this.drain();
  }

  /** Stops taking beacons from the store. */
  end(): void {
    this.#isOpen = false;
    this.#cancelWake?.();
  }

  /** Sends the next due beacon, or waits for it. */
  drain(): void {
    const { hosts, clock, random, ledger } = this.parts;
    if (!this.#isOpen || this.#isAsking || this.#underWay >= DRAIN_AT_ONCE) return;
    const now = clock.monotonic();
    if (now < this.#notBefore) {
      this.#wakeIn(this.#notBefore - now);
      return;
    }
    const host = hosts.next();
    if (host === null) {
      const wait = hosts.wait();
      if (wait !== null) this.#wakeIn(wait);
      return;
    }
    // From half to one and a half times the pace, so that kiosks do not send in step.
    this.#notBefore = now + DRAIN_PACE_MS * (0.5 + random());
    this.#underWay += 1;
    // Beacons stored during the query call `awaits` again.
    const ended = hosts.beginDrain(host);
    void this.#drainOne(host).finally(() => {
      this.#underWay -= 1;
      ended();
      ledger.moved();
    });
  }

  /** Records a page of the hosts that the books know. After the last page, the first one is next. */
  takeHosts(page: RecordsOutput<'waitingHosts'>): void {
    for (const { host, dueAt } of page) this.parts.hosts.awaits(host, dueAt);
    this.#nextHostsAfter = page.length < MAX_HOSTS_AT_ONCE ? '' : (page.at(-1)?.host ?? '');
  }

  /** Loads the next page of hosts, because not all of them may have had room in memory. Call it every minute. */
  async takeMoreHosts(): Promise<void> {
    const { records, clock } = this.parts;
    const query = { after: this.#nextHostsAfter, now: clock.now() };
    this.takeHosts(await records.run('waitingHosts', query));
    this.drain();
  }

  #wakeIn(ms: number): void {
    this.#cancelWake?.();
    this.#cancelWake = this.parts.schedule(Math.min(ms, MAX_WAIT_MS), () => this.drain());
  }

  async #drainOne(host: string): Promise<void> {
    const { tries, clock, mayExpire } = this.parts;
    const beacon = await this.#oldestDue(host);
    this.drain();
    if (!beacon) return;
    // A proof is accepted for weeks, so only a trusted time expires it. A confirmation expires by any clock.
    const isJudged = beacon.policy === 'once' || mayExpire();
    if (isJudged && beacon.expiresAt <= clock.now()) tries.expire(beacon);
    else await tries.send([beacon]);
  }

  async #oldestDue(host: string): Promise<Beacon | null> {
    const { records, hosts, ledger, clock, isTimeTrusted, run, booksLog } = this.parts;
    this.#isAsking = true;
    try {
      const now = clock.now();
      const { due, nextDueAt } = await records.run('dueBeacon', {
        host,
        now,
        farAhead: now + FAR_AHEAD_MS,
        inHand: ledger.idsInHand,
        // After a start the clock may be hours behind, and show a confirmation as a minute old (rule 16).
        ...(isTimeTrusted() ? {} : { onlyRun: run }),
      });
      if (nextDueAt !== null) hosts.awaits(host, nextDueAt);
      if (due) ledger.hold([due]);
      return due;
    } catch (error) {
      booksLog.warn('the outbox waits for the books', { command: 'dueBeacon', error });
      hosts.awaits(host, clock.now());
      this.#notBefore = clock.monotonic() + BOOKS_RETRY_MS;
      return null;
    } finally {
      this.#isAsking = false;
    }
  }
}
