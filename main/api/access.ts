import { createHash, timingSafeEqual } from 'node:crypto';

/** The headers of a request that say where it comes from. */
export interface RequestOrigin {
  /** Every Host header, in order: a request with two is refused. */
  readonly hosts: readonly string[];
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

export interface AccessError {
  readonly code: 'wrong-host' | 'cross-site';
  readonly message: string;
}

/**
 * Refuses requests that a web page could make a browser send: to a foreign name that
 * resolves to this machine (the Host header shows it), or from a page of another origin.
 */
export function checkOrigin(request: RequestOrigin, port: number): AccessError | null {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const [host, ...others] = request.hosts;
  if (host === undefined || others.length > 0 || !own.includes(host.toLowerCase())) {
    return { code: 'wrong-host', message: `Expected one Host header with one of ${own.join(', ')}.` };
  }
  const site = request.secFetchSite;
  const foreignOrigin =
    request.origin !== undefined && !own.some((name) => request.origin?.toLowerCase() === `http://${name}`);
  if (foreignOrigin || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    return { code: 'cross-site', message: 'Web pages may not use this interface.' };
  }
  return null;
}

/** Whether the header carries the token; compares in constant time. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^bearer +(?<token>[\x21-\x7e]+) *$/i.exec(authorization ?? '')?.groups?.token ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
