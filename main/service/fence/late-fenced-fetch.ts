import type { createFencedFetch, FencedFetch } from './fenced-fetch';

/** `createFencedFetch`, loaded with Node's HTTP and TLS at its first request: no start waits for them. */
export function createLateFencedFetch(options: Parameters<typeof createFencedFetch>[0]): FencedFetch {
  return async (input, init) => {
    const { createFencedFetch } = await import('./fenced-fetch');
    return createFencedFetch(options)(input, init);
  };
}
