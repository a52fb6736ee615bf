import type { RouteGroup } from './faults';
import { header, queryObject, type ServiceRequest } from './http-answer';

/** A request to the service's interface, for tests. */
export interface LoggedRequest {
  /** 1, 2, 3 …; never reused. */
  readonly sequence: number;
  /** By the service's clock, ms since the epoch, UTC. */
  readonly time: number;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string | string[]>;
  readonly group: RouteGroup;
  /** Those of the `NOTED` headers that were sent. */
  readonly headers: Record<string, string>;
  /** The status the endpoint chose; a fault may have put something else on the wire. */
  readonly status: number;
  readonly fault: string | null;
}

const NOTED = [
  'accept',
  'authorization',
  'content-type',
  'cookie',
  'host',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'origin',
  'range',
  'referer',
  'user-agent',
  'x-retailer',
  'x-service-namespace',
];

/** @param keep how many of the latest requests are remembered */
export function createRequestLog(now: () => number, keep: number) {
  let sequence = 0;
  let kept: LoggedRequest[] = [];
  return {
    note(request: ServiceRequest, group: RouteGroup, status: number, fault: string | null): void {
      sequence += 1;
      const { method, path, query } = request;
      const headers = Object.fromEntries(
        NOTED.flatMap((name): [string, string][] => {
          const value = header(request, name);
          return value === null ? [] : [[name, value]];
        }),
      );
      kept.push({
        sequence,
        time: now(),
        method,
        path,
        query: queryObject(query),
        group,
        headers,
        status,
        fault,
      });
      if (kept.length > keep * 1.25) kept = kept.slice(-keep);
    },
    requests: (): readonly LoggedRequest[] => kept.slice(-keep),
    clear(): void {
      kept = [];
    },
  };
}
