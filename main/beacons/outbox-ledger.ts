import type { Beacon, BeaconState } from '../../shared/beacon';
import type { Log } from '../../shared/log';
import type { BeaconHosts } from './beacon-hosts';

/** How many plays are remembered because one of their beacons waits, so that their later ones wait behind it. */
const MAX_BACKLOGGED_PLAYS = 100;

/** Beacons in hand (stored, and now being sent or settled), plays with waiting beacons, and counts of results. */
export class OutboxLedger {
  /** Ids between storing and settling; the drain skips them. */
  readonly #inHand = new Set<string>();
  readonly #backloggedPlays = new Set<string>();
  readonly #count = {
    sent: 0,
    /** Refused, expired or never stored. */
    failed: 0,
    /** The beacons that the books hold now. */
    pending: 0,
    /** They may have arrived, so they are not repeated. */
    unknown: 0,
    /** The part of `failed` that expired. */
    expired: 0,
    /** The part of `failed` that the books lost or never stored. */
    lost: 0,
  };
  #onMove = (): void => {};

  constructor(
    private readonly hosts: BeaconHosts,
    private readonly log: Log,
  ) {}

  /** Counts since the start, except `pending`. */
  get counts() {
    return { ...this.#count, pending: Math.max(0, this.#count.pending) };
  }

  get idsInHand(): string[] {
    return [...this.#inHand];
  }

  /**
   * Pending beacons that are not in hand.
   *
   * @param ended how many beacons in hand have ended, so that they are not pending any more
   */
  notInHand(ended: number): number {
    return this.#count.pending - (this.#inHand.size - ended);
  }

  get isHandEmpty(): boolean {
    return this.#inHand.size === 0;
  }

  /** Called when a beacon changed state, because another one may be due or all may be done. */
  onMove(listener: () => void): void {
    this.#onMove = listener;
  }

  moved(): void {
    this.#onMove();
  }

  hold(beacons: readonly Beacon[]): void {
    for (const { id } of beacons) this.#inHand.add(id);
  }

  letGo(beacons: readonly Beacon[]): void {
    for (const { id } of beacons) this.#inHand.delete(id);
    this.moved();
  }

  /** Leaves a stored beacon to the drain. @param dueAt ms since the epoch */
  leaveInStore(beacon: Beacon, dueAt: number): void {
    this.#inHand.delete(beacon.id);
    this.noteBacklogged(beacon);
    this.hosts.awaits(beacon.host, dueAt);
    this.moved();
  }

  noteBacklogged(beacon: Beacon): void {
    const playId = orderedBy(beacon);
    if (playId === null) return;
    this.#backloggedPlays.delete(playId);
    this.#backloggedPlays.add(playId);
    const [oldest] = this.#backloggedPlays;
    if (this.#backloggedPlays.size > MAX_BACKLOGGED_PLAYS && oldest !== undefined)
      this.#backloggedPlays.delete(oldest);
  }

  /** Whether an earlier beacon of the same play waits. */
  isBehindOthers(beacon: Beacon): boolean {
    return this.#backloggedPlays.has(orderedBy(beacon) ?? '');
  }

  /** @param beacons how many more are pending now; below 0: how many fewer */
  addPending(beacons: number): void {
    this.#count.pending += beacons;
  }

  ended(state: Exclude<BeaconState, 'waiting'>, beacons = 1): void {
    this.#count.pending -= beacons;
    if (state === 'sent') this.#count.sent += beacons;
    else if (state === 'unknown') this.#count.unknown += beacons;
    else this.#count.failed += beacons;
    if (state === 'expired') this.#count.expired += beacons;
  }

  /** Counts sends that the end of an earlier run interrupted. */
  interrupted(beacons: number): void {
    this.#count.unknown += beacons;
  }

  /** Counts pending beacons that will never be sent. */
  lose(beacons: number, why: string, error?: unknown): void {
    this.#count.pending -= beacons;
    this.neverKept(beacons);
    this.log.error('beacons are lost', { beacons, why, error });
  }

  /** Counts beacons that were never pending, because they exceed their play's budget. */
  neverKept(beacons: number): void {
    this.#count.lost += beacons;
    this.#count.failed += beacons;
  }
}

/** The play whose beacons are sent in order; null: the beacon is a confirmation and waits for no other. */
function orderedBy({ policy, playId }: Beacon): string | null {
  return policy === 'once' ? null : playId;
}
