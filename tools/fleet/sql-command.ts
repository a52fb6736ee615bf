import { parseArgs } from 'node:util';
import { clickHouseAt } from './clickhouse-client';
import { parametersOf, QUERY_NAMES, type QueryName, queryText, tableStatement } from './sql-files';
import type { CommandOutput } from './verify/verify-command';

const USAGE = `Usage: npm run -s fleet-sql -- schema [--table T] [--engine E] [--cluster C] [--ttl-months N]
       npm run -s fleet-sql -- NAME [--from TIME] [--to TIME] … [--url URL]

Prints the statement that makes the table, or one of the questions with its
values filled in, for clickhouse-client of any version. With --url it asks the
server, and prints an answer of one JSON object a line.

  --engine E       ReplacingMergeTree() by default; on a cluster
                   "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/plays', '{replica}')"
  --ttl-months N   deletes rows so long after their play (not in 18.16)
  NAME             ${QUERY_NAMES.map((name) => `${name} (${parametersOf(name).join(', ') || 'nothing to fill in'})`).join('\n                   ')}

Times are RFC 3339, in whole seconds. --fromKiosk 00 --toKiosk 01 asks about a
slice of the kiosks; without them all are asked about.`;

/** Runs the command `fleet-sql`; resolves with the exit status. */
export async function runSql(args: readonly string[], { out, error }: CommandOutput): Promise<number> {
  try {
    const text = { type: 'string' } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ table: text, engine: text, cluster: text, 'ttl-months': text, url: text },
        ...{ from: text, to: text, history: text, billed: text, at: text },
        ...{ fromKiosk: text, toKiosk: text },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [name] = positionals;
    if (values.help || name === undefined) {
      (values.help ? out : error)(USAGE);
      return values.help ? 0 : 2;
    }
    const sql = name === 'schema' ? schemaOf(values) : queryText(queryNamed(name), filled(values));
    if (values.url === undefined) out(`${sql};`);
    else for await (const row of clickHouseAt(values.url).rows(sql)) out(JSON.stringify(row));
    return 0;
  } catch (problem) {
    error(`fleet-sql: ${problem instanceof Error ? problem.message : String(problem)}`);
    return 2;
  }
}

function schemaOf(values: Readonly<Record<string, string | boolean | undefined>>): string {
  const { table = 'plays', engine = 'ReplacingMergeTree()', cluster = null } = filled(values);
  const months = values['ttl-months'];
  if (months !== undefined && !/^\d+$/.test(String(months)))
    throw new Error('expected --ttl-months in whole months');
  return tableStatement({ table, engine, cluster, ttlMonths: months === undefined ? null : Number(months) });
}

function filled(values: Readonly<Record<string, string | boolean | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function queryNamed(name: string): QueryName {
  const found = QUERY_NAMES.find((each) => each === name);
  if (found === undefined) throw new Error(`there is no question "${name}" (${QUERY_NAMES.join(', ')})`);
  return found;
}
