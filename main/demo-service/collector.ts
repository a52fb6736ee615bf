import { type Answer, bareAnswer, header, queryObject, type ServiceRequest } from './http-answer';

/** One beacon as it arrived. */
export interface Beacon {
  /** 1, 2, 3 … in order of arrival; never reused, not even after a clear. */
  readonly sequence: number;
  /** Arrival by the service's clock, ms since the epoch, UTC. */
  readonly time: number;
  readonly method: string;
  /** Absolute, exactly as requested. */
  readonly url: string;
  readonly path: string;
  readonly query: Record<string, string | string[]>;
  /** The fault switch that answered it (such as `status` or `reset`), or null when it was accepted. */
  readonly fault: string | null;
  /** A beacon with the same URL and event time (`ets`) was accepted before, so this one is a replay. */
  readonly isReplay: boolean;
  readonly userAgent: string | null;
  /** The user agent differs from that of the request for the ad (native ads). */
  readonly agentDiffers: boolean;
}

/** The query parameter that carries an event's own time. */
const EVENT_TIME = 'ets';

/** @param keep how many of the latest beacons are remembered */
export function createCollector(now: () => number, origin: () => string, keep: number) {
  let sequence = 0;
  let kept: Beacon[] = [];
  /** URLs with an event time that were accepted, the latest `keep` of them. */
  const accepted = new Set<string>();
  /** Who asked for a native ad, by its instance. */
  const agents = new Map<string, string | null>();
  return {
    /** A native ad was given to this user agent. */
    delivered(instance: string, userAgent: string | null): void {
      agents.set(instance, userAgent);
      forgetOldest(agents, keep);
    },
    /** Records a request to `/collect/…`, even if a fault changes its answer. */
    record(request: ServiceRequest, fault: string | null): void {
      sequence += 1;
      const userAgent = header(request, 'user-agent');
      const instance = request.query.get('instance');
      const isReplay = accepted.has(request.target);
      if (fault === null && request.query.has(EVENT_TIME)) {
        accepted.add(request.target);
        forgetOldest(accepted, keep);
      }
      kept.push({
        sequence,
        time: now(),
        method: request.method,
        url: origin() + request.target,
        path: request.path,
        query: queryObject(request.query),
        fault,
        isReplay,
        userAgent,
        agentDiffers: instance !== null && agents.has(instance) && agents.get(instance) !== userAgent,
      });
      // Cut in large steps: shifting a long list by one for each beacon would be quadratic.
      if (kept.length > keep * 1.25) kept = kept.slice(-keep);
    },
    beacons: (): readonly Beacon[] => kept.slice(-keep),
    clear(): void {
      kept = [];
    },
  };
}

/** Deletes the oldest entry if there are more than `most`: sets and maps keep insertion order. */
function forgetOldest(entries: Set<string> | Map<string, unknown>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

/** The smallest picture there is: 1×1, transparent. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** `/collect/…`: a pixel for paths that end in `.gif`, else 204. */
export function collectEndpoint(request: ServiceRequest): Answer {
  const headers = { 'Cache-Control': 'no-store' };
  if (!request.path.endsWith('.gif')) return bareAnswer(204, headers);
  return { status: 200, headers: { ...headers, 'Content-Type': 'image/gif' }, body: GIF };
}
