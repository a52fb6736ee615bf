import type * as OAuth from 'oauth4webapi';
import type { Log } from '../../shared/log';
import { Secret } from '../settings/secret';
import { isLoopbackHost } from '../settings/service-address';
import type { ServiceAccount } from '../settings/settings';
import { type BackOff, backOffMs } from './back-off';
import { type Http, request, type ServiceResponse } from './http';
import type { ServerTime } from './server-time';
import { failure, type ServiceFailure } from './service-error';
import { serviceMessage } from './service-message';
import { looksLikeWebPage } from './web-page';

export interface AccessToken {
  readonly kind: 'token';
  readonly token: Secret;
}

/** Gives out the access token that every authorised call carries. */
export interface AccessTokens {
  /**
   * The token in use, or one newly requested; callers at the same time share one
   * request. Between failing requests the last failure is given at once, so that
   * a wrong secret does not hammer the service.
   */
  current(): Promise<AccessToken | ServiceFailure>;
  /** Requests a token in any case, for the connection test; joins a request under way. */
  renew(): Promise<AccessToken | ServiceFailure>;
  /** The service refused this token (401): it is not given out again. */
  invalidate(token: Secret): void;
  /** The service took this token: a later refusal is a first one again. */
  accepted(token: Secret): void;
  /** Age of the token in use, ms, for the status; null while there is none. */
  tokenAgeMs(): number | null;
  /** The last answer's time, for trusted time (rule 10). */
  serverTime(): ServerTime | null;
  /** Ends the renewal in the background. */
  stop(): void;
}

export interface TokenOptions {
  readonly account: ServiceAccount;
  readonly http: Http;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Told of every token obtained, lost or not to be had, for the status. */
  readonly tell?: (news: TokenNews) => void;
}

export type TokenNews =
  | { readonly kind: 'obtained'; readonly lifetimeMs: number }
  /** The service refused it: there is none until the next is obtained. */
  | { readonly kind: 'lost' }
  | ServiceFailure;

/** Of an answer, bytes: so much is read where it is, in main (rule 31). A token has some 2 KB. */
export const MOST_TOKEN_BYTES = 64 * 1024;
const LIMITS = { headersMs: 15_000, totalMs: 30_000, maxBytes: MOST_TOKEN_BYTES };
const BACK_OFF: BackOff = { minMs: 1_000, maxMs: 5 * 60_000 };

/** Of a token whose answer does not say how long it lives, ms. */
const UNSTATED_LIFETIME_MS = 5 * 60_000;
/** A shorter lifetime than this would mean a token request for every call, ms. */
const MIN_LIFETIME_MS = 5_000;
/** A longer one is not believed, ms. */
const MAX_LIFETIME_MS = 24 * 60 * 60_000;

interface HeldToken {
  readonly token: Secret;
  /** Monotonic, ms. */
  readonly obtainedAt: number;
  readonly lifetimeMs: number;
}

/** The client-credentials flow: renewed in the background at about 80 % of a token's lifetime. */
export function createAccessTokens({ account, http, random, log, tell }: TokenOptions): AccessTokens {
  let held: HeldToken | null = null;
  let underWay: Promise<AccessToken | ServiceFailure> | null = null;
  let lastFailure: ServiceFailure | null = null;
  let failures = 0;
  /** Fresh tokens refused one after the other: the first is replaced at once, later ones after a wait. */
  let refusals = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  let heardTime: ServerTime | null = null;
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
      const wait = Math.max(answer.error.retryAfterMs ?? 0, backOffMs(failures, BACK_OFF, random));
      notBefore = http.clock.monotonic() + wait;
      log.warn('no access token', {
        code: answer.error.code,
        message: answer.error.message,
        status: answer.error.status,
        failures,
        retryInMs: wait,
      });
      tell?.(answer);
      // The old one may still live; without one, the next caller asks.
      if (held !== null && usable(held)) renewIn(wait);
      return answer;
    }
    failures = 0;
    lastFailure = null;
    notBefore = Number.NEGATIVE_INFINITY;
    heardTime = answer.serverTime ?? heardTime;
    held = { token: answer.token, obtainedAt: http.clock.monotonic(), lifetimeMs: answer.lifetimeMs };
    renewIn(answer.lifetimeMs * (0.75 + 0.1 * random()));
    log.info('access token obtained', { lifetimeMs: answer.lifetimeMs });
    tell?.({ kind: 'obtained', lifetimeMs: answer.lifetimeMs });
    return { kind: 'token', token: answer.token };
  };

  return {
    async current() {
      if (held !== null && usable(held)) return { kind: 'token', token: held.token };
      if (underWay === null && lastFailure !== null && http.clock.monotonic() < notBefore) return lastFailure;
      return obtain();
    },
    renew: obtain,
    invalidate(token) {
      if (held?.token !== token) return;
      held = null;
      cancelRenewal();
      tell?.({ kind: 'lost' });
      refusals += 1;
      if (refusals > 1) {
        notBefore = http.clock.monotonic() + backOffMs(refusals - 1, BACK_OFF, random);
        lastFailure = failure('token', 'unauthorized', {
          host: new URL(account.authUrl).host,
          detail: 'its fresh tokens are refused by the service they are for',
        });
        tell?.(lastFailure);
      }
    },
    accepted(token) {
      if (held?.token === token) refusals = 0;
    },
    tokenAgeMs: () => (held === null ? null : http.clock.monotonic() - held.obtainedAt),
    serverTime: () => heardTime,
    stop() {
      stopping.abort();
      cancelRenewal();
    },
  };
}

