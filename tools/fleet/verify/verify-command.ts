import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { clickHouseAt } from '../clickhouse-client';
import { commandLine } from '../command-line';
import { mustBeInOrder, timeText } from '../sql-files';
import { readAcceptedKiosks } from './accepted-kiosks';
import { findingLine } from './findings';
import { verifyTable } from './verify-table';

const VERIFY_USAGE = `Usage: npm run -s fleet-verify -- --kiosks FILE [--url URL] [--table TABLE] [--from TIME] [--to TIME]

Checks digests, signatures and chains of the proof of play in ClickHouse
against the public keys of the kiosks that you accept.

  --kiosks FILE   a public key a line, as overlay and status show it (ed25519:…),
                  behind it a name if you like
  --url URL       of ClickHouse's HTTP interface, by default http://127.0.0.1:8123/;
                  user and password may stand in it
  --table TABLE   by default plays
  --from, --to    RFC 3339: whole segments that touch this time; by default everything

Exit status: 0 nothing is wrong (notes are printed), 1 something is, 2 wrong
usage, or the server cannot be asked.`;

/** Runs the command `fleet-verify`. */
export const runVerify = commandLine('fleet-verify', VERIFY_USAGE, readOptions, async (options, output) => {
  const { out, error } = output;
  let errors = 0;
  let notes = 0;
  try {
    const accepted = readAcceptedKiosks(await readFile(options.kiosks, 'utf8'));
    if ('error' in accepted) {
      error(`fleet-verify: ${options.kiosks}: ${accepted.error}`);
      return 2;
    }
    const { kiosks, segments, rows } = await verifyTable(
      clickHouseAt(options.url),
      { table: options.table, from: options.from, to: options.to },
      accepted.kiosks,
      (finding) => {
        if (finding.isError) errors += 1;
        else notes += 1;
        out(findingLine(finding));
      },
    );
    out(`${kiosks} kiosks, ${segments} segments, ${rows} plays checked: ${errors} errors, ${notes} notes`);
  } catch (problem) {
    error(`fleet-verify: ${problem instanceof Error ? problem.message : String(problem)}`);
    return 2;
  }
  return errors === 0 ? 0 : 1;
});

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      kiosks: { type: 'string' },
      url: { type: 'string', default: 'http://127.0.0.1:8123/' },
      table: { type: 'string', default: 'plays' },
      from: { type: 'string' },
      to: { type: 'string' },
    },
  });
  const { kiosks = '', url, table } = values;
  const from = values.from === undefined ? null : timeText('from', values.from);
  const to = values.to === undefined ? null : timeText('to', values.to);
  mustBeInOrder({ from, to });
  if (kiosks === '') throw new Error('expected --kiosks FILE');
  if (!/^[\w.`]+$/.test(table)) throw new Error(`expected a table's name, got ${table}`);
  return { kiosks, url, table, from, to };
}
