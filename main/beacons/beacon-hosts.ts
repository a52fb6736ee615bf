import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { limitedLog } from '../limited-log';
import { HEALTHY, type HostHealth, hostAfterTry, hostShownBy, type SendResult } from './delivery-policy';

interface Host {
  health: HostHealth;
  /** When the health was last updated, monotonic ms; tries that began earlier add nothing new. */
  judgedAt: number;
  /** Whether it ever answered, other than to wait: unlike one that a firewall drops, it will soon answer again. */
  hasAnswered: boolean;
  /** Whether its last failure was an answer that asks to wait. */
  asksToWait: boolean;
  /** Since when all its answers are errors with which beacons wait on, monotonic ms; null: the last one was no error. */
  erringSince: number | null;
  /** When a stored beacon was last taken for it, monotonic ms. */
  drainedAt: number;
  inFlight: number;
  /** Whether a stored beacon is under way; the next one follows it, so those of a play stay in order. */
  isDraining: boolean;
  /** When its oldest stored beacon is due, ms since the epoch; null: no waiting beacon is known. */
  dueAt: number | null;
}

export type BeaconHosts = ReturnType<typeof createBeaconHosts>;

const MAX_HOSTS = 2_000;
/**
 * How long a host without waiting beacons stays in memory after its last try and its pause, ms, because another beacon of
 * the same play may follow.
 */
const KNOWN_FOR_MS = 60_000;

/**
 * After so long with such errors alone, a host gets a stored beacon once in the pace only, ms: where beacons are repeated,
 * all wait, and each would be tried about every hour. Live ones go out at once, and show that it takes beacons again.
 * With a slower pace, good ones would wait for weeks behind thousands whose address fails for ever.
 */
const ERRS_FOR_MS = 10 * 60_000;
const ERRING_PACE_MS = 10_000;

/**
 * A due time further ahead than this is wrong, ms: no beacon ever waits that long, so the clock was set back
 * since.
 */
export const FAR_AHEAD_MS = 2 * 3_600_000;

/**
 * Hosts of beacons: which of them answer, and which have stored beacons waiting. Keeps at most 2,000 in
 * memory, because ads can name any number; the books know the others.
 */
