import type { Lookup } from './checked-target';
import { routeToService } from './egress-policy';
import { createHttpClient, type Fetch, type HttpClientOptions } from './http-client';
import { NO_PROXIES, type Proxies } from './proxies';

/**
 * A `fetch` for the service's own addresses, which the settings name and which may be anywhere. It uses the
 * same client as everything else, so that the same rules hold for connections, encodings and deadlines. It
 * does not follow redirects, so that no credential goes to another host (rule 22).
 */
export const createServiceFetch = (
  options: Omit<HttpClientOptions, 'route' | 'decodes' | 'follows'> & {
    readonly lookup: Lookup;
    readonly proxies?: Proxies;
  },
): Fetch =>
  createHttpClient({
    ...options,
    route: (url) => routeToService(url, options.lookup, options.proxies ?? NO_PROXIES),
    decodes: true,
    follows: false,
  });
