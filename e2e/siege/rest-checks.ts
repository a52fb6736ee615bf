import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { capsExceeded } from '../kills/cap-recount';
import { footprintOf } from '../process-tree';
import type { DisplayJudge } from './display-judge';
import { CAPS } from './good-ads';
import type { HostileService } from './hostile-service';
import type { SiegeKiosk } from './siege-kiosk';

/** Bounds that hold once the service is good again. */
export const AT_REST = {
  /**
   * Longest time from the end of the attack until a new ad is on the display, ms: an answer may take 120 s,
   * and the retry comes a minute later.
   */
  freshWithinMs: 190_000,
  /** Resources are released within this time, ms: an idle reading worker ends after 10 s. */
  settledAfterMs: 15_000,
  /** Processor time of all processes, cores. */
  cores: 1.2,
  /** Growth of the memory (PSS) of all processes since the first rest, MB. */
  memoryGrowthMb: 300,
  openConnections: 24,
  processes: 16,
  dataFolderMb: 400,
} as const;

export interface RestFigures {
  readonly cores: number;
  readonly pssMb: number;
  /** What `pssMb` consists of, for whoever looks for the cause: a kind of process, and its share in MB. */
  readonly pssMbByKind: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly processes: number;
  readonly dataFolderMb: number;
}

/**
 * Uncertainty of the start of a play as seen on the display, ms. A play counts from its reservation (rule 8), and on a
 * busy machine its first frame comes up to 3 s later, which brings it closer to the plays after it.
 */
const LOOK_BLUR_MS = 5_000;

/** Measures a kiosk at rest for `ms`. */
export async function restFigures(
  kiosk: SiegeKiosk,
  service: HostileService,
  ms: number,
): Promise<RestFigures> {
  const before = footprintOf(kiosk.pid());
  const since = performance.now();
  await sleep(ms);
  const after = footprintOf(kiosk.pid());
  const seconds = (performance.now() - since) / 1000;
  return {
    // The processor time of processes that ended meanwhile is lost, so the difference may be negative.
    cores: Math.max(0, (after.cpuSeconds - before.cpuSeconds) / seconds),
    pssMb: after.pssMb,
    pssMbByKind: after.pssMbByKind,
    connections: service.openConnections(),
    processes: after.processes,
    dataFolderMb: (await bytesIn(kiosk.dataDir)) / 1e6,
  };
}

/** Bounds that these figures exceed, one sentence each. `firstMb`: memory before the first attack, MB. */
export function restViolations(figures: RestFigures, firstMb: number): string[] {
  const { cores, pssMb, connections, processes, dataFolderMb } = figures;
  const kinds = Object.entries(figures.pssMbByKind).map(([kind, mb]) => `${kind} ${Math.round(mb)}`);
  const over = (what: string, value: number, bound: number, unit: string) =>
    value > bound
      ? [`${what}: ${value.toFixed(1)}${unit} where ${bound.toFixed(1)}${unit} is the bound`]
      : [];
  return [
    ...over('processor at rest', cores, AT_REST.cores, ' cores'),
    ...over(`memory at rest (${kinds.join(', ')})`, pssMb, firstMb + AT_REST.memoryGrowthMb, ' MB'),
    ...over('open connections at rest', connections, AT_REST.openConnections, ''),
    ...over('processes at rest', processes, AT_REST.processes, ''),
    ...over('data folder', dataFolderMb, AT_REST.dataFolderMb, ' MB'),
  ];
}

/**
 * Caps that were exceeded (rule 7), by the plays on the display in real time and by the kiosk's own record.
 *
 * @param startedAt ms, `Date.now`: each real UTC day that began since then allows its plays again
 */
export function capViolations(
  display: DisplayJudge,
  plays: readonly PlayRow[],
  startedAt: number,
  now: number = Date.now(),
): string[] {
  const days = Math.floor(now / 86_400_000) - Math.floor(startedAt / 86_400_000) + 1;
  const daily = CAPS.daily.map(({ limit }) => ({ window: 'whole siege', limit: limit * days }));
  const counted = (flight: string) =>
    plays
      .filter(({ flightId, outcome }) => flightId === flight && outcome !== 'given-back')
      .map(({ at }) => Date.parse(at));
  return [
    ...capsExceeded(display.starts('daily'), daily).map((words) => `daily on the display, ${words}`),
    ...capsExceeded(display.starts('minutely'), CAPS.minutely, LOOK_BLUR_MS).map(
      (words) => `minutely on the display, ${words}`,
    ),
    ...capsExceeded(counted('daily'), daily).map((words) => `daily in the books, ${words}`),
  ];
}

/** A line of `GET /v1/plays`: only the fields that are needed here. */
export interface PlayRow {
  readonly at: string;
  readonly outcome: string;
  readonly adId: string;
  readonly flightId: string | null;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  return names.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