export function createBeaconHosts(clock: Clock, random: () => number, log: Log) {
  const hosts = new Map<string, Host>();
  const { info, warn } = limitedLog({ log, clock });
  let isTurnOfOthers = false;
  let isTurnOfSilent = false;
  /** Stored beacons under way to hosts that were not proven when they were taken. */
  let unprovenDrains = 0;

  function at(name: string): Host {
    let host = hosts.get(name);
    if (!host) {
      makeRoom();
      host = newHost();
      hosts.set(name, host);
    }
    return host;
  }

  /**
   * Drops a host without waiting beacons; or else the failing host that is known longest; or else the oldest
   * one.
   */
  function makeRoom(): void {
    if (hosts.size < MAX_HOSTS) return;
    let failing: string | null = null;
    let idle: string | null = null;
    for (const [name, host] of hosts) {
      if (host.inFlight > 0 || host.isDraining) continue;
      if (host.dueAt === null) {
        hosts.delete(name);
        return;
      }
      idle ??= name;
      if (host.health.failures > 0) failing ??= name;
    }
    const dropped = failing ?? idle;
    if (dropped !== null) hosts.delete(dropped);
  }

  /** Whether its last try was answered. */
  const isProven = ({ health, judgedAt }: Host) => health.failures === 0 && Number.isFinite(judgedAt);

  /** Null: nothing waits, or it waits for a try under way, its own or that of another host that did not answer last. */
  function waitOf(host: Host): number | null {
    if (host.dueAt === null || host.isDraining) return null;
    if (unprovenDrains > 0 && !isProven(host)) return null;
    const now = clock.monotonic();
    const untilDue = host.dueAt - clock.now();
    const errsLong = host.erringSince !== null && now - host.erringSince >= ERRS_FOR_MS;
    const notBefore = Math.max(host.health.pausedUntil, errsLong ? host.drainedAt + ERRING_PACE_MS : 0);
    return Math.max(0, untilDue > FAR_AHEAD_MS ? 0 : untilDue, notBefore - now);
  }

  return {
    /** Whether live beacons may be sent at once, because the last try was answered or there was none. */
    answers: (name: string) => (hosts.get(name)?.health.failures ?? 0) === 0,
    /** Records that a stored beacon for the host is due at `dueAt`, ms since the epoch. */
    awaits(name: string, dueAt: number): void {
      const host = at(name);
      host.dueAt = Math.min(dueAt, host.dueAt ?? dueAt);
    },
    /**
     * The next host to send a stored beacon to; null: none now. Two groups take turns: hosts that answered last,
     * and all others; among these, hosts that ever answered and hosts that never did. In each the longest untried first.
     * Of the others one is tried at a time, because a dead host can take 20 s. So dead hosts, however many or slow, cannot
     * take all the tries, nor hold up a good one that failed once.
     */
    next(): string | null {
      const first: Record<'proven' | 'known' | 'silent', { name: string; host: Host } | null> = {
        proven: null,
        known: null,
        silent: null,
      };
      for (const [name, host] of hosts) {
        if (waitOf(host) !== 0) continue;
        const group = isProven(host) ? 'proven' : host.hasAnswered ? 'known' : 'silent';
        const before = first[group];
        if (!before || isUntriedFor(host, before.host)) first[group] = { name, host };
      }
      const { proven, known, silent } = first;
      const other = isTurnOfSilent ? (silent ?? known) : (known ?? silent);
      const found = isTurnOfOthers ? (other ?? proven) : (proven ?? other);
      if (found) isTurnOfOthers = found === proven;
      return found?.name ?? null;
    },
    /** Time until `next` may return a host, ms; null: nothing waits, or only for a try under way. */
    wait(): number | null {
      let shortest: number | null = null;
      for (const [name, host] of hosts) {
        // Ads keep naming new ones. One that answers is known once it fails.
        const isIdle = !isProven(host) && host.dueAt === null && host.inFlight === 0 && !host.isDraining;
        const knownUntil = Math.max(host.judgedAt, host.health.pausedUntil) + KNOWN_FOR_MS;
        if (isIdle && knownUntil <= clock.monotonic()) hosts.delete(name);
        const wait = waitOf(host);
        if (wait !== null) shortest = Math.min(wait, shortest ?? wait);
      }
      return shortest;
    },
    /**
     * Records that a stored beacon for the host is under way, until the returned function is called. Forgets what
     * is due, because the books are about to be queried; `awaits` sets it again.
     */
    beginDrain(name: string): () => void {
      const host = at(name);
      host.dueAt = null;
      host.isDraining = true;
      host.drainedAt = clock.monotonic();
      const unproven = isProven(host) ? 0 : 1;
      unprovenDrains += unproven;
      return () => {
        host.isDraining = false;
        unprovenDrains -= unproven;
      };
    },
    /** Records that a try begins; call the returned function with its result. */
    begin(name: string): (result: SendResult) => void {
      const host = at(name);
      host.inFlight += 1;
      const beganAt = clock.monotonic();
      return (result) => {
        host.inFlight -= 1;
        const now = clock.monotonic();
        // An outage makes several parallel tries fail; they count as one failure. A host that asks to wait may have
        // accepted some of them.
        const before = host.health;
        const shown = hostShownBy(result);
        const fails = shown === 'fails';
        // One that answers costs no time, so the next known one follows.
        if (fails) isTurnOfSilent = host.hasAnswered;
        host.hasAnswered ||= shown === 'answers' || shown === 'errs';
        if (shown === 'answers') host.erringSince = null;
        if (shown === 'errs') host.erringSince ??= now;
        if ((fails || host.asksToWait) && before.failures > 0 && beganAt < host.judgedAt) return;
        host.health = hostAfterTry(before, result, { monotonic: now, random });
        host.judgedAt = now;
        if (shown !== 'unseen') host.asksToWait = fails && result.kind === 'answered';
        tell(name, before, host.health, result);
      };
    },
  };

  function tell(name: string, before: HostHealth, after: HostHealth, result: SendResult): void {
    if (before.failures === 0 && after.failures > 0) {
      warn('a host does not take beacons; they wait', { host: name, result });
    } else if (before.failures > 0 && after.failures === 0) {
      info('a host takes beacons again', { host: name });
    }
  }
}

const newHost = (): Host => ({
  health: HEALTHY,
  judgedAt: Number.NEGATIVE_INFINITY,
  hasAnswered: false,
  asksToWait: false,
  erringSince: null,
  drainedAt: Number.NEGATIVE_INFINITY,
  inFlight: 0,
  isDraining: false,
  dueAt: null,
});

const isDueBefore = (one: Host, other: Host) => (one.dueAt ?? 0) < (other.dueAt ?? 0);
const isUntriedFor = (one: Host, other: Host) =>
  one.judgedAt < other.judgedAt || (one.judgedAt === other.judgedAt && isDueBefore(one, other));