/** How long a token of this `expires_in` (seconds) is taken to live, ms: 5 s to a day, 5 min when not stated. */
export function lifetimeMs(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return UNSTATED_LIFETIME_MS;
  return Math.min(Math.max(seconds * 1000, MIN_LIFETIME_MS), MAX_LIFETIME_MS);
}

interface ObtainedToken {
  readonly kind: 'obtained';
  readonly token: Secret;
  readonly lifetimeMs: number;
  readonly serverTime: ServerTime | null;
}

async function requestToken(
  http: Http,
  account: ServiceAccount,
  signal: AbortSignal,
): Promise<ObtainedToken | ServiceFailure> {
  // It takes 10 ms to load, and no stored ad needs a token.
  const oauth = await import('oauth4webapi');
  const secret = account.clientSecret.reveal();
  const server: OAuth.AuthorizationServer = {
    issuer: account.authUrl,
    token_endpoint: `${account.authUrl}/oauth/v2/token`,
  };
  const client: OAuth.Client = { client_id: account.clientId };

  // The library writes the form and checks the answer; the sending with its
  // limits and the judgement of the status stay ours, because it takes any page
  // of a broken gateway for a violation of the standard.
  let answer: ServiceResponse | ServiceFailure | null = null;
  await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(secret),
    { scope: 'openid' },
    {
      [oauth.allowInsecureRequests]: isLoopbackHost(new URL(account.authUrl).hostname),
      [oauth.customFetch]: async (url, { body }) => {
        answer = await request(http, {
          operation: 'token',
          method: 'POST',
          url,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
          body: body.toString(),
          limits: LIMITS,
          expects: [200],
          secrets: [secret],
          signal,
        });
        return new Response();
      },
    },
  );
  const response = answer as ServiceResponse | ServiceFailure | null;
  if (response === null) throw new Error('oauth4webapi resolved without having sent the request');
  if (response.kind === 'error') return response;

  const host = new URL(account.authUrl).host;
  const body = tokenBody(response.body);
  if (body === null) {
    return failure('token', looksLikeWebPage(response.body) ? 'web-page' : 'not-json', { host, status: 200 });
  }
  try {
    const json = new Response(JSON.stringify(body.standard), {
      headers: { 'Content-Type': 'application/json' },
    });
    const granted = await oauth.processClientCredentialsResponse(server, client, json);
    return {
      kind: 'obtained',
      token: new Secret(granted.access_token),
      lifetimeMs: lifetimeMs(body.expiresIn),
      serverTime: response.serverTime,
    };
  } catch {
    // The library's error holds the body, and with it the token: it goes no further.
    return failure('token', 'malformed', {
      host,
      status: 200,
      detail: 'no usable access_token and token_type',
      serviceMessage: serviceMessage(response.body, [secret]),
    });
  }
}

/**
 * The answer without what this flow has no use for and the library would check:
 * an ID token of whatever issuer, and a lifetime of whatever shape. Null: no JSON
 * object. At most `MOST_TOKEN_BYTES` come; never throws.
 */
export function tokenBody(text: string): { standard: Record<string, unknown>; expiresIn: unknown } | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
    const {
      id_token: _identity,
      refresh_token: _refresh,
      expires_in: expiresIn,
      ...rest
    } = body as Record<string, unknown>;
    return { standard: rest, expiresIn };
  } catch {
    return null;
  }
}
