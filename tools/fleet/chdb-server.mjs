import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

// chdb behind as much of ClickHouse's HTTP interface as tests and kiosks use.
const [packages = ''] = process.argv.slice(2);
const { Session } = createRequire(join(packages, 'package.json'))('chdb');
const folder = mkdtempSync(join(tmpdir(), 'endcap-chdb-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGTERM', () => process.exit(0));
const session = new Session(join(folder, 'data'));
session.query('SET output_format_json_quote_64bit_integers = 1');

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  const asked = new URL(request.url ?? '/', 'http://chdb').searchParams;
  const insert = asked.get('query');
  const settings = [...asked].filter(([name]) => name !== 'query' && name !== 'database');
  try {
    session.query(`USE ${asked.get('database') ?? 'default'}`);
    response.end(
      insert === null
        ? session.query(
            `${text}${listOf(settings.filter(([name]) => name.startsWith('insert_')))}`,
            'JSONEachRow',
          )
        : inserted(insert, text, settings),
    );
  } catch (error) {
    response.statusCode = 400;
    response.end(error instanceof Error ? error.message : String(error));
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/\n`);
});

/**
 * @param {string} insert `INSERT INTO table FORMAT JSONEachRow`
 * @param {Uint8Array} rows
 * @param {readonly (readonly [name: string, value: string])[]} settings
 */
function inserted(insert, rows, settings) {
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, rows);
  const [, into = ''] = /^(INSERT INTO \S+) FORMAT JSONEachRow$/.exec(insert) ?? [];
  session.query(`${into} FROM INFILE '${file}'${listOf(settings)} FORMAT JSONEachRow`);
  return '';
}

/** @param {readonly (readonly [name: string, value: string])[]} settings */
function listOf(settings) {
  const list = settings.map(([name, value]) => `${name} = ${value}`).join(', ');
  return list && ` SETTINGS ${list}`;
}
