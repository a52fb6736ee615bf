import { gzipSync } from 'node:zlib';
import { seededRandom } from '../../../e2e/seeded-random';
import type { ClickHouse } from '../clickhouse-client';
import type { Segment } from '../testing/kiosk';
import { type KioskFault, type SimulatedKiosk, simulatedKiosk } from './simulated-kiosk';

/** Faults that can be switched on by name. Each affects a different kiosk. */
export const FAULTS = [
  'ignores-caps',
  'offline',
  'silent',
  'replayed',
  'lost',
  'tampered',
  'forged',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Simulation {
  readonly kiosks: number;
  readonly hours: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
}

export interface Simulated {
  /** The accepted kiosks, without a forged one. */
  readonly kiosks: readonly SimulatedKiosk[];
  readonly struck: ReadonlyMap<Fault, string>;
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly segments: number;
  readonly bytes: number;
}

const SEGMENT_MS = 900_000;
const HOUR = 3_600_000;
const OF_KIOSK: readonly Fault[] = ['ignores-caps', 'offline', 'silent'];

/**
 * Plays a fleet in accelerated time, up to the last full quarter of an hour before `now` (ms since the epoch), and
 * sends each segment by HTTP as kiosks do. `progress` gets the share that is done (0 to 1).
 */
export async function simulate(
  clickHouse: ClickHouse,
  table: string,
  { kiosks: count, hours, seed, faults }: Simulation,
  now: number,
  progress: (done: number) => void,
): Promise<Simulated> {
  const random = seededRandom(seed);
  const to = Math.floor(now / SEGMENT_MS) * SEGMENT_MS;
  const from = to - hours * HOUR;
  const kiosks = Array.from({ length: count }, (_, number) => {
    const fault = faults[number];
    return simulatedKiosk(number, from, random, fault !== undefined && isOfKiosk(fault) ? fault : null);
  });
  const struck = new Map(faults.map((fault, number) => [fault, kiosks[number]?.segments.kiosk ?? '']));
  let segments = 0;
  let bytes = 0;
  const send = async (body: string) => {
    const zipped = gzipSync(body);
    const status = await clickHouse.send(table, zipped);
    if (status !== 200) throw new Error(`ClickHouse answered a segment with ${status}`);
    segments += 1;
    bytes += zipped.byteLength;
  };

  const later: Segment[] = [];
  const middle = from + Math.floor((to - from) / 2 / SEGMENT_MS) * SEGMENT_MS;
  for (let until = from + SEGMENT_MS; until <= to; until += SEGMENT_MS) {
    for (const [number, kiosk] of kiosks.entries()) {
      if (kiosk.fault === 'silent' && until > middle) continue;
      const segment = kiosk.playUntil(until);
      if (segment === null) continue;
      if (kiosk.fault === 'offline') later.push(segment);
      else
        for (const body of arriving(segment.body, until === middle ? (faults[number] ?? null) : null))
          await send(body);
    }
    progress((until - from) / (to - from));
  }
  for (const { body } of later) await send(body);
  if (faults.includes('forged')) {
    const forged = simulatedKiosk(count, from, random, null);
    struck.set('forged', forged.segments.kiosk);
    await send(forged.playUntil(from + SEGMENT_MS)?.body ?? '');
  }
  return { kiosks, struck, from, to, segments, bytes };
}

function isOfKiosk(fault: Fault): fault is KioskFault {
  return OF_KIOSK.includes(fault);
}

/** The bodies that arrive for a segment that is affected by a fault on its way. */
function arriving(body: string, fault: Fault | null): string[] {
  if (fault === 'lost') return [];
  if (fault === 'replayed') return [body, body];
  return [fault === 'tampered' ? body.replace('"outcome":"completed"', '"outcome":"failed"') : body];
}
