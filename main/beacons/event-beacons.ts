import type { Beacon } from '../../shared/beacon';
import type { BeaconHosts } from './beacon-hosts';
import type { BeaconTries } from './beacon-tries';
import { mustNotRepeat } from './delivery-policy';
import { type AskedBeacon, type AskedPart, type BeaconOccasion, newBeacons } from './new-beacons';
import type { OutboxLedger } from './outbox-ledger';
import type { RetryUntilStored } from './retry-until-stored';

/**
 * Most beacons in memory while the books cannot store any, besides the latest event's. Others are dropped, and
 * counted as lost.
 */
const MAX_UNSTORED = 5_000;
const MAX_UNSTORED_BYTES = 33_554_432;
/** Live beacons under way at once; further ones wait in the books. */
const LIVE_AT_ONCE = 32;

/** Beacons of one event, or a part of them, that are stored and sent together. */
export interface Firing extends AskedPart<AskedBeacon> {
  readonly play: string | null;
  readonly occasion: BeaconOccasion;
}

/** Stores the beacons of new events in their order, and then sends them at once, in the order of each play. */
export class EventBeacons {
  readonly #firings: Firing[] = [];
  /** The lists of each play, or of each kind of an instance, that are being sent, one after the other. */
  readonly #queues = new Map<string, Promise<void>>();
  #isOpen = false;
  #isStoring = false;
  #underWay = 0;

  constructor(
    private readonly parts: {
      readonly retryUntilStored: RetryUntilStored;
      readonly hosts: BeaconHosts;
      readonly ledger: OutboxLedger;
      readonly tries: BeaconTries;
      readonly newId: () => string;
    },
  ) {}

