import { type Lookup, routeToService } from './fence';
import { createHttpClient, type HttpClientOptions } from './http-client';
import { NO_PROXIES, type Proxies } from './proxies';

/** The part of `fetch` that calls of the service need: any method, a body of text. */
export type ServiceFetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A `fetch` for the service's own addresses, as the settings name them: they may
 * be anywhere. By the same client as everything else, so that one rule holds for
 * connections, encodings and deadlines. Redirects are answers: nothing secret
 * follows one to another host (rule 22).
 *
 * @param options.userAgent of requests that name none of their own
 */
export function createServiceFetch(
  options: Omit<HttpClientOptions, 'route' | 'decodes'> & {
    readonly lookup: Lookup;
    readonly proxies?: Proxies;
    readonly userAgent?: string;
  },
): ServiceFetch {
  const send = createHttpClient({
    ...options,
    route: (url) => routeToService(url, options.lookup, options.proxies ?? NO_PROXIES),
    decodes: true,
  });
  return async (url, init) => {
    const { body } = init;
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('expected a body of text');
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
      redirect: 'manual',
      signal: init.signal,
    });
  };
}
