import { z } from 'zod';
import type { Basics } from '../basics';
import { type BackOff, backOffMs } from '../egress/back-off';
import { Secret } from '../settings/secret';
import { HEADER_VALUE } from '../settings/service-headers';
import type { ServiceAccount } from '../settings/settings';
import { type Http, request } from './http';
import { failure, type Operation, type ServiceFailure } from './service-error';
import { looksLikeWebPage, serviceMessage, shortJsonOf } from './service-message';

export interface AccessToken {
  readonly kind: 'token';
  readonly token: Secret;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export interface TokenOptions extends Pick<Basics, 'random' | 'log'> {
  readonly account: ServiceAccount;
  readonly http: Http;
  /** Called with every result of a token request, for the status. */
  readonly tell?: (answer: { readonly kind: 'token' } | ServiceFailure) => void;
}

/** Longest answer, bytes, because main reads it (rule 31). A token has about 2 KB. */
export const MAX_TOKEN_BYTES = 64 * 1024;
const LIMITS = { headersMs: 30_000, totalMs: 30_000, maxBytes: MAX_TOKEN_BYTES };
const BACK_OFF: BackOff = { minMs: 1_000, maxMs: 5 * 60_000 };

/** Lifetime if the answer states none, ms. */
const UNSTATED_LIFETIME_MS = 5 * 60_000;
/** Shortest lifetime, ms: a shorter one would need a token request for almost every call. */
const MIN_LIFETIME_MS = 5_000;
/** Longest lifetime that is accepted, ms. */
const MAX_LIFETIME_MS = 24 * 60 * 60_000;

interface HeldToken {
  readonly token: Secret;
  /** Monotonic ms. */
  readonly obtainedAt: number;
  readonly lifetimeMs: number;
}

/**
 * The client-credentials flow (RFC 6749, section 4.4). Renews in the background at about 80 % of a token's
 * lifetime.
 */
export function createAccessTokens({ account, http, random, log, tell }: TokenOptions) {
  let held: HeldToken | null = null;
  let underWay: Promise<AccessToken | ServiceFailure> | null = null;
  let lastFailure: ServiceFailure | null = null;
  let failures = 0;
  /** How many new tokens in a row were rejected. The first one is replaced at once, later ones after a pause. */
  let refusals = 0;
  /** Operations whose last token was rejected. */
  const refused = new Set<Operation>();
  /** The operation that accepted a token last; null: none, or another one rejected that token or its successor. */
  let acceptedBy: Operation | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;
  let cancelRenewal = (): void => {};
  const stopping = new AbortController();

  const usable = (token: HeldToken): boolean =>
    http.clock.monotonic() - token.obtainedAt < token.lifetimeMs * 0.95;

  const renewIn = (ms: number): void => {
    cancelRenewal();
    if (!stopping.signal.aborted) cancelRenewal = http.schedule(ms, () => void obtain());
  };

  const obtain = (): Promise<AccessToken | ServiceFailure> => {
    underWay ??= attempt().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  const attempt = async (): Promise<AccessToken | ServiceFailure> => {
    const answer = await requestToken(http, account, stopping.signal);
    if (answer.kind === 'error') {
      failures += 1;
      lastFailure = answer;
      const wait = backOffMs(failures, BACK_OFF, random, answer.error.retryAfterMs);
      notBefore = http.clock.monotonic() + wait;
      log.warn('no access token', { ...answer.error, failures, retryInMs: Math.round(wait) });
      tell?.(answer);
      // Only while the old token is valid; without one, the next caller requests a new token.
      if (held !== null && usable(held)) renewIn(wait);
      return answer;
    }
    failures = 0;
    lastFailure = null;
    held = { token: answer.token, obtainedAt: http.clock.monotonic(), lifetimeMs: answer.lifetimeMs };
    // Otherwise `expires_in: 0` would mean a request each 4 s for ever; such a token is replaced when it is needed.
    if (answer.lifetimeMs > MIN_LIFETIME_MS) renewIn(answer.lifetimeMs * (0.75 + 0.1 * random()));
    else cancelRenewal();
    log.info('access token obtained', { lifetimeMs: answer.lifetimeMs });
    tell?.({ kind: 'token' });
    return { kind: 'token', token: answer.token };
  };

  return {
    /**
     * The token in use, or a new one; concurrent callers share one request. During the pause after a failed
     * request, it returns the last failure at once, so that a wrong secret does not flood the service.
     */
    async current(): Promise<AccessToken | ServiceFailure> {
      if (held !== null && usable(held)) return { kind: 'token', token: held.token };
      const leftMs = notBefore - http.clock.monotonic();
      return underWay === null && lastFailure !== null && leftMs > 0
        ? withRest(lastFailure, leftMs)
        : obtain();
    },
    /** Always requests a token, for the connection test; joins a request under way. */
    renew: obtain,
    /**
     * The service rejected this token (401), so it is not returned again. Returns whether a new token may help: not if
     * this operation rejects a second one in a row, and another operation accepted a token last. Then its rejection
     * is no matter of the token, which stays in use.
     */
    invalidate(token: Secret, by: Operation): boolean {
      if (held?.token !== token) return true;
      const isAccepted = acceptedBy !== null && acceptedBy !== by;
      if (refused.has(by) && isAccepted) {
        acceptedBy = null;
        return false;
      }
      refused.add(by);
      held = null;
      cancelRenewal();
      refusals += 1;
      if (refusals > 1) {
        notBefore = http.clock.monotonic() + backOffMs(refusals - 1, BACK_OFF, random);
        lastFailure = failure('token', 'tokens-refused', { host: new URL(account.authUrl).host });
        tell?.(lastFailure);
      }
      return true;
    },
    /** The service accepted this token, so the count of rejections starts again. */
    accepted(token: Secret, by: Operation): void {
      refused.delete(by);
      if (held?.token !== token) return;
      refusals = 0;
      acceptedBy = by;
    },
    /** Ends the pause if the last request, or the one under way, gets no answer: then it spares nobody. */
    async networkIsBack(): Promise<void> {
      await underWay;
      const { status, code } = lastFailure?.error ?? {};
      if (status === undefined && code !== 'tokens-refused') notBefore = Number.NEGATIVE_INFINITY;
    },
    /** Age and remaining lifetime of the token in use, ms, for the status; null: there is none, or it has expired. */
    inUse() {
      if (held === null) return null;
      const ageMs = http.clock.monotonic() - held.obtainedAt;
      const expiresInMs = held.lifetimeMs - ageMs;
      return expiresInMs > 0 ? { ageMs, expiresInMs } : null;
    },
    /** Stops the renewal in the background. */
    stop(): void {
      stopping.abort();
      cancelRenewal();
    },
  };
}

/** The failure, with the rest of the pause in place of the service's `Retry-After`, if it sent one. */
function withRest(failed: ServiceFailure, leftMs: number): ServiceFailure {
  const { error } = failed;
  return error.retryAfterMs === undefined
    ? failed
    : { ...failed, error: { ...error, retryAfterMs: Math.min(error.retryAfterMs, leftMs) } };
}

/** The lifetime for an `expires_in` (seconds), ms: from 5 s to a day, or 5 min if not stated. */
export function lifetimeMs(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return UNSTATED_LIFETIME_MS;
  return Math.min(Math.max(seconds * 1000, MIN_LIFETIME_MS), MAX_LIFETIME_MS);
}

async function requestToken(http: Http, account: ServiceAccount, signal: AbortSignal) {
  const { authUrl, clientId } = account;
  const secret = account.clientSecret.reveal();
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    scope: 'openid',
  };
  const response = await request(http, {
    operation: 'token',
    method: 'POST',
    url: `${authUrl}/oauth/v2/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    limits: LIMITS,
    expects: [200],
    secrets: [secret],
    signal,
  });
  if (response.kind === 'error') return response;

  const { body } = response;
  const told = { host: new URL(authUrl).host, status: 200 };
  const granted = readTokenAnswer(body);
  if (granted === 'not-json') return failure('token', looksLikeWebPage(body) ? 'web-page' : granted, told);
  if (granted === 'malformed') {
    const serviceWords = serviceMessage(body, [secret]);
    const detail = 'no usable access_token and token_type';
    return failure('token', granted, { ...told, detail, serviceMessage: serviceWords });
  }
  const { accessToken, lifetimeMs } = granted;
  return { kind: 'token' as const, token: new Secret(accessToken), lifetimeMs };
}

const TokenAnswer = z.object({
  // Goes into a header. One that no header may have would look like an error of the connection.
  access_token: z.string().trim().regex(HEADER_VALUE),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.unknown().optional(),
});

/** Parses a successful answer (RFC 6749, section 5.1), at most `MAX_TOKEN_BYTES` long. Never throws. */
export function readTokenAnswer(
  text: string,
): { readonly accessToken: string; readonly lifetimeMs: number } | 'not-json' | 'malformed' {
  const body = shortJsonOf(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'not-json';
  const { success, data } = TokenAnswer.safeParse(body);
  return success ? { accessToken: data.access_token, lifetimeMs: lifetimeMs(data.expires_in) } : 'malformed';
}
