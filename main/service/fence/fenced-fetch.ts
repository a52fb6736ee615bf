import type { Fence, FencePurpose } from './fence';
import { ANSWER_MS, createHttpClient, type HttpClientOptions } from './http-client';

/** Set by the client, or carriers of a credential: ads' URLs are asked for without any. */
const WITHHELD = ['host', 'connection', 'accept-encoding', 'authorization', 'proxy-authorization', 'cookie'];

/** The part of `fetch` that ads' URLs need: GET and HEAD, no request body. */
export type FencedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface FencedFetchOptions extends Omit<HttpClientOptions, 'route' | 'decodes'> {
  readonly fence: Fence;
  readonly purpose: FencePurpose;
  readonly userAgent?: string;
}

/**
 * A `fetch` for one purpose, behind the fence (rule 22). Resolves to a `Response`
 * whose body streams, rejects with a `SendFault`.
 *
 * Redirects are followed, at most five, each through the fence again; one from
 * https to http is followed too, because nothing secret is on the way and ad
 * servers do it. No cookies, credentials, cache or referrer.
 *
 * Wrappers may be compressed, once; a beacon's body is thrown away, and media
 * compress by themselves. All but media, which may be large, have 120 s in all.
 */
export function createFencedFetch(options: FencedFetchOptions): FencedFetch {
  const { fence, purpose } = options;
  const send = createHttpClient({
    ...options,
    route: (url) => fence.resolve(url, purpose),
    decodes: purpose === 'wrapper',
    totalMs: options.totalMs ?? (purpose === 'media' ? Number.POSITIVE_INFINITY : ANSWER_MS),
  });
  return async (input, init = {}) => {
    const asked = input instanceof Request ? input : null;
    const method = (init.method ?? asked?.method ?? 'GET').toUpperCase();
    if ((method !== 'GET' && method !== 'HEAD') || init.body || asked?.body) {
      throw new TypeError(`expected a GET or HEAD request without a body, got ${method}`);
    }
    const headers = new Headers(init.headers ?? asked?.headers);
    for (const name of WITHHELD) headers.delete(name);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent);
    return send({
      url: asked?.url ?? String(input),
      method,
      headers,
      body: null,
      redirect: init.redirect ?? asked?.redirect ?? 'follow',
      signal: init.signal ?? asked?.signal,
    });
  };
}
