import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import type { Facts } from './metric-facts';
import type { Counting } from './metric-list';
import { createMetrics } from './metrics';
import { reportService } from './report-service';
import { createSignals, type Signals } from './signals';
import type { Status } from './status';
import { createStatusBoard, type StatusBoard } from './status-board';

export interface Reporting {
  /** What sensors, tills and weather said. */
  readonly signals: Signals;
  /** Everything the status is made of. */
  readonly board: StatusBoard;
  /** Counts from the start on. */
  readonly counting: Counting;
  /** What `GET /metrics` is answered with; `scraped` is asked at each scrape. To be called once. */
  openMetrics(scraped: ScrapedFacts): Registry;
  /** What came of a call to the service. */
  readonly tellService: ReturnType<typeof reportService>;
}

type ScrapedFacts = Pick<Facts, 'tokenAgeMs' | 'beacons' | 'playlistAgeMs' | 'tally' | 'cache' | 'restarts'>;

/** What the outside tells this kiosk, and what it may learn of it; the loopback API is their door. */
export function createReporting(parts: {
  readonly versions: Status['versions'];
  /** How long this process has run, ms. */
  readonly uptimeMs: () => number;
  readonly clock: Clock & { systemNow(): number; lastTrustedAt(): number | null };
  readonly schedule: Schedule;
  readonly log: Log;
  readonly memory: () => Status['memory'];
}): Reporting {
  const { versions, clock, schedule, log, memory } = parts;
  const signals = createSignals({ clock, schedule, log });
  const board = createStatusBoard({
    versions,
    now: clock.now,
    moment: () => ({
      now: clock.now(),
      systemNow: clock.systemNow(),
      trusted: clock.lastTrustedAt() !== null,
      lastTrustedAt: clock.lastTrustedAt(),
      signals: signals.ages(),
      memory: memory(),
    }),
  });
  const metrics = createMetrics();
  return {
    signals,
    board,
    counting: metrics.counting,
    openMetrics(scraped) {
      metrics.readFrom({
        ...scraped,
        versions,
        startedAt: clock.systemNow() - parts.uptimeMs(),
        clockCorrectionMs: () => clock.now() - clock.systemNow(),
        memory,
      });
      return metrics.registry;
    },
    tellService: reportService({ board, metrics: metrics.counting }),
  };
}
