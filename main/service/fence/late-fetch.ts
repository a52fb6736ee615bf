import type { createFencedFetch, FencedFetch } from './fenced-fetch';
import type { createServiceFetch, ServiceFetch } from './service-fetch';

/** PEM of CAs that are trusted besides the usual ones (`network.caFile`). */
interface MoreCas {
  readonly additionalCas: readonly string[];
}

/** `createFencedFetch`, loaded with Node's HTTP and TLS at its first request: no start waits for them. */
export function createLateFencedFetch({
  additionalCas,
  ...options
}: Parameters<typeof createFencedFetch>[0] & MoreCas): FencedFetch {
  return async (input, init) => {
    const { createFencedFetch } = await import('./fenced-fetch');
    const { createOpenConnection } = await import('./open-connection');
    return createFencedFetch({ ...options, openConnection: createOpenConnection(additionalCas) })(
      input,
      init,
    );
  };
}

/** `createServiceFetch`, loaded likewise. */
export function createLateServiceFetch({
  additionalCas,
  ...options
}: Parameters<typeof createServiceFetch>[0] & MoreCas): ServiceFetch {
  return async (url, init) => {
    const { createServiceFetch } = await import('./service-fetch');
    const { createOpenConnection } = await import('./open-connection');
    return createServiceFetch({ ...options, openConnection: createOpenConnection(additionalCas) })(url, init);
  };
}
