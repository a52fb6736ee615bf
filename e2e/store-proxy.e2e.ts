import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { systemLookup } from '../main/egress/bounded-lookup';
import { createServiceFetch } from '../main/egress/egress';
import { createOpenConnection } from '../main/egress/open-connection';
import { createProxies } from '../main/egress/proxies';
import { SendError } from '../main/egress/send-error';
import { testCa } from '../main/egress/testing/test-ca';
import { timers } from '../main/schedule';
import { readProxy } from '../main/settings/proxy-address';
import { trustInChromium } from '../main/shell/chromium-cas';
import { expect } from './expect';
import { startTinyproxy, type Tinyproxy } from './tinyproxy';

// Tests with programs that stores really use. through-proxy.test.ts tests the rules of our own code.

let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-store-proxy-'));
});
test.afterEach(() => rm(folder, { recursive: true, force: true }));

test.describe('Debian’s tinyproxy with a password', () => {
  const answered = ['http', 'https'] as const;
  let proxy: Tinyproxy | null = null;
  const servers: Server[] = [];
  const ca = testCa('The CA of a service');
  /** Not a loopback address, because those bypass a proxy. */
  const own =
    Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';

  test.beforeEach(async () => {
    proxy = await startTinyproxy({ folder, credentials: 'kiosk:s3cret-of-store' });
  });
  test.afterEach(async () => {
    proxy?.stop();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    return (server.address() as AddressInfo).port;
  }
  const fetchBy = (credentials: string) =>
    createServiceFetch({
      lookup: systemLookup,
      schedule: timers,
      openConnection: createOpenConnection([ca.cert]),
      proxies: createProxies({
        proxy: readProxy(`http://${credentials}127.0.0.1:${proxy?.port}`),
        noProxy: [],
        lookup: systemLookup,
        resolveSystem: async () => 'DIRECT',
      }),
    });

  for (const scheme of answered) {
    test(`${scheme} works through it, and a wrong password is reported`, async () => {
      expect(own, 'this machine has no address but loopback').not.toBe('');
      const seen: string[] = [];
      const answer = (request: { headers: object }, response: { end(text: string): void }) => {
        seen.push(JSON.stringify(request.headers));
        response.end('the service');
      };
      const server = scheme === 'https' ? createTlsServer(ca.issue(own), answer) : createHttpServer(answer);
      servers.push(server);
      const url = `${scheme}://${own}:${await listen(server)}/v1`;
      const response = await fetchBy('kiosk:s3cret-of-store@')(url, {});
      expect(await response.text()).toBe('the service');
      // tinyproxy adds a header to what it forwards; in a tunnel it cannot.
      expect(seen.join().includes('tinyproxy')).toBe(scheme === 'http');
      expect(seen.join()).not.toContain('proxy-authorization');

      const errorBy = (credentials: string) =>
        fetchBy(credentials)(url, {}).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof SendError ? [error.code, error.left] : error),
        );
      expect(await errorBy('')).toEqual(['proxy-auth', 'no']);
      // It answers 401 to a wrong password, which without a tunnel could be the service's own answer.
      expect(await errorBy('kiosk:wrong@')).toEqual(scheme === 'http' ? 401 : ['proxy-auth', 'no']);
      expect(seen).toHaveLength(1);
    });
  }
});

test('Chromium’s database gets each CA once, and loses those that were removed from the file', async () => {
  const list = () =>
    execFileSync('certutil', ['-d', `sql:${join(folder, '.pki/nssdb')}`, '-L'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('Endcap'));
  const [one, two] = [testCa('One').cert, testCa('Two').cert];

  expect(await trustInChromium([], { home: folder })).toEqual({ kind: 'done' });
  await expect(stat(join(folder, '.pki'))).rejects.toMatchObject({ code: 'ENOENT' });

  expect(await trustInChromium([one, two], { home: folder })).toEqual({ kind: 'done' });
  expect(await trustInChromium([one, two], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(2);
  for (const line of list()) expect(line).toMatch(/\sC,,\s*$/);

  expect(await trustInChromium([two], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(1);
  expect(await trustInChromium([], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(0);

  const missing = { home: folder, certutil: join(folder, 'nothing-here') };
  expect(await trustInChromium([one], missing)).toEqual({ kind: 'no-certutil' });
});
