import type { EgressPolicy, EgressPurpose } from './egress-policy';
import { ANSWER_MS, createHttpClient, type Fetch, type HttpClientOptions } from './http-client';

/** Headers that the client sets itself or that carry credentials: URLs of ads are requested without any. */
const WITHHELD = ['host', 'connection', 'authorization', 'proxy-authorization', 'cookie'];

/** Longest time for a request, connection and redirects included, ms, where it is not `ANSWER_MS`. */
const MAX_MS: Partial<Record<EgressPurpose, number>> = {
  // Over 64 kbit/s that downloads fill it takes some 20 s; after ten it would be in doubt although it has arrived
  // (decision 97).
  beacon: 30_000,
  media: Number.POSITIVE_INFINITY,
};

export interface AdFetchOptions extends Omit<HttpClientOptions, 'route' | 'decodes' | 'hasSecrets'> {
  readonly egressPolicy: EgressPolicy;
  readonly purpose: EgressPurpose;
}

/**
 * A `fetch` for one purpose, under the egress policy (rule 22), always a GET. Resolves to a `Response` whose
 * body streams, rejects with a `SendError`.
 *
 * Follows at most twenty redirects, as browsers do, and checks each with the egress policy. It follows them from https
 * to http too: the request holds no secret, and ad servers do it. No cookies, credentials, cache or referrer.
 *
 * Only wrappers may be compressed: the body of a beacon is discarded, and media formats are compressed
 * already. A request has 120 s in all, a beacon 30 s; media have no limit, because they may be large.
 */
export function createAdFetch(options: AdFetchOptions): Fetch {
  const { egressPolicy, purpose } = options;
  const send = createHttpClient({
    ...options,
    route: (url) => egressPolicy.resolve(url, purpose),
    decodes: purpose === 'wrapper',
    hasSecrets: false,
    totalMs: options.totalMs ?? MAX_MS[purpose] ?? ANSWER_MS,
  });
  return async (url, { headers: given, signal = null } = {}) => {
    const headers = new Headers(given);
    for (const name of WITHHELD) headers.delete(name);
    return send(url, { headers, signal });
  };
}