  /** Fired beacons that are not stored yet. */
  get unstored(): number {
    return sizeOf(this.#firings).beacons;
  }

  get isAllStored(): boolean {
    return this.#firings.length === 0 && !this.#isStoring;
  }

  fire(firings: readonly Firing[]): void {
    const earlier = this.#firings.length;
    this.#firings.push(...firings);
    this.parts.ledger.addPending(sizeOf(firings).beacons);
    this.#dropSurplus(earlier);
    // Deferred, because the slot must not wait.
    queueMicrotask(() => void this.#store());
  }

  /** Starts to store: the books are ready. */
  open(): void {
    this.#isOpen = true;
    void this.#store();
  }

  /**
   * Confirms an event, once for ever (rule 16); see `Outbox.confirmOnce`.
   * @param askedParts the beacons of the event, in parts that each fit into one command
   * @param inTime whether storing may still be retried
   */
  async confirm(
    instance: string,
    occasion: BeaconOccasion,
    askedParts: ReadonlyArray<AskedPart<AskedBeacon>>,
    inTime: () => boolean,
  ): Promise<boolean> {
    const { retryUntilStored, ledger, newId } = this.parts;
    // The same in each repetition of the command, so that a repetition does not count as an earlier confirmation.
    const by = newId();
    const { event: kind, moment } = occasion;
    for (const [index, { asked }] of askedParts.entries()) {
      const beacons = newBeacons(asked, occasion, newId);
      ledger.addPending(beacons.length);
      const store = async (stored: Beacon[]) => {
        if (index === 0)
          return retryUntilStored(
            'confirmOnce',
            () => ({ instance, kind, by, at: moment.at, beacons: stored }),
            inTime,
          );
        await retryUntilStored('storeBeacons', () => ({ beacons: stored }), inTime);
        return true;
      };
      // Only the events of a video are sent in their order. Impressions and clicks go out in real time (rule 16).
      const queue = `${kind.startsWith('vast-') ? 'vast' : kind} of ${instance}`;
      const isStored = await this.#storeAndSend(queue, beacons, store, 'the books took no confirmation');
      if (index === 0 && !isStored) return false;
      if (!isStored) continue;
      for (const [place, beacon] of beacons.entries()) {
        const from = asked[place];
        if (from && 'script' in from) void this.parts.tries.runScript(beacon, from.script);
      }
    }
    return true;
  }

  /**
   * While there are too many, drops one of the first `droppable` firings: always the newest one of the play that
   * holds most of both limits, so that an ad loses its own and not those of others, and a play keeps its impression
   * longest. The latest event stays complete.
   */
  #dropSurplus(droppable: number): void {
    const kept = this.#firings.slice(0, droppable);
    let { beacons, bytes } = sizeOf(kept);
    const isTooMuch = () => beacons > MAX_UNSTORED || bytes > MAX_UNSTORED_BYTES;
    if (!isTooMuch()) return;
    const before = beacons;
    const held = new Map<string | null, number>();
    const shareOf = (firing: Firing) =>
      firing.asked.length / MAX_UNSTORED + firing.bytes / MAX_UNSTORED_BYTES;
    for (const firing of kept) held.set(firing.play, (held.get(firing.play) ?? 0) + shareOf(firing));
    while (isTooMuch()) {
      const [play] = [...held].reduce((most, each) => (each[1] > most[1] ? each : most));
      const index = kept.findLastIndex((firing) => firing.play === play);
      const [newest] = kept.splice(index, 1);
      if (!newest) break;
      beacons -= newest.asked.length;
      bytes -= newest.bytes;
      held.set(play, (held.get(play) ?? 0) - shareOf(newest));
    }
    this.#firings.splice(0, droppable, ...kept);
    this.parts.ledger.lose(before - beacons, 'the books cannot store beacons');
  }

  async #store(): Promise<void> {
    const { retryUntilStored, ledger, newId } = this.parts;
    if (this.#isStoring || !this.#isOpen) return;
    this.#isStoring = true;
    for (let firing = this.#firings.shift(); firing; firing = this.#firings.shift()) {
      const beacons = newBeacons(firing.asked, firing.occasion, newId);
      const store = async (stored: Beacon[]) => {
        await retryUntilStored('storeBeacons', () => ({ beacons: stored }));
        return true;
      };
      const queue = firing.play ?? beacons[0]?.id ?? '';
      await this.#storeAndSend(queue, beacons, store, 'the books refuse them');
    }
    this.#isStoring = false;
    ledger.moved();
  }

  /**
   * Beacons that can be sent at once are stored as `sending` where that must be stored before a try: this takes one
   * transaction instead of two. If earlier ones of the same queue are being stored or sent, these wait for their turn.
   * False: `store` did not store them; if it failed, they are lost for this reason.
   */
  async #storeAndSend(
    queue: string,
    beacons: readonly Beacon[],
    store: (beacons: Beacon[]) => Promise<boolean>,
    why: string,
  ): Promise<boolean> {
    const urls = beacons.filter(({ script }) => script === undefined);
    const live = new Set(this.#queues.has(queue) ? [] : this.#takeLive(urls));
    const asStored = (beacon: Beacon): Beacon =>
      live.has(beacon) && mustNotRepeat(beacon.policy) ? { ...beacon, state: 'sending' } : beacon;
    this.parts.ledger.hold(beacons);
    const stored = this.#stored(beacons, store(beacons.map(asStored)), why);
    this.#inTurn(queue, async () => {
      if (!(await stored)) {
        this.#underWay -= live.size;
        return;
      }
      if (live.size > 0) await this.#sendLive([...live].map(asStored));
      const others = urls.filter((beacon) => !live.has(beacon));
      if (others.length > 0) await this.#sendNow(others);
    });
    return stored;
  }

  /** Whether `storing` stored these beacons; if not, they are not pending any more. Never rejects. */
  async #stored(beacons: readonly Beacon[], storing: Promise<boolean>, why: string): Promise<boolean> {
    const { ledger } = this.parts;
    try {
      if (await storing) return true;
      ledger.addPending(-beacons.length);
    } catch (error) {
      ledger.lose(beacons.length, why, error);
    }
    ledger.letGo(beacons);
    return false;
  }

  /** @param send what is passed for the same queue runs one after the other */
  #inTurn(queue: string, send: () => Promise<void>): void {
    const before = this.#queues.get(queue) ?? Promise.resolve();
    const done = before.then(send).then(() => {
      if (this.#queues.get(queue) === done) this.#queues.delete(queue);
      this.parts.ledger.moved();
    });
    this.#queues.set(queue, done);
  }

  /** The beacons that can be sent now without exceeding `LIVE_AT_ONCE`; they count as under way from here on. */
  #takeLive(beacons: readonly Beacon[]): readonly Beacon[] {
    const { hosts, ledger } = this.parts;
    const live = beacons
      .filter((beacon) => hosts.answers(beacon.host) && !ledger.isBehindOthers(beacon))
      .slice(0, LIVE_AT_ONCE - this.#underWay);
    this.#underWay += live.length;
    return live;
  }

  /** Sends the beacons that can be sent now; the others stay in the books. */
  #sendNow(beacons: readonly Beacon[]): Promise<void> {
    const live = this.#takeLive(beacons);
    for (const beacon of beacons)
      if (!live.includes(beacon)) this.parts.ledger.leaveInStore(beacon, beacon.dueAt);
    return this.#sendLive(live);
  }

  async #sendLive(live: readonly Beacon[]): Promise<void> {
    await this.parts.tries.send(live);
    this.#underWay -= live.length;
  }
}

function sizeOf(firings: readonly Firing[]): { readonly beacons: number; readonly bytes: number } {
  return firings.reduce(
    (sum, { asked, bytes }) => ({ beacons: sum.beacons + asked.length, bytes: sum.bytes + bytes }),
    { beacons: 0, bytes: 0 },
  );
}
