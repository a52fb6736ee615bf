import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/clock';
import { tokenBucket } from '../token-bucket';
import { type Answer, CLOSE, refuse } from './answers';
import type { Connection } from './connections';
import { allowed, type Respond, type Route } from './routes';
import type { ServerLimits } from './server-limits';

/**
 * The error for a request, decided by its head alone: origin, token, rate, path and content type; or what responds to
 * it.
 */
export type Judge = (request: IncomingMessage, connection: Connection, path: string) => Answer | Respond;

/** @param port the port of the server, known once it listens */
export function createAdmission(
  token: string,
  routes: ReadonlyMap<string, Route>,
  limits: Pick<ServerLimits, 'rate' | 'pipelined'>,
  clock: Pick<Clock, 'monotonic'>,
  port: () => number,
): Judge {
  const bucket = () => tokenBucket(limits.rate);
  const buckets = { token: bucket(), health: bucket(), refused: bucket() };

  return (request, connection, path) => {
    const refused = checkOrigin(request, port());
    const trusted = refused === null && carriesToken(request.headers.authorization, token);
    if (trusted) connection.trusted = true;
    const open = path === '/healthz';

    const caller = trusted ? 'token' : refused === null && open ? 'health' : 'refused';
    const waitMs = buckets[caller](clock.monotonic());
    if (waitMs > 0) {
      return refuse('rate-limited', 'Too many requests.', {
        'Retry-After': String(Math.ceil(waitMs / 1000)),
        ...(trusted ? {} : CLOSE),
      });
    }
    if (connection.pending > limits.pipelined) {
      return refuse('rate-limited', 'Too many requests at once.', { 'Retry-After': '1', ...CLOSE });
    }
    // A connection without the token is closed after one error: more answers would only cost the player time.
    if (refused !== null) return refused;
    if (!trusted && !open) {
      const expected = 'Expected Authorization: Bearer with the token of the signals-token file.';
      return refuse('unauthorized', expected, { 'WWW-Authenticate': 'Bearer realm="endcap"', ...CLOSE });
    }
    if (!/^100-continue$/i.test(request.headers.expect ?? '100-continue'))
      return refuse('expectation-failed', 'Expected no Expect header but 100-continue.', CLOSE);
    const route = routes.get(path);
    if (route === undefined) return refuse('not-found', 'There is nothing at this path.');
    const { method = '' } = request;
    const respond = route[method === 'HEAD' ? 'GET' : method];
    if (respond === undefined) {
      const allow = allowed(route).join(', ');
      return refuse('method-not-allowed', `Expected one of ${allow}.`, { Allow: allow });
    }
    return (method === 'PUT' ? judgeContent(request) : null) ?? respond;
  };
}

function judgeContent(request: IncomingMessage): Answer | null {
  const [type = '', ...attributes] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = attributes.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const plain = request.headers['content-encoding'] === undefined;
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === 'application/json' && utf8 && plain) return null;
  return refuse('unsupported-media-type', 'Expected Content-Type: application/json in UTF-8, not encoded.');
}

/**
 * Refuses requests that a web page could make a browser send: to a foreign name that
 * resolves to this machine (the Host header shows it), or from a page of another origin.
 */
function checkOrigin({ headers, headersDistinct }: IncomingMessage, port: number): Answer | null {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  // Clients leave out the port of http.
  const own = [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
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
function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^bearer +(?<token>[\x21-\x7e]+) *$/i.exec(authorization ?? '')?.groups?.token ?? '';
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}
