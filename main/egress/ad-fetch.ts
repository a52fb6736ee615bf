import type { EgressPolicy, EgressPurpose } from './egress-policy';
import { ANSWER_MS, createHttpClient, type Fetch, type HttpClientOptions } from './http-client';

/** Set by the client, or carriers of a credential: ads' URLs are asked for without any. */
const WITHHELD = ['host', 'connection', 'accept-encoding', 'authorization', 'proxy-authorization', 'cookie'];

export interface AdFetchOptions extends Omit<HttpClientOptions, 'route' | 'decodes' | 'follows'> {
  readonly egressPolicy: EgressPolicy;
  readonly purpose: EgressPurpose;
  readonly userAgent?: string;
}

/**
 * A `fetch` for one purpose, under the egress policy (rule 22), always a GET. Resolves to a `Response`
 * whose body streams, rejects with a `SendError`.
 *
 * Redirects are followed, at most five, each through the egress policy again; one from
 * https to http is followed too, because nothing secret is on the way and ad
 * servers do it. No cookies, credentials, cache or referrer.
 *
 * Wrappers may be compressed, once; a beacon's body is thrown away, and media
 * compress by themselves. All but media, which may be large, have 120 s in all.
 */
export function createAdFetch(options: AdFetchOptions): Fetch {
  const { egressPolicy, purpose } = options;
  const send = createHttpClient({
    ...options,
    route: (url) => egressPolicy.resolve(url, purpose),
    decodes: purpose === 'wrapper',
    follows: true,
    totalMs: options.totalMs ?? (purpose === 'media' ? Number.POSITIVE_INFINITY : ANSWER_MS),
  });
  return async (url, { headers: given, signal } = {}) => {
    const headers = new Headers(given);
    for (const name of WITHHELD) headers.delete(name);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent);
    return send({ url, method: 'GET', headers, body: null, signal });
  };
}
