import { KNOWN_WINDOWS } from '../../main/decisions/cap-windows';
import { readInstant } from '../../main/service/ads-reading/instant';
import { instant } from '../../shared/clock';
import billing from './clickhouse/billing.sql?raw';
import capAudit from './clickhouse/cap-audit.sql?raw';
import completeness from './clickhouse/completeness.sql?raw';
import lateArrivals from './clickhouse/late-arrivals.sql?raw';
import missingRanges from './clickhouse/missing-ranges.sql?raw';
import schema from './clickhouse/schema.sql?raw';
import silentKiosks from './clickhouse/silent-kiosks.sql?raw';
import sourceMix from './clickhouse/source-mix.sql?raw';

/** The questions that an operator asks the table, by the names of their files. */
const QUERIES = {
  billing,
  'cap-audit': capAudit,
  completeness,
  'late-arrivals': lateArrivals,
  'missing-ranges': missingRanges,
  'silent-kiosks': silentKiosks,
  'source-mix': sourceMix,
} as const;
export type QueryName = keyof typeof QUERIES;
export const QUERY_NAMES = Object.keys(QUERIES) as QueryName[];

export interface SchemaOptions {
  /** Name of the table, with or without its database. */
  readonly table?: string | undefined;
  /** `ReplacingMergeTree()`, or a replicated one with its arguments. */
  readonly engine?: string | undefined;
  /** Name of the cluster that the statement is run on; absent: this server alone. */
  readonly cluster?: string | undefined;
  /**
   * Rows are deleted this many months after they arrived, so that a segment goes as a whole; absent: never (18.16 has
   * no TTL).
   */
  readonly ttlMonths?: string | undefined;
}

/** The columns that kiosks write, in order; the server makes the others. */
export const WRITTEN_COLUMNS = [...schema.matchAll(/^ {4}(`?\w+`?) (?!.*MATERIALIZED).*,$/gm)].map(
  ([, name]) => name,
);

/**
 * Whether a row's times are what the server computes from signed columns. By these times bills and audits choose rows,
 * and `insert_allow_materialized_columns` lets an inserter give others.
 */
export const IS_DATED = [...schema.matchAll(/^ {4}(time|atMs) \w+ MATERIALIZED (.*),$/gm)]
  .map(([, name, made]) => `${name} = ${made}`)
  .join(' AND ');

/** The statement that makes the table, `plays` by default. */
export function tableStatement(options: SchemaOptions = {}): string {
  const { table = 'plays', engine = 'ReplacingMergeTree()', cluster, ttlMonths } = options;
  const values: Record<string, string> = {
    table,
    engine,
    onCluster: cluster === undefined ? '' : ` ON CLUSTER ${cluster}`,
    writtenColumns: WRITTEN_COLUMNS.join(', '),
    ttl: ttlMonths === undefined ? '' : `\nTTL receivedAt + INTERVAL ${ttlMonths} MONTH`,
  };
  return fillBlanks('schema.sql', schema, values);
}

/** Default values of parameters: all kiosks (their ids are hex digits). */
const DEFAULTS: Readonly<Record<string, string>> = { fromKiosk: '', toKiosk: '~' };

/** A query's parameters, such as `['from', 'to']`. */
export function parametersOf(name: QueryName): string[] {
  return [
    ...new Set([...QUERIES[name].matchAll(/\{(\w+):String\}/g)].map(([, parameter]) => parameter ?? '')),
  ];
}

/**
 * A query with its values filled in, because 18.16 has no query parameters. Throws if a value is missing.
 */
export function queryText(name: QueryName, values: Readonly<Record<string, string>>): string {
  return fillBlanks(`${name}.sql`, QUERIES[name], WINDOWS).replace(
    /\{(\w+):String\}/g,
    (_, parameter: string) => {
      const value = values[parameter] ?? DEFAULTS[parameter];
      if (value === undefined) throw new Error(`${name} needs --${parameter} (--help shows what it takes)`);
      return sqlText(value);
    },
  );
}

/**
 * The time of an option in the spelling that every version of ClickHouse reads alike. The server itself would guess:
 * it takes 11/01/2026 for a day in January.
 */
export function timeText(option: string, text: string): string {
  const at = readInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (at === null || at % 1_000 !== 0)
    throw new Error(
      `--${option}: expected an RFC 3339 time in whole seconds such as 2026-11-01T00:00:00Z, got ${JSON.stringify(text)}`,
    );
  return instant(at).replace('.000', '');
}

/** Throws where times (as `timeText` spells them) are in the wrong order: an answer about nothing would look faultless. */
export function mustBeInOrder({
  history,
  from,
  to,
}: Partial<Readonly<Record<'history' | 'from' | 'to', string | null>>>): void {
  if (from && to && from >= to) throw new Error(`expected --from before --to, got ${from} and ${to}`);
  if (history && from && history > from)
    throw new Error(`expected --history at --from or before it, got ${history} and ${from}`);
}

/** A text as a literal of SQL. */
export function sqlText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const list = (texts: readonly string[]) => `[${texts.join(', ')}]`;
/** Without the type, ClickHouse would take the smallest that holds the numbers. */
const times = (ms: readonly number[]) => list(ms.map((each) => `toInt64(${each})`));

/** The cap windows that end, as lists in SQL that are in the same order. Times are in ms. */
const ENDING = KNOWN_WINDOWS.flatMap(({ name, counts }) =>
  counts.kind === 'flight' ? [] : [{ name, counts }],
);
const WINDOWS = {
  windowNames: list(ENDING.map(({ name }) => sqlText(name))),
  windowLengths: times(ENDING.map(({ counts }) => counts.length)),
  windowSteps: times(ENDING.map(({ counts }) => (counts.kind === 'look-back' ? 1 : counts.length))),
  windowFirsts: times(ENDING.map(({ counts }) => (counts.kind === 'look-back' ? 0 : counts.first))),
};

/**
 * Fills in `${name}`; throws for an unknown one, with the name of the file. Removes whole comment lines only: `--`
 * inside a line may be part of a text.
 */
export function fillBlanks(file: string, sql: string, values: Readonly<Record<string, string>>): string {
  return sql
    .replace(/^\s*--.*\n/gm, '')
    .trim()
    .replace(/\$\{(\w+)\}/g, (blank, name: string) => {
      const value = values[name];
      if (value !== undefined) return value;
      const known = Object.keys(values).map((each) => `\${${each}}`);
      throw new Error(
        `${file} has the blank ${blank}, which nothing fills in: expected one of ${known.join(', ')}`,
      );
    });
}
