import { assertNever } from '../../shared/assert-never';
import type { NativeAd } from '../../shared/native';

/** One moment by both clocks (rule 10): intervals are monotonic, which stands still while the machine sleeps. */
export interface Moment {
  /** ms since the epoch, UTC. */
  readonly wall: number;
  readonly monotonic: number;
}

export interface PacingRules {
  /**
   * Time without engagement after which a new request is made, 60,000 to 180,000 ms; null: derived from the
   * session's length.
   */
  readonly refreshMs: number | null;
  /** Time without a touch after which a shopper session ends, ms. */
  readonly sessionIdleMs: number;
}

/** The state: held ads, the shopper's session, and the contact to the service. Times are monotonic, ms. */
export interface NativePacing {
  /** Oldest first; none of them confirmed yet. */
  readonly held: ReadonlyArray<{ readonly ad: NativeAd; readonly received: Moment }>;
  readonly requests:
    | { readonly kind: 'none-yet' }
    | { readonly kind: 'under-way'; readonly engagedSince: boolean }
    | {
        readonly kind: 'answered';
        readonly at: number;
        readonly engagedSince: boolean;
        readonly spread: number;
      }
    | { readonly kind: 'failed'; readonly retryAt: number };
  /** When the service last answered; null: it did not, or could not be reached since. */
  readonly reachedAt: number | null;
  readonly onScreen: string | null;
  /** The last session, which may be over. */
  readonly session: Session | null;
}

interface Session {
  readonly startedAt: number;
  readonly lastTouchAt: number;
  /** The instances that count towards its limit. */
  readonly shown: readonly string[];
}

export type PacingEvent =
  | { readonly type: 'requested' }
  /** An answer, with ads or without. `spread`: a random number from 0 to 1, for the wait until the next request. */
  | { readonly type: 'answered'; readonly ads: readonly NativeAd[]; readonly spread: number }
  | { readonly type: 'failed'; readonly reached: boolean; readonly retryInMs: number }
  | { readonly type: 'presented'; readonly instance: string }
  | { readonly type: 'left-screen'; readonly instance: string }
  /** It never comes back: its impression is confirmed, or was tried (rule 16), or it cannot be shown. */
  | { readonly type: 'dropped'; readonly instance: string }
  | { readonly type: 'touched' }
  /** The shopper closed the link view with its way back. */
  | { readonly type: 'session-left' }
  | { readonly type: 'engaged' };

/** Rule 19. */
export const MAX_ADS_PER_SESSION = 3;
/** Rule 16: an ad is not shown later than this after its receipt, ms. */
export const MAX_AGE_MS = 30 * 60_000;
/** Unless the settings define it: with fewer held ads than this, the next request is made at the refresh interval. */
const HELD_ENOUGH = 2;
/** An answer older than this no longer shows that the service can be reached, ms. */
export const CONTACT_VALID_MS = 5 * 60_000;
/** Time after which the next request renews that proof, ms. */
export const CONTACT_RENEWAL_MS = 4 * 60_000;
/**
 * Rule 19: sessions up to `short` get the shortest refresh interval, sessions from `long` on the longest, ms.
 */
const SESSION_MS = { short: 3 * 60_000, long: 10 * 60_000 };
const REFRESH_MS = { shortest: 60_000, longest: 180_000 };
/** The longest random part of a wait, as a share of it: kiosks that open at the same time would go on asking together. */
const MAX_SPREAD = 0.1;
/** Most ads that one request can return. */
const MAX_HELD = 20;

export const INITIAL_PACING: NativePacing = {
  held: [],
  requests: { kind: 'none-yet' },
  reachedAt: null,
  onScreen: null,
  session: null,
};

export function stepPacing(
  state: NativePacing,
  event: PacingEvent,
  at: Moment,
  rules: PacingRules,
): NativePacing {
  switch (event.type) {
    case 'requested':
      return { ...state, requests: { kind: 'under-way', engagedSince: false } };
    case 'answered':
      return {
        ...state,
        held: [...stillFresh(state, at), ...event.ads.map((ad) => ({ ad, received: at }))].slice(-MAX_HELD),
        // A request that was under way at a click may have left before it.
        requests: {
          kind: 'answered',
          at: at.monotonic,
          engagedSince: engagedSince(state),
          spread: event.spread,
        },
        reachedAt: at.monotonic,
      };
    case 'failed':
      return {
        ...state,
        held: stillFresh(state, at),
        requests: { kind: 'failed', retryAt: at.monotonic + event.retryInMs },
        reachedAt: event.reached ? at.monotonic : null,
      };
    case 'presented':
      return {
        ...state,
        onScreen: event.instance,
        session: withShown(state, event.instance, at, rules),
      };
    case 'left-screen':
      return state.onScreen === event.instance ? { ...state, onScreen: null } : state;
    case 'dropped':
      return { ...state, held: state.held.filter(({ ad }) => ad.instance !== event.instance) };
    case 'touched': {
      const running = sessionAt(state, at, rules);
      // The ad that the first touch finds on the screen is the session's first.
      const shown = running?.shown ?? (state.onScreen === null ? [] : [state.onScreen]);
      const startedAt = running?.startedAt ?? at.monotonic;
      return { ...state, session: { startedAt, lastTouchAt: at.monotonic, shown } };
    }
    case 'session-left':
      return { ...state, session: null };
    case 'engaged':
      return 'engagedSince' in state.requests
        ? { ...state, requests: { ...state.requests, engagedSince: true } }
        : state;
    default:
      return assertNever(event);
  }
}

