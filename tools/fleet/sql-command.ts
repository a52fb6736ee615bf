import { parseArgs } from 'node:util';
import { clickHouseAt } from './clickhouse-client';
import type { CommandOutput } from './command-line';
import {
  mustBeInOrder,
  parametersOf,
  QUERY_NAMES,
  type QueryName,
  queryText,
  tableStatement,
  timeText,
} from './sql-files';

const USAGE = `Usage: npm run -s fleet-sql -- schema [--table T] [--engine E] [--cluster C] [--ttl-months N]
       npm run -s fleet-sql -- NAME [--from TIME] [--to TIME] … [--url URL]

Prints the statement that makes the table, or one of the questions with its
values filled in, for clickhouse-client of any version. With --url it asks the
server, and prints an answer of one JSON object a line.

  --engine E       ReplacingMergeTree() by default; on a cluster
                   "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/plays', '{replica}')"
  --ttl-months N   deletes rows N months after they arrived (not in 18.16)
  NAME             ${QUERY_NAMES.map((name) => `${name} (${parametersOf(name).join(', ') || 'nothing to fill in'})`).join('\n                   ')}

Times are RFC 3339 in whole seconds, or a date: its beginning in UTC. --fromKiosk 00 --toKiosk 01 asks about a
slice of the kiosks; without them all are asked about.`;

/** Options that hold a time. */
const TIMES: ReadonlySet<string> = new Set(['from', 'to', 'history', 'billed', 'at']);

/** Runs the command `fleet-sql`; resolves with the exit status. */
export async function runSql(args: readonly string[], { out, error }: CommandOutput): Promise<number> {
  try {
    const text = { type: 'string' } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        table: text,
        engine: text,
        cluster: text,
        'ttl-months': text,
        url: text,
        from: text,
        to: text,
        history: text,
        billed: text,
        at: text,
        fromKiosk: text,
        toKiosk: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [name, ...more] = positionals;
    if (values.help || name === undefined) {
      (values.help ? out : error)(USAGE);
      return values.help ? 0 : 2;
    }
    if (more.length > 0) throw new Error(`expected one NAME, got ${positionals.join(' ')}`);
    const sql = name === 'schema' ? schemaOf(values) : questionOf(queryNamed(name), filled(values));
    if (values.url === undefined) out(`${sql};`);
    else for await (const row of clickHouseAt(values.url).rows(sql)) out(JSON.stringify(row));
    return 0;
  } catch (problem) {
    error(`fleet-sql: ${problem instanceof Error ? problem.message : String(problem)}`);
    return 2;
  }
}

/** An option that is ignored could be one that the operator relies on. */
function mustTake(name: string, values: object, taken: readonly string[]): void {
  const wrong = Object.keys(values).find((option) => option !== 'url' && !taken.includes(option));
  if (wrong !== undefined) throw new Error(`${name} takes no --${wrong} (--help shows what it takes)`);
}

function questionOf(name: QueryName, given: Readonly<Record<string, string>>): string {
  mustTake(name, given, parametersOf(name));
  const values = Object.fromEntries(
    Object.entries(given).map(([option, text]) => [
      option,
      TIMES.has(option) ? timeText(option, text) : text,
    ]),
  );
  mustBeInOrder(values);
  return queryText(name, values);
}

function schemaOf(values: Readonly<Record<string, string | boolean | undefined>>): string {
  mustTake('schema', values, ['table', 'engine', 'cluster', 'ttl-months']);
  const { table, engine, cluster, 'ttl-months': ttlMonths } = filled(values);
  // With 0, every row would be deleted at once.
  if (ttlMonths !== undefined && !/^[1-9]\d*$/.test(ttlMonths))
    throw new Error(`expected --ttl-months as a whole number of months, at least 1, got "${ttlMonths}"`);
  return tableStatement({ table, engine, cluster, ttlMonths });
}

function filled(values: Readonly<Record<string, string | boolean | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function queryNamed(name: string): QueryName {
  const found = QUERY_NAMES.find((each) => each === name);
  if (found === undefined) throw new Error(`there is no query "${name}" (${QUERY_NAMES.join(', ')})`);
  return found;
}
