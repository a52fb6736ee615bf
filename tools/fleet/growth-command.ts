import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type ClickHouse, clickHouseAt } from './clickhouse-client';
import { startDebianServer } from './debian-server';
import { htmlTable } from './report/html';
import { type Line, linePlot } from './report/plots';
import { type QueryName, queryText, tableStatement } from './sql-files';
import type { CommandOutput } from './verify/verify-command';

const USAGE = `Usage: npm run fleet-growth [-- --powers 4,5,6] [--out DIR]

Fills a ClickHouse of its own with 10⁴, 10⁵ … plays of one day, asks the questions,
and plots how long they take.`;

const DAY = { from: '2026-11-02T00:00:00Z', to: '2026-11-03T00:00:00Z' };
const QUESTIONS: readonly (readonly [QueryName, Record<string, string>])[] = [
  ['billing', DAY],
  ['cap-audit', { ...DAY, history: DAY.from }],
  ['completeness', {}],
];
/** Each question so often; the fastest counts. */
const TIMES = 3;

/** `fleet-growth`, without its process; resolves with the exit status. */
export async function runGrowth(args: readonly string[], { out, error }: CommandOutput): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { powers: text, out: text, help: { type: 'boolean' } },
  });
  if (values.help) {
    out(USAGE);
    return 0;
  }
  const powers = (values.powers ?? '4,5,6').split(',').map(Number);
  const folder = resolve(values.out ?? 'out/fleet-report');
  const server = await startDebianServer();
  try {
    const clickHouse = clickHouseAt(server.url);
    const rows: Record<string, unknown>[] = [];
    for (const power of powers) {
      await fill(clickHouse, 10 ** power);
      const [size] = await clickHouse.all(
        "SELECT sum(data_compressed_bytes) AS bytes FROM system.parts WHERE table = 'plays' AND active",
      );
      const row: Record<string, unknown> = {
        plays: 10 ** power,
        bytesAPlay: Number(size?.bytes) / 10 ** power,
      };
      for (const [name, parameters] of QUESTIONS)
        row[name] = await fastest(clickHouse, slicesOf(name, parameters, 10 ** power));
      rows.push(row);
      error(`fleet-growth: ${JSON.stringify(row)}`);
    }
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'growth.html');
    writeFileSync(file, page(rows));
    out(file);
    return 0;
  } finally {
    await server.close();
  }
}

/** Above 250,000 plays slice by slice of the kiosks, one after the other. */
function slicesOf(name: QueryName, parameters: Record<string, string>, plays: number): string[] {
  if (plays <= 250_000 || name === 'completeness') return [queryText(name, parameters)];
  const digits = Array.from({ length: 16 }, (_, slice) => slice.toString(16).toUpperCase());
  return digits.map((fromKiosk, slice) =>
    queryText(name, { ...parameters, fromKiosk, toKiosk: digits[slice + 1] ?? '~' }),
  );
}

async function fastest(clickHouse: ClickHouse, questions: readonly string[]): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now();
    for (const sql of questions) await clickHouse.all(sql);
    took.push(performance.now() - began);
  }
  return Math.round(Math.min(...took));
}

/** Plays of one day, 8,640 a kiosk, six flights with caps that hold; made by the server itself. */
async function fill(clickHouse: ClickHouse, plays: number): Promise<void> {
  await clickHouse.run('DROP TABLE IF EXISTS plays');
  await clickHouse.run(
    tableStatement({ table: 'plays', engine: 'ReplacingMergeTree()', cluster: null, ttlMonths: null }),
  );
  await clickHouse.run(
    `INSERT INTO plays (kind, kiosk, epoch, seq, rev, id, at, shownAt, outcome, endReason, viewedMs, durationMs,
       delivery, adId, requestId, flightId, campaignId, source, sourceId, mediaUrl, environment, labels, caps, digest)
     SELECT 'play', hex(sipHash64(intDiv(number, 8640))), 1793577600000, number % 8640 + 1, 0,
       concat(hex(sipHash64(number)), hex(sipHash64(number + 1))),
       concat(replaceAll(toString(toDateTime(1793577600 + number % 8640 * 10, 'UTC')), ' ', 'T'), '.000Z') AS played, played,
       'completed', 'ended', 10000, 10000, 'offline', concat('ad-', toString(number % 12)),
       hex(sipHash64(intDiv(number, 600))), concat('flight-', toString(number % 6)), concat('campaign-', toString(number % 3)),
       'SOURCE_TYPE_CMS', concat('source-', toString(number % 3)), 'https://media.example/creatives/a.mp4', 'books', '{}',
       '[{"window":"FREQUENCY_CAP_WINDOW_MINUTE","limit":1},{"window":"FREQUENCY_CAP_WINDOW_DAY","limit":1440}]',
       lower(hex(SHA256(toString(number))))
     FROM numbers(${plays})`,
  );
}

function page(rows: readonly Record<string, unknown>[]): string {
  const lines: Line[] = QUESTIONS.map(([name]) => ({
    name,
    points: rows.map((row) => [Math.log10(Number(row.plays)), Number(row[name])] as const),
  }));
  const columns = [
    ['plays', 'plays'],
    ['bytesAPlay', 'bytes a play'],
    ...QUESTIONS.map(([name]) => [name, `${name}, ms`] as const),
  ] as const;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Growth</title>
<style>body { font: 15px system-ui; max-width: 60rem; margin: 2rem auto; } svg { font: 12px system-ui; }
polyline { fill: none; stroke: #3d6fb6; stroke-width: 2; } .axis { fill: none; stroke: #888; } .name { text-anchor: end; }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; }</style>
<h1>How long questions take</h1>
${linePlot('ms by plays', lines, (power) => `10^${power} plays`)}
${htmlTable(columns, rows)}</html>
`;
}
