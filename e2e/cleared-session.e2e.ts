import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Session } from 'electron';
import { test } from 'playwright/test';
import { testCa } from '../main/egress/testing/test-ca';
import { listening } from '../tools/fleet/loopback-ports';
import { type ElectronProgram, startProgram } from './electron-program';
import { expect } from './expect';

// What a server can make Chromium remember besides storage and cache, and whether the next visit finds it. Its program
// also shows how journeys ask a main process.

/** For each request, whether its connection resumed an earlier TLS session. */
const resumed: boolean[] = [];
let server: Awaited<ReturnType<typeof listening>>;
let program: ElectronProgram;

test.beforeAll(async () => {
  const shop = createServer(testCa('shop').issue('shop.example'), (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    const headers = { 'strict-transport-security': 'max-age=31536000', connection: 'close' };
    response.writeHead(200, headers).end('here');
  });
  server = await listening(shop);
  program = await startProgram('cleared-session.ts');
});

test.afterAll(async () => {
  await program.close();
  await server[Symbol.asyncDispose]();
});

/** The status of a session's fetch, or `no answer`: the server speaks only TLS, so it does not answer plain HTTP. */
const fetchOf = (scheme: 'http' | 'https') =>
  program.electron.evaluate(async ({ app, session }, url) => {
    await app.whenReady();
    const visited = session.fromPartition('visited');
    visited.setCertificateVerifyProc((_request, answer) => answer(0));
    return visited.fetch(url, { cache: 'no-store' }).then(
      ({ status }) => status,
      () => 'no answer',
    );
  }, `${scheme}://shop.example:${server.port}/`);

test('a cleared session has no HSTS entry of a host and no TLS session with it', async () => {
  expect(await fetchOf('http')).toBe('no answer');
  expect(await fetchOf('https')).toBe(200);
  expect(await fetchOf('http'), 'HSTS makes it https').toBe(200);
  expect(resumed.splice(0)).toEqual([false, true]);
  await program.electron.evaluate(async ({ session }) => {
    const { clearSession } = globalThis as unknown as { clearSession: (each: Session) => Promise<void> };
    await clearSession(session.fromPartition('visited'));
  });
  expect(await fetchOf('http')).toBe('no answer');
  expect(await fetchOf('https')).toBe(200);
  expect(resumed).toEqual([false]);
});

test('the code of a journey never runs in the middle of the main process’s own', async () => {
  await program.electron.evaluate(() => {
    const world = globalThis as { state?: string };
    setTimeout(() => {
      world.state = 'busy';
      const end = performance.now() + 1_000;
      while (performance.now() < end);
      world.state = 'ended';
    });
  });
  const states = new Set<string | undefined>();
  const state = async () => {
    const now = await program.electron.evaluate(() => (globalThis as { state?: string }).state);
    states.add(now);
    return now;
  };
  await expect.poll(state).toBe('ended');
  expect(states).not.toContain('busy');
});
