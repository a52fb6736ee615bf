import type { Beacon, BeaconPolicy, BeaconProgress, BeaconState } from '../../shared/beacon';
import { DAY_MS } from '../../shared/clock';
import { backOffMs } from '../egress/back-off';
import type { GuestOutcome } from './js-guests';

export type SendResult =
  /** An HTTP answer. After a redirect, an earlier server has already received the request. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** From `Retry-After`, ms; null: none. */
      readonly retryAfterMs: number | null;
      readonly redirected: boolean;
    }
  /** DNS, connection or TLS failed, or the name has a forbidden address now: nothing of the request was sent. */
  | { readonly kind: 'not-sent'; readonly code: string }
  /** The egress policy forbids this address, now and later (rule 22). */
  | { readonly kind: 'forbidden'; readonly code: string }
  /** The request may have arrived. */
  | { readonly kind: 'unknown'; readonly code: string };

export type TryVerdict =
  | 'sent'
  /** Try again: the request did not count, or the server counts a repetition only once. */
  | 'repeat'
  | 'unknown'
  | 'refused';

/** Proof of play is accepted even after an outage of weeks. */
const PROOF_RETENTION_MS = 30 * DAY_MS;
/** A native confirmation is only worth something in real time (rule 16). */
const CONFIRMATION_RETENTION_MS = 30 * 60_000;

/** Pauses for a host that does not answer; its live beacons wait too. */
const HOST_BACK_OFF = { minMs: 1_000, maxMs: 60_000 };
/** Pauses for a single beacon that its host does not accept while it accepts others. */
const BEACON_BACK_OFF = { minMs: 30_000, maxMs: 3_600_000 };
/** After this many failed tries a beacon lets later beacons go first. */
const PATIENCE = 5;

/** How long a beacon is worth sending after its event, ms (rules 15 and 16). */
export function retentionMs(policy: BeaconPolicy): number {
  return policy === 'once' ? CONFIRMATION_RETENTION_MS : PROOF_RETENTION_MS;
}

/** Whether `sending` has to be stored before a try, so that a crash cannot lead to a second one. */
export function mustNotRepeat(policy: BeaconPolicy): boolean {
  return policy !== 'at-least-once';
}

/** With 511 the host surely got nothing: only a network that wants a log-in answers so (RFC 6585, section 6). */
const REFUSED_FOR_NOW: ReadonlySet<number> = new Set([429, 503, 511]);

/**
 * What a result means (rules 15 and 16):
 *
 * | result                                     | at-least-once | at-most-once | once    |
 * |--------------------------------------------|---------------|--------------|---------|
 * | 2xx                                        | sent          | sent         | sent    |
 * | DNS, connection, TLS                       | repeat        | repeat       | repeat  |
 * | 429, 503, 511                              | repeat        | repeat       | repeat  |
 * | the same after a redirect was followed     | repeat        | unknown      | unknown |
 * | 408, another 5xx                           | repeat        | unknown      | unknown |
 * | another status                             | refused       | refused      | unknown |
 * | timeout, broken off, redirected to a       | repeat        | unknown      | unknown |
 * | forbidden address (a log-in page)          |               |              |         |
 * | redirected too often                       | unknown       | unknown      | unknown |
 * | forbidden by the egress policy             | refused       | refused      | refused |
 */
export function verdictOn(policy: BeaconPolicy, result: SendResult): TryVerdict {
  const inDoubt = mustNotRepeat(policy) ? 'unknown' : 'repeat';
  switch (result.kind) {
    case 'not-sent':
      return 'repeat';
    case 'forbidden':
      return 'refused';
    case 'unknown':
      // Each repetition would end like this, and a tracker on the way that is somebody else's would count it.
      return result.code === 'redirects' ? 'unknown' : inDoubt;
    case 'answered': {
      const { status, redirected } = result;
      if (status >= 200 && status < 300) return 'sent';
      if (REFUSED_FOR_NOW.has(status)) return redirected ? inDoubt : 'repeat';
      if (status === 408 || status >= 500) return inDoubt;
      return policy === 'once' ? 'unknown' : 'refused';
    }
  }
}

/**
 * The progress of a beacon after a try. Pure.
 * @param at.now ms since the epoch, UTC
 * @param at.random uniform in [0, 1)
 */
