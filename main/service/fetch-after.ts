/**
 * A `fetch` that makes no request until this is done, or until the one who asked gives it up: what `fetch` then makes
 * of it is its own affair. A request's time out counts from when it is asked for.
 */
export function fetchAfter(
  notBefore: Promise<void>,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): (url: string, init?: RequestInit) => Promise<Response> {
  let isWaiting = true;
  const over = notBefore.then(() => {
    isWaiting = false;
  });
  return async (url, init = {}) => {
    if (isWaiting) await Promise.race([over, aborted(init.signal)]);
    return fetch(url, init);
  };
}

function aborted(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', () => done(), { once: true });
  });
}
