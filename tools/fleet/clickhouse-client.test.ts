import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { clickHouseAt } from './clickhouse-client';

it('uses no connection that the server is about to close', async () => {
  const server = createServer((socket) => {
    let isUsed = false;
    socket.on('error', () => {});
    socket.on('data', () => {
      // As a server does whose time for idle connections ends while a request is on its way.
      if (isUsed) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
      isUsed = true;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clickHouse = clickHouseAt(`http://127.0.0.1:${port}/`);
  for (let query = 0; query < 3; query += 1) expect(await clickHouse.all('SELECT 1 WHERE 0')).toEqual([]);
  server.close();
});
