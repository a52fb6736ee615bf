import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { errorCode } from '../../../main/describe-error';
import { clickHouseAt } from '../clickhouse-client';
import { timeText } from '../sql-files';
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

export interface CommandOutput {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}

/**
 * Writes lines to the streams of a process. A closed pipe (`head`) is no error: it would end the process before the
 * command has stopped its servers.
 */
export function outputOf(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): CommandOutput {
  for (const stream of [stdout, stderr])
    stream.on('error', (error) => {
      if (errorCode(error) !== 'EPIPE') throw error;
    });
  return {
    out: (line) => stdout.write(`${line}\n`),
    error: (line) => stderr.write(`${line}\n`),
  };
}

/** Runs the command `fleet-verify`; resolves with the exit status. */
export async function runVerify(args: readonly string[], { out, error }: CommandOutput): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    error(`fleet-verify: ${options} (--help shows the usage)`);
    return 2;
  }
  if (options.help) {
    out(VERIFY_USAGE);
    return 0;
  }
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
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        kiosks: { type: 'string' },
        url: { type: 'string', default: 'http://127.0.0.1:8123/' },
        table: { type: 'string', default: 'plays' },
        from: { type: 'string' },
        to: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { kiosks = '', url, table, help } = values;
    const from = values.from === undefined ? null : timeText('from', values.from);
    const to = values.to === undefined ? null : timeText('to', values.to);
    if (kiosks === '' && !help) return 'expected --kiosks FILE';
    if (!/^[\w.`]+$/.test(table)) return `expected a table's name, got ${table}`;
    return { kiosks, url, table, from, to, help };
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
}