/**
 * The ad to show now, or null: the oldest of the fresh ones that `isReady` (rules 16 and 19). Asking changes nothing: an
 * ad stays until it is confirmed. The one on the screen is left out: a second guest for its banner would take over the
 * clicks and events of the first.
 */
export function adToShow(
  state: NativePacing,
  at: Moment,
  rules: PacingRules,
  isReady: (ad: NativeAd) => boolean,
): NativeAd | null {
  if (!canBeReached(state, at)) return null;
  const shown = sessionAt(state, at, rules)?.shown ?? [];
  const full = shown.length >= MAX_ADS_PER_SESSION;
  const next = state.held.find(
    ({ ad, received }) =>
      ad.instance !== state.onScreen &&
      isFresh(received, at) &&
      (!full || shown.includes(ad.instance)) &&
      isReady(ad),
  );
  return next?.ad ?? null;
}

/** When the next request is due, monotonic ms (in the past: now), or null while one is under way. */
export function nextRequestAt(state: NativePacing, at: Moment, rules: PacingRules): number | null {
  const { requests } = state;
  switch (requests.kind) {
    case 'none-yet':
      return at.monotonic;
    case 'under-way':
      return null;
    case 'failed':
      return requests.retryAt;
    case 'answered': {
      if (requests.engagedSince) return at.monotonic;
      const session = sessionAt(state, at, rules);
      const sessionMs = session === null ? 0 : at.monotonic - session.startedAt;
      const longer = 1 + requests.spread * MAX_SPREAD;
      // More requests for ads that nobody sees would distort the provider's figures.
      const isEnough = stillFresh(state, at).length >= HELD_ENOUGH;
      const waitMs = isEnough
        ? CONTACT_RENEWAL_MS * longer
        : Math.min(REFRESH_MS.longest, refreshAfter(sessionMs) * longer);
      return requests.at + (rules.refreshMs ?? waitMs);
    }
    default:
      return assertNever(requests);
  }
}

/**
 * The time without engagement before a new request, 60,000 to 180,000 ms (rule 19): linear between sessions
 * of 3 and of 10 minutes.
 *
 * @param sessionMs length of the current session, ms; 0: none
 */
export function refreshAfter(sessionMs: number): number {
  const share = (sessionMs - SESSION_MS.short) / (SESSION_MS.long - SESSION_MS.short);
  const { shortest, longest } = REFRESH_MS;
  return Math.round(shortest + Math.min(1, Math.max(0, share)) * (longest - shortest));
}

/** Whether the last answer is recent enough to assume that the service can be reached. */
export function canBeReached({ reachedAt }: NativePacing, at: Moment): boolean {
  return reachedAt !== null && at.monotonic - reachedAt < CONTACT_VALID_MS;
}

export function sessionAt({ session }: NativePacing, at: Moment, rules: PacingRules): Session | null {
  return session !== null && at.monotonic - session.lastTouchAt < rules.sessionIdleMs ? session : null;
}

/** The session after an ad was shown in it; a session that is over stays as it is. */
function withShown(state: NativePacing, instance: string, at: Moment, rules: PacingRules): Session | null {
  const session = sessionAt(state, at, rules);
  if (session === null || session.shown.includes(instance)) return state.session;
  return { ...session, shown: [...session.shown, instance] };
}

const engagedSince = ({ requests }: NativePacing) => requests.kind === 'under-way' && requests.engagedSince;

/** The held ads that are not too old to be shown (rule 16). */
export const stillFresh = ({ held }: NativePacing, at: Moment) =>
  held.filter(({ received }) => isFresh(received, at));

function isFresh(received: Moment, at: Moment): boolean {
  return at.monotonic - received.monotonic < MAX_AGE_MS && at.wall - received.wall < MAX_AGE_MS;
}
