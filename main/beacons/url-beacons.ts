import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { eightDigits, resolveBeaconUrl } from './macros';

export interface UrlBeacons {
  /**
   * Sends a GET to each URL, after what was fired before for the same play, so
   * that a server sees impression, start and complete in that order.
   */
  fire(play: string, event: string, urls: readonly string[], errorCode?: number): void;
  /** Resolves when everything fired so far has had its answer. */
  settled(): Promise<void>;
  counts(): { sent: number; failed: number; pending: number };
}

/**
 * Direct delivery of area A's beacons: one try each, resolved at the event.
 *
 * @param options.timeoutMs longest wait for an answer, ms
 * @param options.random uniform in [0, 1)
 */
export function createUrlBeacons(options: {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly eventTimeParam: string | null;
  readonly timeoutMs?: number;
}): UrlBeacons {
  const { clock, log } = options;
  const timeoutMs = options.timeoutMs ?? 10_000;
  const queues = new Map<string, Promise<void>>();
  const counts = { sent: 0, failed: 0, pending: 0 };

  async function send(event: string, url: string): Promise<void> {
    try {
      const response = await options.fetch(url, {
        credentials: 'omit',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`answered with status ${response.status}`);
      counts.sent += 1;
    } catch (fault) {
      counts.failed += 1;
      log.warn('a beacon was not accepted', { event, url, fault });
    } finally {
      counts.pending -= 1;
    }
  }

  return {
    fire(play, event, urls, errorCode) {
      const moment = {
        at: clock.now(),
        cacheBuster: eightDigits(options.random),
        errorCode: errorCode ?? null,
      };
      const resolved = urls.map((url) => resolveBeaconUrl(url, moment, options.eventTimeParam));
      counts.pending += resolved.length;
      const before = queues.get(play) ?? Promise.resolve();
      const done = before
        .then(() => Promise.all(resolved.map((url) => send(event, url))))
        .then(() => {
          if (queues.get(play) === done) queues.delete(play);
        });
      queues.set(play, done);
    },
    async settled() {
      await Promise.all(queues.values());
    },
    counts: () => ({ ...counts }),
  };
}
