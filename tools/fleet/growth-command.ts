import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../run/arguments';
import { type ClickHouse, clickHouseAt } from './clickhouse-client';
import { commandLine } from './command-line';
import { startDebianServer } from './debian-server';
import { type GrowthRow, growthMarkdown, growthPlot } from './report/growth-figures';
import { type QueryName, queryText, tableStatement } from './sql-files';

const USAGE = `Usage: npm run fleet-growth [-- --powers 4,5,6,7] [--out DIR]

Fills a ClickHouse of its own with 10⁴, 10⁵ … plays of one day, asks the questions,
and plots how long they take: growth.svg in DIR, by default out/fleet-report.
Prints the figures as a table for docs/fleet.md.

Exit status: 0 the answers are right, 1 they are not, 2 wrong usage.`;

const DAY = { from: '2026-11-02T00:00:00Z', to: '2026-11-03T00:00:00Z' };
const DAY_BEGINS = Date.parse(DAY.from) / 1_000;
/** How often each question is asked; the fastest time counts. */
const TIMES = 3;
/** Plays per INSERT. */
const PLAYS_AT_ONCE = 1_000_000;
/** Most plays per query: the cap audit needs about 2 KB of memory per play, and the server has 2 GB. */
const PLAYS_A_SLICE = 250_000;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Runs the command `fleet-growth`. */
export const runGrowth = commandLine('fleet-growth', USAGE, readOptions, async (options, { out, error }) => {
  const server = await startDebianServer();
  try {
    const clickHouse = clickHouseAt(server.url);
    const file = join(options.out, 'growth.svg');
    mkdirSync(options.out, { recursive: true });
    const rows: GrowthRow[] = [];
    const wrong: string[] = [];
    for (const power of options.powers) {
      const plays = 10 ** power;
      error(`fleet-growth: making ${plays.toLocaleString('en')} plays`);
      await fill(clickHouse, plays);
      error('fleet-growth: asking');
      const { row, errors } = await measure(clickHouse, plays);
      rows.push(row);
      wrong.push(...errors);
      // After each, because the last one takes longest.
      writeFileSync(file, growthPlot(rows));
    }
    out(growthMarkdown(rows));
    out(file);
    for (const line of wrong) error(`fleet-growth: ${line}`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await server.close();
  }
});

function readOptions(args: string[]) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { powers: text, out: text } });
  const powers = (values.powers ?? '4,5,6,7').split(',').map((each) => wholeNumber('--powers', each, 3, 8));
  return { powers, out: resolve(values.out ?? 'out/fleet-report') };
}

async function measure(
  clickHouse: ClickHouse,
  plays: number,
): Promise<{ readonly row: GrowthRow; readonly errors: readonly string[] }> {
  const [size] = await clickHouse.all(
    "SELECT sum(data_compressed_bytes) AS bytes FROM system.parts WHERE table = 'plays' AND active",
  );
  const billing = await fastest(clickHouse, slicesOf('billing', DAY, plays));
  const capAudit = await fastest(clickHouse, slicesOf('cap-audit', { ...DAY, history: DAY.from }, plays));
  const completeness = await fastest(clickHouse, [queryText('completeness', {})]);
  const billed = billing.rows.reduce((sum, row) => sum + Number(row.plays), 0);
  const missing = completeness.rows.reduce((sum, row) => sum + Number(row.missing), 0);
  const over = capAudit.rows.length;
  return {
    row: {
      plays,
      bytesAPlay: Math.round(Number(size?.bytes) / plays),
      billing: billing.ms,
      capAudit: capAudit.ms,
      completeness: completeness.ms,
    },
    errors: [
      ...(billed === plays ? [] : [`${billed} of ${plays} plays were billed`]),
      ...(missing === 0 ? [] : [`${missing} of ${plays} numbers are missing`]),
      ...(over === 0 ? [] : [`${over} of ${plays} plays are over a cap`]),
    ],
  };
}

/** The statements of a question: one, or with many plays one for each slice of the kiosks. */
function slicesOf(name: QueryName, parameters: Record<string, string>, plays: number): string[] {
  let digits = 0;
  while (plays / 16 ** digits > PLAYS_A_SLICE) digits += 1;
  if (digits === 0) return [queryText(name, parameters)];
  const begins = Array.from({ length: 16 ** digits }, (_, slice) =>
    slice.toString(16).toUpperCase().padStart(digits, '0'),
  );
  return begins.map((begin, slice) => {
    // The first slice begins before all ids, and the last one ends after them.
    const fromKiosk = slice === 0 ? '' : begin;
    return queryText(name, { ...parameters, fromKiosk, toKiosk: begins[slice + 1] ?? '~' });
  });
}

/** The rows of all statements together, and the time of the fastest run of all of them, ms. */
async function fastest(
  clickHouse: ClickHouse,
  statements: readonly string[],
): Promise<{ readonly ms: number; readonly rows: Rows }> {
  const took: number[] = [];
  let rows: Record<string, unknown>[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    rows = [];
    const began = performance.now();
    for (const sql of statements) rows.push(...(await clickHouse.all(sql)));
    took.push(performance.now() - began);
  }
  return { ms: Math.round(Math.min(...took)), rows };
}

/** Has the server make plays of one day: 8,640 per kiosk, of six flights whose caps are not exceeded. */
async function fill(clickHouse: ClickHouse, plays: number): Promise<void> {
  await clickHouse.run('DROP TABLE IF EXISTS plays');
  await clickHouse.run(tableStatement());
  for (let from = 0; from < plays; from += PLAYS_AT_ONCE) {
    const count = Math.min(PLAYS_AT_ONCE, plays - from);
    await clickHouse.run(
      `INSERT INTO plays (kind, kiosk, epoch, seq, rev, id, at, shownAt, outcome, endReason, viewedMs, durationMs,
         delivery, adId, requestId, flightId, campaignId, source, sourceId, mediaUrl, environment, labels, caps, digest)
       SELECT 'play', hex(sipHash64(intDiv(n, 8640))), ${DAY_BEGINS}000, n % 8640 + 1, 0,
         concat(hex(sipHash64(n)), hex(sipHash64(n + 1))),
         concat(replaceAll(toString(toDateTime(${DAY_BEGINS} + n % 8640 * 10, 'UTC')), ' ', 'T'), '.000Z') AS played, played,
         'completed', 'ended', 10000, 10000, 'offline', concat('ad-', toString(n % 12)),
         hex(sipHash64(intDiv(n, 600))), concat('flight-', toString(n % 6)), concat('campaign-', toString(n % 3)),
         'SOURCE_TYPE_CMS', concat('source-', toString(n % 3)), 'https://media.example/creatives/a.mp4', 'books', '{}',
         '[{"window":"FREQUENCY_CAP_WINDOW_MINUTE","limit":1},{"window":"FREQUENCY_CAP_WINDOW_DAY","limit":1440}]',
         lower(hex(SHA256(toString(n))))
       FROM (SELECT number + ${from} AS n FROM numbers(${count}))`,
    );
  }
}
