import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { Session } from 'electron';
import { _electron, type ElectronApplication } from 'playwright';
import { test } from 'playwright/test';
import { build } from 'vite';
import { testCa } from '../main/service/fence/testing/test-ca';
import { expect } from './expect';
import { dataFolder, electronExecutable } from './kiosk';

// What a server can make Chromium remember beside storage and cache, and whether the next visit finds it.

const program = join(resolve(__dirname, '..'), 'out', 'e2e', 'cleared-session');
/** Whether each request came over a TLS session of an earlier connection. */
const resumed: boolean[] = [];
let server: Server;
let folder: ReturnType<typeof dataFolder>;
let electron: ElectronApplication;

test.beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: program,
      target: 'node22',
      ssr: join(__dirname, 'cleared-session.ts'),
      rolldownOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'index.js' } },
    },
  });
  server = createServer(testCa('shop').issue('shop.example'), (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    const headers = { 'strict-transport-security': 'max-age=31536000', connection: 'close' };
    response.writeHead(200, headers).end('here');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  folder = dataFolder();
  electron = await _electron.launch({
    executablePath: electronExecutable(),
    chromiumSandbox: true,
    args: [join(program, 'index.js'), `--user-data-dir=${folder.path}`],
  });
});

test.afterAll(async () => {
  await electron.close();
  await new Promise((closed) => server.close(closed));
  folder.remove();
  rmSync(program, { recursive: true, force: true });
});

/** What a session's fetch of an address comes to; a server of TLS alone does not answer plain HTTP. */
const fetchOf = (scheme: 'http' | 'https') =>
  electron.evaluate(
    async ({ app, session }, url) => {
      await app.whenReady();
      const visited = session.fromPartition('visited');
      visited.setCertificateVerifyProc((_request, answer) => answer(0));
      return visited.fetch(url, { cache: 'no-store' }).then(
        ({ status }) => status,
        () => 'no answer',
      );
    },
    `${scheme}://shop.example:${(server.address() as AddressInfo).port}/`,
  );

test('a cleared session knows neither HSTS of a host nor a TLS session with it', async () => {
  expect(await fetchOf('http')).toBe('no answer');
  expect(await fetchOf('https')).toBe(200);
  expect(await fetchOf('http'), 'HSTS makes it https').toBe(200);
  expect(resumed.splice(0)).toEqual([false, true]);
  await electron.evaluate(async ({ session }) => {
    const { clearSession } = globalThis as unknown as { clearSession: (each: Session) => Promise<void> };
    await clearSession(session.fromPartition('visited'));
  });
  expect(await fetchOf('http')).toBe('no answer');
  expect(await fetchOf('https')).toBe(200);
  expect(resumed).toEqual([false]);
});
