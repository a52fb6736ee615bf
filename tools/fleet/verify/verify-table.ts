import type { ClickHouse } from '../clickhouse-client';
import { IS_DATED, sqlText } from '../sql-files';
import type { AcceptedKiosk } from './accepted-kiosks';
import { setAsideIn } from './chain';
import type { Finding } from './findings';
import { epochVerifier, isSigned, type TableRow, type Verified } from './verify-rows';

export interface VerifyRange {
  readonly table: string;
  /** RFC 3339; null: unbounded. Segments are checked that contain or revise a play of the range, or were made in it. */
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
  const found = await partsOf(clickHouse, range);
  for (const part of [...found, ...(await emptyParts(clickHouse, range, accepted, found))]) {
    const { kiosk, epoch, first, last } = part;
    const place = { kiosk, epoch: Number(epoch) };
    const signer = accepted.get(kiosk) ?? null;
    const manifest = (where: string, order: 'ASC' | 'DESC') =>
      signer && signedManifest(clickHouse, `${range.table} WHERE ${epochIs(part)}${where}`, order, signer);
    // The newest manifest of the whole epoch, whatever the range.
    const newest = await manifest('', 'DESC');
    const about = {
      fromStart: beginsFrom(part, range.from),
      setAside: setAsideIn(String(newest?.setAside)),
      // Even without `from`: a kiosk's clock may have been wrong when the earlier ones were made.
      before: first > 1n ? await manifest(` AND \`last\` < ${first}`, 'DESC') : null,
      after: range.to === null ? null : await manifest(` AND \`first\` > ${last}`, 'ASC'),
    };
    const verifier = epochVerifier(place, signer, about, report);
    const where = `${epochIs(part)} AND seq >= ${first} AND seq <= ${last}`;
    const sql = `SELECT *, ${IS_DATED} AS isDated FROM ${range.table} WHERE ${where} ORDER BY seq, kind`;
    for await (const row of clickHouse.rows(sql)) verifier.add(row);
    const verified = verifier.end();
    kiosks.add(kiosk);
    segments += verified.segments;
    rows += verified.rows;
  }
  return { kiosks: kiosks.size, segments, rows };
}

/** The first manifest that the kiosk has signed; null: none. Whoever may insert rows could add others. */
async function signedManifest(
  clickHouse: ClickHouse,
  rows: string,
  order: 'ASC' | 'DESC',
  signer: AcceptedKiosk,
): Promise<TableRow | null> {
  const sql = `SELECT * FROM ${rows} AND kind = 'segment' ORDER BY seq ${order}`;
  for await (const row of clickHouse.rows(sql)) if (isSigned(row, signer)) return row;
  return null;
}

/** Exact, because a rounded number would leave out foreign rows with numbers above 2^53. */
interface Part {
  readonly kiosk: string;
  readonly epoch: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

/** Whether an epoch, which is named after its beginning, began at this time or later. */
const beginsFrom = ({ epoch }: Pick<Part, 'epoch'>, from: string | null) =>
  from === null || epoch >= BigInt(Date.parse(from));

const moment = (time: string) => `parseDateTimeBestEffort(${sqlText(time)}, 'UTC')`;

/** The kiosks, epochs and numbers of a range, extended to whole segments. */
async function partsOf(clickHouse: ClickHouse, { table, from, to }: VerifyRange): Promise<Part[]> {
  const bounds = [
    ...(from === null ? [] : [`time >= ${moment(from)}`]),
    ...(to === null ? [] : [`time < ${moment(to)}`]),
  ];
  const inRange = bounds.join(' AND ') || '1';
  const parts: Part[] = [];
  const kiosks = `SELECT DISTINCT kiosk FROM ${table} WHERE ${inRange} ORDER BY kiosk`;
  for (const { kiosk } of await clickHouse.all(kiosks)) {
    const own = `kiosk = ${sqlText(String(kiosk))}`;
    // A revision that moves a play to another time takes it off the bill of the range.
    const revised = `rev > 0 AND id GLOBAL IN (SELECT id FROM ${table} WHERE ${own} AND kind = 'play' AND ${inRange})`;
    const rows = await clickHouse.all(
      `SELECT epoch, min(if(kind = 'segment', \`first\`, seq)) AS low, max(seq) AS high FROM ${table}
       WHERE ${own} AND (${inRange}${bounds.length === 0 ? '' : ` OR ${revised}`})
       GROUP BY epoch ORDER BY epoch`,
    );
    for (const { epoch, low, high } of rows) {
      const [first, last] = [BigInt(String(low)), BigInt(String(high))];
      const part = { kiosk: String(kiosk), epoch: BigInt(String(epoch)), first, last };
      parts.push(bounds.length === 0 ? part : await wholeSegments(clickHouse, table, part));
    }
  }
  return parts;
}

/** Of accepted kiosks: the numbers of epochs that go on behind a range, and have no row in it. */
async function emptyParts(
  clickHouse: ClickHouse,
  { table, from, to }: VerifyRange,
  accepted: ReadonlyMap<string, AcceptedKiosk>,
  found: readonly Part[],
): Promise<Part[]> {
  if (to === null) return [];
  const known = new Set(found.map(({ kiosk, epoch }) => `${kiosk} ${epoch}`));
  const parts: Part[] = [];
  const epochs = `SELECT DISTINCT kiosk, epoch FROM ${table} WHERE kind = 'segment' ORDER BY kiosk, epoch`;
  for (const row of await clickHouse.all(epochs)) {
    const [kiosk, epoch] = [String(row.kiosk), BigInt(String(row.epoch))];
    const signer = accepted.get(kiosk);
    if (signer === undefined || known.has(`${kiosk} ${epoch}`) || beginsFrom({ epoch }, to)) continue;
    const rows = `${table} WHERE ${epochIs({ kiosk, epoch })} AND time`;
    const after = await signedManifest(clickHouse, `${rows} >= ${moment(to)}`, 'ASC', signer);
    const before =
      from === null ? null : await signedManifest(clickHouse, `${rows} < ${moment(from)}`, 'DESC', signer);
    const first = before === null ? 1n : BigInt(String(before.last)) + 1n;
    const last = after === null ? 0n : BigInt(String(after.first)) - 1n;
    const isFirstKnown = before !== null || beginsFrom({ epoch }, from);
    if (first <= last && isFirstKnown) parts.push({ kiosk, epoch, first, last });
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

const epochIs = ({ kiosk, epoch }: Pick<Part, 'kiosk' | 'epoch'>) =>
  `kiosk = ${sqlText(kiosk)} AND epoch = ${epoch}`;
