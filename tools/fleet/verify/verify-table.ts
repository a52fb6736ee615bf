import type { ClickHouse } from '../clickhouse-client';
import { sqlText } from '../sql-files';
import type { AcceptedKiosk } from './accepted-kiosks';
import type { SetAside } from './chain';
import type { Finding } from './findings';
import { epochVerifier, setAsideBy, type Verified } from './verify-rows';

export interface VerifyRange {
  readonly table: string;
  /** RFC 3339; null: unbounded. Segments are checked that contain a play of the range or were made in it. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface TableVerified extends Verified {
  readonly kiosks: number;
}

/** Verifies a table, kiosk by kiosk and epoch by epoch. Rejects with the server's error text. */
export async function verifyTable(
  clickHouse: ClickHouse,
  range: VerifyRange,
  accepted: ReadonlyMap<string, AcceptedKiosk>,
  report: (finding: Finding) => void,
): Promise<TableVerified> {
  let segments = 0;
  let rows = 0;
  const kiosks = new Set<string>();
  for (const part of await partsOf(clickHouse, range)) {
    const { kiosk, epoch, first, last } = part;
    const place = { kiosk, epoch: Number(epoch) };
    const acceptedKiosk = accepted.get(kiosk) ?? null;
    const setAside = acceptedKiosk ? await newestSetAside(clickHouse, range.table, part, acceptedKiosk) : [];
    const about = { fromStart: range.from === null, setAside };
    const verifier = epochVerifier(place, acceptedKiosk, about, report);
    const where = `${epochIs(part)} AND seq >= ${first} AND seq <= ${last}`;
    const sql = `SELECT * FROM ${range.table} WHERE ${where} ORDER BY seq, kind`;
    for await (const row of clickHouse.rows(sql)) verifier.add(row);
    const verified = verifier.end();
    kiosks.add(kiosk);
    segments += verified.segments;
    rows += verified.rows;
  }
  return { kiosks: kiosks.size, segments, rows };
}

/** What the newest manifest of the whole epoch that the kiosk signed says is set aside, whatever the range. */
async function newestSetAside(
  clickHouse: ClickHouse,
  table: string,
  part: Part,
  kiosk: AcceptedKiosk,
): Promise<readonly SetAside[]> {
  const sql = `SELECT * FROM ${table} WHERE kind = 'segment' AND ${epochIs(part)} ORDER BY seq DESC`;
  for await (const manifest of clickHouse.rows(sql)) {
    const told = setAsideBy(manifest, kiosk);
    if (told) return told;
  }
  return [];
}

/** Exact, because a rounded number would leave out foreign rows with numbers above 2^53. */
interface Part {
  readonly kiosk: string;
  readonly epoch: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

/** The kiosks, epochs and numbers of a range, extended to whole segments. */
async function partsOf(clickHouse: ClickHouse, { table, from, to }: VerifyRange): Promise<Part[]> {
  const bounds = [
    ...(from === null ? [] : [`time >= parseDateTimeBestEffort(${sqlText(from)}, 'UTC')`]),
    ...(to === null ? [] : [`time < parseDateTimeBestEffort(${sqlText(to)}, 'UTC')`]),
  ];
  const inRange = bounds.length === 0 ? '' : `WHERE ${bounds.join(' AND ')}`;
  const asked = await clickHouse.all(
    `SELECT kiosk, epoch, min(if(kind = 'segment', \`first\`, seq)) AS low, max(seq) AS high
     FROM ${table} ${inRange} GROUP BY kiosk, epoch ORDER BY kiosk, epoch`,
  );
  const parts: Part[] = [];
  for (const row of asked) {
    const part = {
      kiosk: String(row.kiosk),
      epoch: BigInt(String(row.epoch)),
      first: BigInt(String(row.low)),
      last: BigInt(String(row.high)),
    };
    parts.push(bounds.length === 0 ? part : await wholeSegments(clickHouse, table, part));
  }
  return parts;
}

/** Extends a part to the whole segments that its numbers lie in. */
async function wholeSegments(clickHouse: ClickHouse, table: string, part: Part): Promise<Part> {
  const [row] = await clickHouse.all(
    `SELECT min(\`first\`) AS low, max(\`last\`) AS high, count() AS found FROM ${table}
     WHERE kind = 'segment' AND ${epochIs(part)} AND \`last\` >= ${part.first} AND \`first\` <= ${part.last}`,
  );
  if (row === undefined || Number(row.found) === 0) return part;
  const [low, high] = [BigInt(String(row.low)), BigInt(String(row.high))];
  return {
    ...part,
    first: low < part.first ? low : part.first,
    last: high > part.last ? high : part.last,
  };
}

const epochIs = ({ kiosk, epoch }: Part) => `kiosk = ${sqlText(kiosk)} AND epoch = ${epoch}`;
