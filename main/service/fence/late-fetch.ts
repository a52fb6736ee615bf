import type { createFencedFetch, FencedFetch } from './fenced-fetch';
import type { createServiceFetch, ServiceFetch } from './service-fetch';

/** `createFencedFetch`, loaded with Node's HTTP and TLS at its first request: no start waits for them. */
export function createLateFencedFetch(options: Parameters<typeof createFencedFetch>[0]): FencedFetch {
  return async (input, init) => {
    const { createFencedFetch } = await import('./fenced-fetch');
    return createFencedFetch(options)(input, init);
  };
}

/** `createServiceFetch`, loaded likewise. */
export function createLateServiceFetch(options: Parameters<typeof createServiceFetch>[0]): ServiceFetch {
  return async (url, init) => {
    const { createServiceFetch } = await import('./service-fetch');
    return createServiceFetch(options)(url, init);
  };
}
