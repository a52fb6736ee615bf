import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, CLOSE, refuse } from './answers';

/**
 * Refuses requests that a web page could make a browser send: to a foreign name that
 * resolves to this machine (the Host header shows it), or from a page of another origin.
 */
export function checkOrigin({ headers, headersDistinct }: IncomingMessage, port: number): Answer | null {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const [host, ...others] = headersDistinct.host ?? [];
  if (host === undefined || others.length > 0 || !own.includes(host.toLowerCase())) {
    return refuse('wrong-host', `Expected one Host header with one of ${own.join(', ')}.`, CLOSE);
  }
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  const isOwnPage = origin === undefined || own.some((name) => origin.toLowerCase() === `http://${name}`);
  if (!isOwnPage || (site !== 'same-origin' && site !== 'none')) {
    return refuse('cross-site', 'Web pages may not use this interface.', CLOSE);
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
