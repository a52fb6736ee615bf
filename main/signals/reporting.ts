import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { OutboxCounts } from '../beacons/outbox';
import { createLate } from '../late';
import type { Schedule } from '../service/schedule';
import type { Counting } from './metrics';
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
  /** Loads what `GET /metrics` is answered with. To be called once. */
  openMetrics(): Promise<Registry>;
  /** What came of a call to the service. */
  readonly tellService: ReturnType<typeof reportService>;
}

/** What the outside tells this kiosk, and what it may learn of it; the loopback API is their door. */
export function createReporting(parts: {
  readonly versions: Status['versions'];
  readonly clock: Clock & { systemNow(): number; lastTrustedAt(): number | null };
  readonly schedule: Schedule;
  readonly log: Log;
  readonly memory: () => Status['memory'];
  /** Age of the access token in use, ms; null while there is none. */
  readonly tokenAgeMs: () => number | null;
  /** Asked at each scrape, not before. */
  readonly beacons: () => OutboxCounts;
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
  const counting = createLate<Counting>([
    'playSettled',
    'decided',
    'capHit',
    'serviceFailed',
    'requestAnswered',
  ]);
  return {
    signals,
    board,
    counting: counting.calls,
    async openMetrics() {
      const { createMetrics } = await import('./metrics');
      const metrics = createMetrics(versions, {
        tokenAgeMs: parts.tokenAgeMs,
        clockCorrectionMs: () => clock.now() - clock.systemNow(),
        memory,
        beacons: parts.beacons,
      });
      counting.use(metrics);
      return metrics.registry;
    },
    tellService: reportService({ board, metrics: counting.calls }),
  };
}
