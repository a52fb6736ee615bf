import { z } from 'zod';
import { plain } from '../../shared/plain';
import type { Beacon } from './collector';
import { type DemoAd, DemoAds } from './demo-ad';
import { Faults } from './faults';
import {
  type Answer,
  bareAnswer,
  header,
  jsonAnswer,
  methodNotAllowed,
  type ServiceRequest,
} from './http-answer';
import type { LoggedRequest } from './request-log';

/** The functions of the running service behind the control API. */
export interface Controls {
  faults(): Faults;
  setFaults(faults: Faults): void;
  ads(): readonly DemoAd[];
  /** Null restores the built-in playlist. */
  setAds(ads: DemoAd[] | null): void;
  /** Whether online requests are filled; else their answer has no ad. */
  fillsOnline(): boolean;
  setFillsOnline(fills: boolean): void;
  beacons(): readonly Beacon[];
  clearBeacons(): void;
  requests(): readonly LoggedRequest[];
  clearRequests(): void;
  revokeTokens(): void;
  /** Closes the port, even to this API, and opens it again after `ms`. */
  goDownFor(ms: number): void;
}

const Online = z.strictObject({ fills: plain.yesOrNo });
const Down = z.strictObject({ seconds: z.number().min(0.1).max(3600) });

/** `/control/…`: JSON in, JSON out; 400 with `issues` when a body is not what was expected. */
export function controlEndpoint(request: ServiceRequest, controls: Controls): Answer {
  switch (request.path) {
    case '/control/faults':
      return resource(request, {
        get: () => controls.faults(),
        put: body(request, Faults, (faults) => controls.setFaults(faults)),
        remove: () => controls.setFaults({}),
      });
    case '/control/ads':
      return resource(request, {
        get: () => controls.ads(),
        put: body(request, DemoAds, (ads) => controls.setAds(ads)),
        remove: () => controls.setAds(null),
      });
    case '/control/online':
      return resource(request, {
        get: () => ({ fills: controls.fillsOnline() }),
        put: body(request, Online, ({ fills }) => controls.setFillsOnline(fills)),
      });
    case '/control/beacons':
      return resource(request, {
        get: () => lastOf(controls.beacons(), request.query),
        remove: () => controls.clearBeacons(),
      });
    case '/control/requests':
      return resource(request, {
        get: () => lastOf(controls.requests(), request.query),
        remove: () => controls.clearRequests(),
      });
    case '/control/tokens':
      return resource(request, { remove: () => controls.revokeTokens() });
    case '/control/down':
      return resource(request, {
        put: body(request, Down, ({ seconds }) => controls.goDownFor(seconds * 1000)),
      });
    default:
      return bareAnswer(404);
  }
}

/** `?last=N` cuts a list to its last N entries. */
function lastOf<T>(list: readonly T[], query: URLSearchParams): readonly T[] {
  const last = Number(query.get('last') ?? Number.NaN);
  return Number.isInteger(last) && last > 0 ? list.slice(-last) : list;
}

interface Resource {
  readonly get?: () => unknown;
  readonly put?: () => Answer;
  readonly remove?: () => void;
}

function resource(request: ServiceRequest, { get, put, remove }: Resource): Answer {
  if (request.method === 'GET' && get !== undefined) {
    return jsonAnswer(200, get(), { 'Cache-Control': 'no-store' });
  }
  if (request.method === 'PUT' && put !== undefined) return put();
  if (request.method === 'DELETE' && remove !== undefined) {
    remove();
    return bareAnswer(204);
  }
  const allowed = [get && 'GET', put && 'PUT', remove && 'DELETE'].filter((name) => name !== undefined);
  return methodNotAllowed(allowed.join(', '));
}

function body<T>(request: ServiceRequest, schema: z.ZodType<T>, use: (value: T) => void): () => Answer {
  return () => {
    let value: unknown;
    try {
      value = JSON.parse(request.body.toString('utf8'));
    } catch {
      return jsonAnswer(400, { error: 'the body is not JSON' });
    }
    const read = schema.safeParse(value);
    if (!read.success)
      return jsonAnswer(400, { error: z.prettifyError(read.error), issues: read.error.issues });
    use(read.data);
    return bareAnswer(204);
  };
}

/**
 * Rejects requests of foreign web pages: the Host header must name this service (against DNS rebinding), and
 * Origin or Sec-Fetch-Site must not name another site. Null: the request is accepted.
 */
export function refuseForeign(request: ServiceRequest, port: number): Answer | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = header(request, 'host') ?? '';
  if (!hosts.includes(host)) return jsonAnswer(403, { error: 'unexpected host' });
  const origin = header(request, 'origin');
  if (origin !== null && origin !== `http://${host}`) return jsonAnswer(403, { error: 'unexpected origin' });
  const site = header(request, 'sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    return jsonAnswer(403, { error: 'cross-site request' });
  }
  return null;
}
