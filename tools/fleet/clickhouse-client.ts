import { reasonOf } from '../../main/describe-error';

export type ClickHouse = ReturnType<typeof clickHouseAt>;

/** Settings for queries. 64-bit numbers as texts keep all their digits; the default differs between versions. */
const READING = 'output_format_json_quote_64bit_integers=1&default_format=JSONEachRow';

/**
 * A client of a ClickHouse server's HTTP interface. Its functions reject with the server's error text.
 *
 * @param url of the HTTP interface; user and password in it become headers, and its query settings apply to each
 *   statement
 * @param database default database of statements, if `url` names none
 */
export function clickHouseAt(url: string, database = 'default') {
  const address = URL.parse(url);
  // The address itself may hold a password.
  if (!address?.protocol.startsWith('http'))
    throw new Error('expected an address such as http://user:password@host:8123/, got something else');
  const { origin, pathname, username, password, searchParams } = address;
  if (!searchParams.has('database')) searchParams.set('database', database);
  // A server closes idle connections after a few seconds, and a statement on its way to it would fail.
  const headers: Record<string, string> = { Connection: 'close' };
  if (username !== '') {
    headers['X-ClickHouse-User'] = decodeURIComponent(username);
    headers['X-ClickHouse-Key'] = decodeURIComponent(password);
  }
  const base = `${origin}${pathname}?${searchParams}`;

  async function asked(sql: string): Promise<Response> {
    const answer = await fetch(`${base}&${READING}`, { method: 'POST', headers, body: sql }).catch(
      (error: unknown) => {
        const why = reasonOf(error instanceof Error && error.cause ? error.cause : error);
        throw new Error(`expected the HTTP interface of ClickHouse at ${origin}, got ${why}. Check --url`);
      },
    );
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
  }

  /** Rows of a query, in its order. 64-bit numbers arrive as texts. */
  async function* rows(sql: string) {
    const { body } = await asked(sql);
    if (!body) return;
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield rowIn(line);
    }
    if (rest.trim() !== '') throw new Error(rest.trim());
  }

  return {
    rows,
    /** All rows of a query that returns few. */
    all: async (sql: string) => {
      const found: Record<string, unknown>[] = [];
      for await (const row of rows(sql)) found.push(row);
      return found;
    },
    /** Runs a statement that returns nothing. */
    run: async (sql: string) => {
      await (await asked(sql)).text();
    },
    /** Sends a gzipped segment into `table`, as a kiosk does; resolves with the HTTP status, whatever it is. */
    send: async (table: string, body: Uint8Array<ArrayBuffer>) => {
      const insert = encodeURIComponent(`INSERT INTO ${table} FORMAT JSONEachRow`);
      const answer = await fetch(`${base}&query=${insert}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Encoding': 'gzip' },
        body,
      });
      await answer.text();
      return answer.status;
    },
  };
}

/** The row in a line. Throws the server's text: it reports an error in the middle of an answer as a last line. */
function rowIn(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(line.trim());
  }
}
