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

/** Who can be sent to, and for whom beacons wait in the store. */
export interface BeaconHosts {
  /** Whether it answered last, so that live beacons may go out at once. */
  answers(host: string): boolean;
  /** A stored beacon for it is due at this time, ms since the epoch. */
  awaits(host: string, dueAt: number): void;
  /** The host whose stored beacon has been due for the longest and may be sent now, or null. */
  next(): string | null;
  /** ms until `next` may have an answer; null when nothing waits, or only for a try under way. */
  wait(): number | null;
  /** From here on only what `awaits` says is known to wait for it: the store is about to be asked. */
  forgetWaiting(host: string): void;
  /** A try begins; call the answer with what came of it. */
  begin(host: string): (result: SendResult) => void;
}

/** Due times beyond any wait that is ever given out, ms: stamped by a clock that has gone back since. */
export const FAR_AHEAD_MS = 2 * 3_600_000;

export function createBeaconHosts(clock: Clock, random: () => number, log: Log): BeaconHosts {
  const hosts = new Map<string, Host>();

  function at(name: string): Host {
    let host = hosts.get(name);
    if (!host) {
      host = { health: HEALTHY, judgedAt: Number.NEGATIVE_INFINITY, inFlight: 0, dueAt: null };
      hosts.set(name, host);
    }
    return host;
  }

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
      let found: { name: string; dueAt: number } | null = null;
      for (const [name, host] of hosts) {
        if (host.dueAt === null || waitOf(host) !== 0) continue;
        if (!found || host.dueAt < found.dueAt) found = { name, dueAt: host.dueAt };
      }
      return found?.name ?? null;
    },
    wait() {
      let shortest: number | null = null;
      for (const [name, host] of hosts) {
        // Hosts come and go with the ads: what there is nothing to say of is forgotten.
        if (host.dueAt === null && host.inFlight === 0 && host.health.failures === 0) hosts.delete(name);
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
  };

  function tell(name: string, before: HostHealth, after: HostHealth, result: SendResult): void {
    if (before.failures === 0 && after.failures > 0) {
      log.warn('a host does not take beacons; they wait', { host: name, result });
    } else if (before.failures > 0 && after.failures === 0) {
      log.info('a host takes beacons again', { host: name });
    }
  }
}
