import { nestsDeeperThan } from '../reading/json-depth';
import { PlaysMoved } from '../records/exported-plays';
import { readSignal } from '../signals/signal-bodies';
import { SIGNAL_KINDS } from '../signals/signal-kinds';
import type { Signals } from '../signals/signals';
import type { Metrics } from '../status/metrics';
import { type Status, StatusJson } from '../status/status';
import {
  type Answer,
  type HealthChecks,
  json,
  judgeHealth,
  noContent,
  PlaysQuery,
  refuse,
  success,
} from './answers';
import { openApiDocument } from './openapi';
import type { ServerLimits } from './server-limits';

/**
 * Plays with `from` ≤ at < `to` (ms since the epoch), oldest first, as pieces of many lines each. Rejects if
 * the records do not answer.
 */
export type PlaysReader = (range: {
  readonly from: number | null;
  readonly to: number | null;
}) => AsyncGenerator<string, void>;

export interface RoutesParts {
  readonly signals: Signals;
  /** @param slots number of coming slots to include */
  readonly status: (slots?: number) => Status | Promise<Status>;
  readonly health: () => HealthChecks | Promise<HealthChecks>;
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  readonly plays: PlaysReader;
  readonly version: string;
}

export type Respond = (request: {
  readonly body: Buffer;
  readonly query: string;
}) => Answer | Promise<Answer>;

/** What responds at a path, by method. */
export type Route = Readonly<Record<string, Respond>>;

/**
 * Creates the paths of the API.
 *
 * @param port the port of the server, known once it listens
 */
export function createRoutes(
  parts: RoutesParts,
  limits: Pick<ServerLimits, 'bodyBytes'>,
  port: () => number,
): ReadonlyMap<string, Route> {
  const { signals } = parts;
  const routes = new Map<string, Route>();
  for (const kind of SIGNAL_KINDS) {
    routes.set(`/v1/signals/${kind}`, {
      PUT({ body }) {
        const read = readJson(body);
        if (!read.ok) return refuse(read.code, read.message);
        const reading = readSignal(kind, read.value);
        if (!reading.ok) return refuse(reading.error.code, reading.error.message);
        signals.set(reading.signal);
        return noContent;
      },
      DELETE() {
        signals.clear(kind);
        return noContent;
      },
    });
  }
  routes.set('/v1/status', {
    GET: async () => json(200, StatusJson.parse(await parts.status())),
  });
  routes.set('/healthz', {
    async GET() {
      const health = judgeHealth(await parts.health());
      return json(health.status === 'ok' ? 200 : 503, health);
    },
  });
  routes.set('/metrics', {
    async GET() {
      const body = await parts.metrics.scrape(await parts.status(0));
      return success(parts.metrics.contentType, body);
    },
  });
  let document: Answer | null = null;
  routes.set('/v1/openapi.json', {
    GET() {
      const { version } = parts;
      document ??= json(200, openApiDocument(version, port(), limits.bodyBytes));
      return document;
    },
  });
  routes.set('/v1/plays', playsRoute(parts.plays));
  return routes;
}

function playsRoute(plays: PlaysReader): Route {
  return {
    async GET({ query }) {
      const parameters = [...new URLSearchParams(query)];
      const asked = PlaysQuery.safeParse(Object.fromEntries(parameters));
      if (!asked.success || Object.keys(asked.data).length < parameters.length) {
        const got = parameters.map(([name, value]) => `${name}=${value}`).join('&');
        return refuse(
          'invalid-query',
          `Expected nothing but from and to, each once, as RFC 3339 times such as 2026-01-31T12:00:00Z (+ is written %2B), got ${JSON.stringify(got.slice(0, 200))}.`,
        );
      }
      const { from, to } = asked.data;
      const rest = plays({
        from: from === undefined ? null : Date.parse(from),
        to: to === undefined ? null : Date.parse(to),
      });
      // The first piece is read before the head is sent, so that an error of the records becomes a status.
      const first = await rest.next().catch((error: unknown) => {
        if (error instanceof PlaysMoved) return null;
        throw error;
      });
      if (first === null)
        return refuse('unavailable', 'Plays are moved with the clock. Ask again in a moment.');
      return { ...success('application/x-ndjson; charset=utf-8', first.value ?? ''), rest };
    },
  };
}

/** The methods of a route, as `Allow` names them. */
export function allowed(route: Route): string[] {
  const methods = Object.keys(route);
  return methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((name) => name !== 'GET')] : methods;
}

/** Levels of arrays and objects a body may nest; the deepest signal has three. */
const MAX_DEPTH = 8;

/** Decodes a body strictly: UTF-8 without repairs, JSON, at most eight levels deep. */
export function readJson(bytes: Uint8Array) {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, code: 'not-utf-8', message: 'The body is not valid UTF-8.' } as const;
  }
  if (nestsDeeperThan(MAX_DEPTH, text)) {
    return {
      ok: false,
      code: 'too-deep',
      message: `The body nests deeper than ${MAX_DEPTH} levels.`,
    } as const;
  }
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value } as const;
  } catch {
    // The parser's own message quotes the body, which may describe a shopper.
    return { ok: false, code: 'not-json', message: 'The body is not valid JSON.' } as const;
  }
}
