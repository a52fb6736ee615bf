import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { HEALTHY, type HostHealth, hostAfterTry, hostShownBy, type SendResult } from './delivery-policy';

interface Host {
  health: HostHealth;
  /** Monotonic time at which the health was last judged; older tries say nothing new. */
  judgedAt: number;
  inFlight: number;
  /** When the oldest of its stored beacons is due, ms since the epoch; null: none is known to wait. */
  dueAt: number | null;
}

/**
 * Hosts of beacons: which of them answer, and which have beacons waiting in the store. At
 * most 2,000 are in memory, because ads can name any number; the store knows the others.
 */
export interface BeaconHosts {
  /** Whether it answered last, so that live beacons may go out at once. */
  answers(host: string): boolean;
  /** A stored beacon for it is due at this time, ms since the epoch. */
  awaits(host: string, dueAt: number): void;
  /**
   * The host whose turn it is to be sent a stored beacon, or null. Hosts that answered
   * last, the longest due first, and all others, the longest untried first, take turns:
   * countless dead hosts must not keep the drain to themselves.
   */
  next(): string | null;
  /** ms until `next` may have an answer; null when nothing waits, or only for a try under way. */
  wait(): number | null;
  /** From here on only what `awaits` says is known to wait for it: the store is about to be asked. */
  forgetWaiting(host: string): void;
  /** A try begins; call the answer with what came of it. */
  begin(host: string): (result: SendResult) => void;
  /** How many hosts for which beacons wait were dropped from memory so far. */
  leftOut(): number;
  /** Hosts in memory. */
  known(): number;
}

const MOST_HOSTS = 2_000;
/** How long after its pause a failing host is still known, ms: meanwhile its last beacon may be on its way to a try. */
const KNOWN_FOR_MS = 60_000;

/** Due times beyond any wait that is ever given out, ms: stamped by a clock that has gone back since. */
export const FAR_AHEAD_MS = 2 * 3_600_000;

export function createBeaconHosts(clock: Clock, random: () => number, log: Log): BeaconHosts {
  const hosts = new Map<string, Host>();
  let leftOut = 0;
  let isTurnOfOthers = false;

  function at(name: string): Host {
    let host = hosts.get(name);
    if (!host) {
      makeRoom();
      host = { health: HEALTHY, judgedAt: Number.NEGATIVE_INFINITY, inFlight: 0, dueAt: null };
      hosts.set(name, host);
    }
    return host;
  }

  /** Drops a host that nothing waits for; else a failing one, the longest known first. */
  function makeRoom(): void {
    if (hosts.size < MOST_HOSTS) return;
    let failing: string | null = null;
    let idle: string | null = null;
    for (const [name, host] of hosts) {
      if (host.inFlight > 0) continue;
      if (host.dueAt === null) {
        hosts.delete(name);
        return;
      }
      idle ??= name;
      if (host.health.failures > 0) failing ??= name;
    }
    const dropped = failing ?? idle;
    if (dropped === null) return;
    hosts.delete(dropped);
    leftOut += 1;
  }

  /** Its last try was answered. */
  const isProven = ({ health, judgedAt }: Host) => health.failures === 0 && Number.isFinite(judgedAt);

  /** A failing host gets one try at a time, to see whether it is back. */
  const isProbed = ({ health, inFlight }: Host) => health.failures > 0 && inFlight > 0;

  function waitOf(host: Host): number | null {
    if (host.dueAt === null || isProbed(host)) return null;
    const untilDue = host.dueAt - clock.now();
    return Math.max(0, untilDue > FAR_AHEAD_MS ? 0 : untilDue, host.health.pausedUntil - clock.monotonic());
  }

  return {
    answers: (name) => (hosts.get(name)?.health.failures ?? 0) === 0,
    awaits(name, dueAt) {
      const host = at(name);
      host.dueAt = Math.min(dueAt, host.dueAt ?? dueAt);
    },
    next() {
      let proven: { name: string; host: Host } | null = null;
      let other: { name: string; host: Host } | null = null;
      for (const [name, host] of hosts) {
        if (host.dueAt === null || waitOf(host) !== 0) continue;
        if (isProven(host)) {
          if (!proven || isDueBefore(host, proven.host)) proven = { name, host };
        } else if (!other || isUntriedFor(host, other.host)) {
          other = { name, host };
        }
      }
      const found = isTurnOfOthers ? (other ?? proven) : (proven ?? other);
      if (found) isTurnOfOthers = found === proven;
      return found?.name ?? null;
    },
    wait() {
      let shortest: number | null = null;
      for (const [name, host] of hosts) {
        // Healthy hosts without beacons are forgotten: ads name ever new ones.
        const isIdle = host.dueAt === null && host.inFlight === 0;
        const { failures, pausedUntil } = host.health;
        const isOver = failures === 0 || pausedUntil + KNOWN_FOR_MS <= clock.monotonic();
        if (isIdle && isOver) hosts.delete(name);
        const wait = waitOf(host);
        if (wait !== null) shortest = Math.min(wait, shortest ?? wait);
      }
      return shortest;
    },
    forgetWaiting(name) {
      const host = hosts.get(name);
      if (host) host.dueAt = null;
    },
    begin(name) {
      const host = at(name);
      host.inFlight += 1;
      const beganAt = clock.monotonic();
      return (result) => {
        host.inFlight -= 1;
        const now = clock.monotonic();
        // Several tries that an outage catches together are one failure.
        const before = host.health;
        const isRepetition =
          hostShownBy(result) === 'fails' && before.failures > 0 && beganAt < host.judgedAt;
        if (isRepetition) return;
        host.health = hostAfterTry(before, result, { monotonic: now, random });
        host.judgedAt = now;
        tell(name, before, host.health, result);
      };
    },
    leftOut: () => leftOut,
    known: () => hosts.size,
  };

  function tell(name: string, before: HostHealth, after: HostHealth, result: SendResult): void {
    if (before.failures === 0 && after.failures > 0) {
      log.warn('a host does not take beacons; they wait', { host: name, result });
    } else if (before.failures > 0 && after.failures === 0) {
      log.info('a host takes beacons again', { host: name });
    }
  }
}

const isDueBefore = (one: Host, other: Host) => (one.dueAt ?? 0) < (other.dueAt ?? 0);
const isUntriedFor = (one: Host, other: Host) =>
  one.judgedAt < other.judgedAt || (one.judgedAt === other.judgedAt && isDueBefore(one, other));
