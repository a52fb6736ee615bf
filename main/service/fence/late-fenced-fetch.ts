import type { createFencedFetch, FencedFetch } from './fenced-fetch';

/**
 * `createFencedFetch`, loaded with Node's HTTP and TLS at its first request: no start waits for them.
 *
 * @param notBefore no request is made until this is done: to load them keeps main's thread, through which each frame may have to go, for 25 ms
 */
export function createLateFencedFetch(
  options: Parameters<typeof createFencedFetch>[0],
  notBefore: Promise<void>,
): FencedFetch {
  return async (input, init) => {
    await notBefore;
    const { createFencedFetch } = await import('./fenced-fetch');
    return createFencedFetch(options)(input, init);
  };
}
