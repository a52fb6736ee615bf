import { type Lookup, routeToService } from './egress-policy';
import { createHttpClient, type Fetch, type HttpClientOptions } from './http-client';
import { NO_PROXIES, type Proxies } from './proxies';

/**
 * A `fetch` for the service's own addresses, as the settings name them: they may
 * be anywhere. A body is text or bytes. By the same client as everything else, so that one rule holds for
 * connections, encodings and deadlines. Redirects are answers: nothing secret
 * follows one to another host (rule 22).
 *
 * @param options.userAgent of requests that name none of their own
 */
export function createServiceFetch(
  options: Omit<HttpClientOptions, 'route' | 'decodes' | 'follows'> & {
    readonly lookup: Lookup;
    readonly proxies?: Proxies;
    readonly userAgent?: string;
  },
): Fetch {
  const send = createHttpClient({
    ...options,
    route: (url) => routeToService(url, options.lookup, options.proxies ?? NO_PROXIES),
    decodes: true,
    follows: false,
  });
  return async (url, init = {}) => {
    const { body } = init;
    if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
      throw new TypeError('expected a body of text or bytes');
    }
    const headers = new Headers(init.headers);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (options.userAgent !== undefined && !headers.has('user-agent')) {
      headers.set('user-agent', options.userAgent);
    }
    return send({
      url,
      method: (init.method ?? 'GET').toUpperCase(),
      headers,
      body: body ?? null,
      signal: init.signal,
    });
  };
}
