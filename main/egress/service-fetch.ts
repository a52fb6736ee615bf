import type { Lookup } from './checked-target';
import { routeToService } from './egress-policy';
import { createHttpClient, type Fetch, type HttpClientOptions } from './http-client';
import { NO_PROXIES, type Proxies } from './proxies';

/**
 * A `fetch` for the service's own addresses, which the settings name and which may be anywhere. A body is
 * text or bytes. It uses the same client as everything else, so that the same rules hold for connections,
 * encodings and deadlines. It does not follow redirects, so that no credential goes to another host (rule
 * 22).
 *
 * @param options.userAgent of requests that set none
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