export function afterTry(
  beacon: Pick<Beacon, 'policy' | 'attempts' | 'dueAt' | 'expiresAt'>,
  result: SendResult,
  at: { readonly now: number; readonly random: () => number },
): BeaconProgress {
  const verdict = verdictOn(beacon.policy, result);
  const attempts = beacon.attempts + (result.kind === 'not-sent' || result.kind === 'forbidden' ? 0 : 1);
  const lastError = verdict === 'sent' ? null : wordFor(result);
  if (verdict !== 'repeat') {
    return { state: verdict, attempts, dueAt: beacon.dueAt, lastError, finishedAt: at.now };
  }
  const retryAfter = result.kind === 'answered' ? result.retryAfterMs : null;
  // It keeps its due time, so the order stays; the host's pause delays it.
  const stepsAside = attempts > PATIENCE;
  const dueAt = stepsAside
    ? at.now + Math.floor(backOffMs(attempts - PATIENCE, BEACON_BACK_OFF, at.random, retryAfter))
    : beacon.dueAt;
  return { state: 'waiting', attempts, dueAt, lastError, finishedAt: null };
}

/** The progress of a beacon that expired before it was tried (again). */
export function expired(beacon: Pick<Beacon, 'attempts' | 'dueAt'>, now: number): BeaconProgress {
  const { attempts, dueAt } = beacon;
  return { state: 'expired', attempts, dueAt, lastError: 'too-late', finishedAt: now };
}

/** The state of a host according to its last answers. */
export interface HostHealth {
  /** Failures in a row; 0: it answers. */
  readonly failures: number;
  /** Nothing is sent before this time, monotonic ms. */
  readonly pausedUntil: number;
}

export const HEALTHY: HostHealth = { failures: 0, pausedUntil: 0 };

/**
 * Codes of an `unknown` result that may be the host's own. Any other one (no name, no connection, forbidden, too
 * many redirects) comes after a redirect, so the host has answered.
 */
const OWN_FAILURES: ReadonlySet<string> = new Set(['answer', 'timeout', 'failed']);

/**
 * Whether the host, or a gateway before it, asks to wait. A gateway's error alone may be one of this URL, and then the
 * other beacons of the host must not wait for it.
 */
function asksToWait({ status, retryAfterMs }: Extract<SendResult, { kind: 'answered' }>): boolean {
  if (REFUSED_FOR_NOW.has(status)) return true;
  return (status === 502 || status === 504) && retryAfterMs !== null;
}

/**
 * Whether a result shows that the host fails or answers; `errs`: it answers, but a beacon may be tried again; `unseen`:
 * none of these.
 */
export function hostShownBy(result: SendResult): 'fails' | 'answers' | 'errs' | 'unseen' {
  if (result.kind === 'forbidden') return 'unseen';
  if (result.kind === 'not-sent') return 'fails';
  // After a redirect another host answered.
  const isOwnFailure =
    result.kind === 'unknown' ? OWN_FAILURES.has(result.code) : asksToWait(result) && !result.redirected;
  if (isOwnFailure) return 'fails';
  return verdictOn('at-least-once', result) === 'repeat' ? 'errs' : 'answers';
}

/**
 * The health of a host after a try. While the host cannot be reached, does not answer or asks for fewer
 * requests, its pauses become longer, so that an outage costs a try now and then, and not one for each
 * beacon. Pure.
 * @param at.monotonic ms
 * @param at.random uniform in [0, 1)
 */
export function hostAfterTry(
  health: HostHealth,
  result: SendResult,
  at: { readonly monotonic: number; readonly random: () => number },
): HostHealth {
  const shown = hostShownBy(result);
  if (shown === 'unseen') return health;
  if (shown !== 'fails') return HEALTHY;
  const failures = health.failures + 1;
  const retryAfter = result.kind === 'answered' ? result.retryAfterMs : null;
  const wait = backOffMs(failures, HOST_BACK_OFF, at.random, retryAfter);
  return { failures, pausedUntil: at.monotonic + wait };
}

/** The reason of a failed try, as the books store it. */
function wordFor(result: SendResult): string {
  if (result.kind !== 'answered') return result.code.slice(0, 100);
  return `status-${result.status}${result.redirected ? '-after-redirect' : ''}`;
}

/** A result is certain only if the script ran, or never began. */
const SCRIPT_STATES: Readonly<Record<GuestOutcome['result'], BeaconState>> = {
  ran: 'sent',
  threw: 'unknown',
  'timed-out': 'unknown',
  crashed: 'unknown',
  blocked: 'unknown',
  refused: 'refused',
};

/** The progress of a script beacon after its end. Pure. */
export function scriptEnded(
  beacon: Pick<Beacon, 'dueAt'>,
  { result, detail }: Pick<GuestOutcome, 'result' | 'detail'>,
  now: number,
): BeaconProgress {
  return {
    state: SCRIPT_STATES[result],
    attempts: result === 'refused' ? 0 : 1,
    dueAt: beacon.dueAt,
    lastError: result === 'ran' ? null : result,
    finishedAt: now,
    script: { result, detail },
  };
}
