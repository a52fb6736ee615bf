/** A ClickHouse server as its HTTP interface shows it. */
export interface ClickHouse {
  /** Rows of a query, in its order. 64-bit numbers arrive as texts. Throws with the server's words. */
  readonly rows: (sql: string) => AsyncGenerator<Record<string, unknown>>;
  /** All rows of a query that answers few. */
  readonly all: (sql: string) => Promise<Record<string, unknown>[]>;
  /** A statement that answers nothing. */
  readonly run: (sql: string) => Promise<void>;
  /** A segment's body into `table`, as a kiosk sends it; resolves with the HTTP status. */
  readonly send: (table: string, body: Uint8Array<ArrayBuffer>) => Promise<number>;
}

/** What reading needs beside the query: numbers as texts keep all their digits, whatever the version's default. */
const READING = 'output_format_json_quote_64bit_integers=1&default_format=JSONEachRow';

/**
 * @param url of the HTTP interface; user and password in it become headers, and settings in its query hold for each statement
 * @param database that statements speak of, where the query of `url` names none
 */
export function clickHouseAt(url: string, database = 'default'): ClickHouse {
  const { origin, pathname, username, password, searchParams } = new URL(url);
  if (!searchParams.has('database')) searchParams.set('database', database);
  const headers: Record<string, string> =
    username === ''
      ? {}
      : {
          'X-ClickHouse-User': decodeURIComponent(username),
          'X-ClickHouse-Key': decodeURIComponent(password),
        };
  const base = `${origin}${pathname}?${searchParams}`;

  async function asked(sql: string): Promise<Response> {
    const answer = await fetch(`${base}&${READING}`, { method: 'POST', headers, body: sql });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
  }

  async function* rows(sql: string) {
    const { body } = await asked(sql);
    if (!body) return;
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Record<string, unknown>;
    }
    // An error in the middle of an answer is text behind it.
    if (rest.trim() !== '') throw new Error(rest.trim());
  }

  return {
    rows,
    all: async (sql) => {
      const found = [];
      for await (const row of rows(sql)) found.push(row);
      return found;
    },
    run: async (sql) => {
      await (await asked(sql)).text();
    },
    send: async (table, body) => {
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
