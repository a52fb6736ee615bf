import type { Beacon, BeaconState } from '../../shared/beacon';
import type { Log } from '../../shared/log';
import type { BeaconHosts } from './beacon-hosts';

/** Since the start, but for `pending`, which is what the store holds. */
export interface OutboxCounts {
  readonly sent: number;
  /** Refused or expired, or never stored. */
  readonly failed: number;
  readonly pending: number;
  /** May have arrived; not repeated. */
  readonly unknown: number;
  /** The part of `failed` whose time ran out. */
  readonly expired: number;
  /** The part of `failed` that the books lost or never took. */
  readonly lost: number;
}

/** Plays remembered because a beacon of theirs waits: their later ones queue up behind it. */
const MOST_BACKLOGGED_PLAYS = 100;

/** Beacons in hand, plays with waiting beacons, and the counts of results. */
export class OutboxLedger {
  readonly #hosts: BeaconHosts;
  readonly #log: Log;
  /** From storing to settling; the drain leaves them alone. */
  readonly #inHand = new Set<string>();
  readonly #backloggedPlays = new Set<string>();
  readonly #count = { sent: 0, failed: 0, pending: 0, unknown: 0, expired: 0, lost: 0 };
  readonly #listeners: Array<() => void> = [];

  constructor(hosts: BeaconHosts, log: Log) {
    this.#hosts = hosts;
    this.#log = log;
  }

  get counts(): OutboxCounts {
    return { ...this.#count, pending: Math.max(0, this.#count.pending) };
  }

  get idsInHand(): string[] {
    return [...this.#inHand];
  }

  /** Pending beacons that are not in hand. */
  get notInHand(): number {
    return this.#count.pending - this.#inHand.size;
  }

  get isHandEmpty(): boolean {
    return this.#inHand.size === 0;
  }

  /** Called when a beacon changed state: another may be due, or all may be done. */
  onMove(listener: () => void): void {
    this.#listeners.push(listener);
  }

  moved(): void {
    for (const listener of this.#listeners) listener();
  }

  hold(beacons: readonly Beacon[]): void {
    for (const { id } of beacons) this.#inHand.add(id);
  }

  letGo(beacons: readonly Beacon[]): void {
    for (const { id } of beacons) this.#inHand.delete(id);
    this.moved();
  }

  /** Leaves a stored beacon to the drain. */
  leaveInStore(beacon: Beacon, dueAt: number): void {
    this.#inHand.delete(beacon.id);
    this.noteBacklogged(beacon);
    this.#hosts.awaits(beacon.host, dueAt);
    this.moved();
  }

  noteBacklogged(beacon: Beacon): void {
    const playId = orderedBy(beacon);
    if (playId === null) return;
    this.#backloggedPlays.delete(playId);
    this.#backloggedPlays.add(playId);
    const [oldest] = this.#backloggedPlays;
    if (this.#backloggedPlays.size > MOST_BACKLOGGED_PLAYS && oldest !== undefined)
      this.#backloggedPlays.delete(oldest);
  }

  /** Whether an earlier beacon of its play waits. */
  isBehindOthers(beacon: Beacon): boolean {
    return this.#backloggedPlays.has(orderedBy(beacon) ?? '');
  }

  pending(beacons: number): void {
    this.#count.pending += beacons;
  }

  notPending(beacons: number): void {
    this.#count.pending -= beacons;
  }

  ended(state: Exclude<BeaconState, 'waiting'>, beacons = 1): void {
    this.#count.pending -= beacons;
    if (state === 'sent') this.#count.sent += beacons;
    else if (state === 'unknown') this.#count.unknown += beacons;
    else this.#count.failed += beacons;
    if (state === 'expired') this.#count.expired += beacons;
  }

  /** Interrupted sends of an earlier run. */
  interrupted(beacons: number): void {
    this.#count.unknown += beacons;
  }

  /** Beacons that were pending, and never will be sent. */
  lose(beacons: number, why: string, error?: unknown): void {
    this.#count.pending -= beacons;
    this.neverKept(beacons);
    this.#log.error('beacons are lost', { beacons, why, error });
  }

  /** Beacons that never were pending: beyond the budget of their play. */
  neverKept(beacons: number): void {
    this.#count.lost += beacons;
    this.#count.failed += beacons;
  }
}

/** The play in whose order it is sent. Confirmations do not wait for other beacons. */
function orderedBy({ policy, playId }: Beacon): string | null {
  return policy === 'once' ? null : playId;
}
