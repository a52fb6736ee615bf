import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { clickHouseAt } from './clickhouse-client';
import { listening } from './loopback-ports';

it('uses no connection that the server is about to close', async () => {
  const server = createServer((socket) => {
    let isUsed = false;
    socket.on('data', () => {
      // As a server does whose time for idle connections ends while a request is on its way.
      if (isUsed) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
      isUsed = true;
    });
  });
  await using closing = await listening(server);
  const clickHouse = clickHouseAt(`http://127.0.0.1:${closing.port}/`);
  for (let query = 0; query < 3; query += 1) expect(await clickHouse.all('SELECT 1 WHERE 0')).toEqual([]);
});

it('says where no server answers, and what an address looks like, without its password', async () => {
  const { port, [Symbol.asyncDispose]: close } = await listening(createServer());
  await close();
  await expect(clickHouseAt(`http://me:geheim@127.0.0.1:${port}/`).all('SELECT 1')).rejects.toThrow(
    `expected the HTTP interface of ClickHouse at http://127.0.0.1:${port}, got ECONNREFUSED. Check --url`,
  );
  expect(() => clickHouseAt('me:geheim@host:8123')).toThrow(
    /^expected an address such as [^ ]+, got something else$/,
  );
});

it.each([
  ['a line', (why: string) => `${why}\n`],
  ['a row', (why: string) => `${JSON.stringify({ exception: why })}\n`],
  ['a block', (why: string) => `\r\n__exception__\r\nabcdefgh\r\n${why}\n70 abcdefgh\r\n__exception__\r\n`],
])('reports an error in the middle of an answer in the words of the server: %s', async (_which, told) => {
  const why = 'Code: 241, e.displayText() = DB::Exception: Memory limit exceeded';
  for (const breaks of [false, true]) {
    await using server = await listening(
      createHttpServer((_request, response) => {
        response.write(`{"a":1}\n${told(why)}`, () => (breaks ? response.destroy() : response.end()));
      }),
    );
    const { rows } = clickHouseAt(`http://127.0.0.1:${server.port}/`);
    const found: object[] = [];
    const read = async () => {
      for await (const row of rows('SELECT 1')) found.push(row);
    };
    await expect(read()).rejects.toThrow(new Error(why));
    expect(found).toEqual([{ a: 1 }]);
  }
});
