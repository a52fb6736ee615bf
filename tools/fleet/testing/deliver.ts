import { gzipSync } from 'node:zlib';
import type { SegmentAbout } from '../../../main/fleet/segment';
import type { ClickHouse } from '../clickhouse-client';
import type { EpochHistory, KioskHistory } from './histories';
import type { KioskSegments, Segment } from './kiosk';
import { rowOf } from './plays';

/** The bodies of a kiosk's history that arrive, in their order and including repeats. */
export function arrivingBodies(kiosk: KioskSegments, { epochs }: KioskHistory): string[] {
  return epochs.flatMap((epoch) => segmentsOf(kiosk, epoch));
}

function segmentsOf(kiosk: KioskSegments, { epoch, rows, segments }: EpochHistory): string[] {
  const bodies: string[] = [];
  let setAside: SegmentAbout['setAside'][number][] = [];
  /** Set aside until the next segment was made. */
  let late: { readonly segment: Segment; readonly isLost: boolean } | null = null;
  const fields = rows.map(({ play, rev }, index) =>
    rowOf(play, { kiosk: kiosk.kiosk, epoch, seq: index + 1, rev }),
  );
  for (let next = 0, place = 0; next < fields.length; place += 1) {
    const { size, fate } = segments[place % segments.length] ?? { size: 1, fate: 'arrived' as const };
    const part = fields.slice(next, next + size);
    next += part.length;
    if (fate === 'dropped') {
      setAside.push({ first: next - part.length + 1, last: next, digest: null });
      continue;
    }
    const made: Segment = kiosk.cut(part, epoch + next, setAside);
    const { first, last, digest } = made.manifest;
    if (late !== null) {
      const { manifest, body } = late.segment;
      setAside = setAside.filter((range) => range.digest !== manifest.digest);
      if (!late.isLost) bodies.push(body);
    }
    const isLate = fate === 'late' || fate === 'late-lost';
    late = isLate ? { segment: made, isLost: fate === 'late-lost' } : null;
    if (isLate || fate === 'set-aside') setAside.push({ first, last, digest });
    else if (fate === 'arrived') bodies.push(made.body);
    else if (fate === 'repeated') bodies.push(made.body, made.body);
  }
  return bodies;
}

/** Sends bodies as kiosks do. Rejects unless each is accepted. */
export async function deliver(
  clickHouse: ClickHouse,
  table: string,
  bodies: readonly string[],
): Promise<void> {
  for (const body of bodies) {
    const status = await clickHouse.send(table, gzipSync(body));
    if (status !== 200) throw new Error(`a segment was answered with ${status}`);
  }
}
