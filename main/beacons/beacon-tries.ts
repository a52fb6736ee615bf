import type { Beacon, BeaconProgress } from '../../shared/beacon';
import type { Log } from '../../shared/log';
import type { Basics } from '../basics';
import { limitedLog } from '../limited-log';
import type { Records } from '../records/records-client';
import type { BeaconHosts } from './beacon-hosts';
import type { SendBeacon } from './beacon-sender';
import { afterTry, expired, mustNotRepeat, scriptEnded } from './delivery-policy';
import type { JsGuests } from './js-guests';
import type { OutboxLedger } from './outbox-ledger';
import type { RetryUntilStored } from './retry-until-stored';

const SETTLED_AT_ONCE = 500;
/**
 * The result of a beacon that arrived waits this long for others, ms, because each transaction costs processor time in
 * three processes (decision 78). After a kill in this time, whether it arrived is unknown.
 */
const SENT_TOGETHER_MS = 2_000;

export interface OutboxParts extends Pick<Basics, 'clock' | 'schedule' | 'random' | 'newId' | 'log'> {
  readonly records: Records;
  readonly send: SendBeacon;
  readonly runScript: JsGuests['run'];
  readonly environment: string;
  /** Whether confirmations of earlier runs may be sent; before, the clock may be hours behind (rule 16). */
  readonly isTimeTrusted: () => boolean;
  /** Whether beacons of plays may expire by the clock, which may be years ahead (rule 10). */
  readonly mayExpire: () => boolean;
  /** Until then nothing is sent that an earlier run may have stored: another machine may send it, too. */
  readonly ownBeaconsKnown: Promise<unknown>;
  /**
   * Name of the event-time parameter. With it, the server counts a repetition once; if null, nothing that may
   * have arrived is repeated (rule 15).
   */
  readonly eventTimeParam: string | null;
}

export interface BeaconTriesParts extends OutboxParts {
  readonly retryUntilStored: RetryUntilStored;
  readonly hosts: BeaconHosts;
  readonly ledger: OutboxLedger;
}

/** Sends stored beacons and stores the results. */
export class BeaconTries {
  readonly #toSettle = new Map<string, { readonly beacon: Beacon; readonly progress: BeaconProgress }>();
  #isSettling = false;
  #isEnding = false;
  #cancelSettling: (() => void) | null = null;
  /** An ad can have 2,000 refused beacons in one play, and a tracker may fail for weeks; others are only counted. */
  readonly #refusals: Log;

  constructor(private readonly parts: BeaconTriesParts) {
    this.#refusals = limitedLog(parts);
  }

  /** Beacons that have ended, and whose results are not stored yet. */
  get endedUnstored(): number {
    return [...this.#toSettle.values()].filter(({ progress }) => progress.state !== 'waiting').length;
  }

  /**
   * Sends all beacons in parallel; resolves when each has its result. Does not send a beacon that must not be
   * repeated if `sending` could not be stored.
   */
  async send(beacons: readonly Beacon[]): Promise<void> {
    const claimed = await this.#claim(beacons);
    await Promise.all(claimed.map((beacon) => this.#attempt(beacon)));
  }

  async runScript(beacon: Beacon, script: string): Promise<void> {
    const { instance, position } = beacon;
    const outcome = await this.parts.runScript(script, { instance: instance ?? '', position });
    this.#settle(beacon, scriptEnded(beacon, outcome, this.parts.clock.now()));
  }

  /** Stores all results at once, now and from now on. */
  end(): void {
    this.#isEnding = true;
    void this.#storeSettled();
  }

  expire(beacon: Beacon): void {
    this.#settle(beacon, expired(beacon, this.parts.clock.now()));
  }

  /** Stores `sending` for beacons that must not be repeated, unless it is stored. Returns the beacons that may be sent. */
  async #claim(beacons: readonly Beacon[]): Promise<readonly Beacon[]> {
    const { records, ledger, log } = this.parts;
    const toClaim = beacons.filter(({ policy, state }) => state === 'waiting' && mustNotRepeat(policy));
    if (toClaim.length === 0) return beacons;
    try {
      const ids = new Set(await records.run('startSending', { ids: toClaim.map(({ id }) => id) }));
      for (const beacon of toClaim) {
        if (ids.has(beacon.id)) continue;
        ledger.letGo([beacon]);
        ledger.lose(1, 'the books no longer hold it');
      }
      return beacons.filter((beacon) => !toClaim.includes(beacon) || ids.has(beacon.id));
    } catch (error) {
      // They may be stored as `sending` now, although nothing was sent. Set them back to waiting.
      log.warn('beacons could not be stored as being sent; they wait', { beacons: toClaim.length, error });
      for (const beacon of toClaim) {
        const { attempts, dueAt } = beacon;
        this.#settle(beacon, { state: 'waiting', attempts, dueAt, lastError: 'books', finishedAt: null });
      }
      return beacons.filter((beacon) => !toClaim.includes(beacon));
    }
  }

  async #attempt(beacon: Beacon): Promise<void> {
    const { hosts, clock, random } = this.parts;
    const ended = hosts.begin(beacon.host);
    const result = await this.parts.send(beacon.url);
    ended(result);
    const progress = afterTry(beacon, result, { now: clock.now(), random });
    this.#settle(beacon, progress);
    const { state, lastError: why } = progress;
    if (state === 'waiting' || state === 'sent') return;
    const { event, host } = beacon;
    this.#refusals.warn('a beacon was not accepted', { event, host, outcome: state, why });
  }

  #settle(beacon: Beacon, progress: BeaconProgress): void {
    this.#toSettle.set(beacon.id, { beacon, progress });
    if (progress.state === 'waiting') this.parts.ledger.noteBacklogged(beacon);
    else this.parts.ledger.ended(progress.state);
    if (progress.state === 'sent' && !this.#isEnding)
      this.#cancelSettling ??= this.parts.schedule(SENT_TOGETHER_MS, () => void this.#storeSettled());
    else queueMicrotask(() => void this.#storeSettled());
  }

  /** Stores the results, several in one transaction. */
  async #storeSettled(): Promise<void> {
    const { retryUntilStored, ledger, log } = this.parts;
    this.#cancelSettling?.();
    this.#cancelSettling = null;
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#toSettle.size > 0) {
      const batch = [...this.#toSettle.values()].slice(0, SETTLED_AT_ONCE);
      const settled = batch.map(({ beacon, progress }) => ({ id: beacon.id, ...progress }));
      try {
        await retryUntilStored('settleBeacons', () => ({ settled }));
      } catch (error) {
        log.error('results of beacons could not be stored', { beacons: batch.length, error });
      }
      for (const { beacon, progress } of batch) {
        this.#toSettle.delete(beacon.id);
        if (progress.state === 'waiting') ledger.leaveInStore(beacon, progress.dueAt);
        else ledger.letGo([beacon]);
      }
    }
    this.#isSettling = false;
  }
}
