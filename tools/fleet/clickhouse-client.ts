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
    const texts = body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let rest = '';
    for (let next = await texts.next(); !next.done; next = await texts.next()) {
      const lines = (rest + next.value).split('\n');
      rest = lines.pop() ?? '';
      for (const [index, line] of lines.entries()) {
        if (line === '') continue;
        const row = rowIn(line);
        if (!row) throw new Error(await errorIn([...lines.slice(index), rest].join('\n'), texts));
        yield row;
      }
    }
    if (rest.trim() !== '') throw new Error(await errorIn(rest, texts));
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

/** The row in a line; null where the line belongs to an error in the middle of an answer. */
function rowIn(line: string): Record<string, unknown> | null {
  try {
    const row = JSON.parse(line);
    return Object.keys(row).join() === 'exception' ? null : row;
  } catch {
    return null;
  }
}

/**
 * The server's words for an error in the middle of an answer: a last line, since version 23.9 the only column of a last
 * row, and since 25.11 a block of lines behind `__exception__`, after which the connection may break.
 */
async function errorIn(begun: string, more: AsyncIterator<string>): Promise<string> {
  let text = begun;
  try {
    for (let next = await more.next(); !next.done; next = await more.next()) text += next.value;
  } catch {
    // What came says more than that the connection broke.
  }
  const words = /Code: \d+[^\r\n]*/.exec(text)?.[0] ?? text.trim();
  return words.replace(/"}$/, '');
}
