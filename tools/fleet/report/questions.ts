import { instant } from '../../../shared/clock';
import type { ClickHouse } from '../clickhouse-client';
import { queryText } from '../sql-files';
import type { AcceptedKiosk } from '../verify/accepted-kiosks';
import type { Finding } from '../verify/findings';
import { type TableVerified, verifyTable } from '../verify/verify-table';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The answers that a report shows. */
export interface Answers {
  readonly from: string;
  readonly to: string;
  readonly billing: Rows;
  readonly mix: Rows;
  readonly completeness: Rows;
  readonly missing: Rows;
  readonly overDeliveries: Rows;
  readonly silent: Rows;
  readonly hours: Rows;
  readonly findings: readonly Finding[];
  readonly verified: TableVerified;
}

/** Counts only first revisions: good enough for a plot, but not for a bill. */
const HOURS = `SELECT sourceId AS sourceKey, intDiv(atMs, 3600000) * 3600000 AS hourMs, uniqExact(kiosk, id) AS plays
  FROM plays WHERE kind = 'play' AND rev = 0 AND outcome != 'given-back'
  GROUP BY sourceKey, hourMs ORDER BY sourceKey, hourMs`;

/**
 * Asks all questions of a report, of the table `plays`.
 *
 * @param range ms since the epoch
 */
export async function askEverything(
  clickHouse: ClickHouse,
  range: { readonly from: number; readonly to: number },
  accepted: ReadonlyMap<string, AcceptedKiosk>,
): Promise<Answers> {
  const from = instant(range.from);
  const to = instant(range.to);
  const ask = (name: Parameters<typeof queryText>[0], values: Record<string, string> = {}) =>
    clickHouse.all(queryText(name, values));
  const findings: Finding[] = [];
  return {
    from,
    to,
    billing: await ask('billing', { from, to }),
    mix: await ask('source-mix', { from, to }),
    completeness: await ask('completeness'),
    missing: await ask('missing-ranges'),
    overDeliveries: await ask('cap-audit', { from, to, history: from }),
    silent: await ask('silent-kiosks', { at: to }),
    hours: await clickHouse.all(HOURS),
    verified: await verifyTable(clickHouse, { table: 'plays', from: null, to: null }, accepted, (finding) =>
      findings.push(finding),
    ),
    findings,
  };
}
