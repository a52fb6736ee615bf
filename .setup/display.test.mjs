import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { givenDisplay, xServerAccepts } from './display.mjs';
import { FAMILY_WILD, MIT_MAGIC_COOKIE, writeXauthority } from './xauthority.mjs';

/** @type {import('node:net').Server | null} */
let server = null;
afterEach(() => new Promise((resolve) => (server === null ? resolve(undefined) : server.close(resolve))));

const secret = Buffer.from('0123456789abcdef');

/**
 * A server that speaks the X protocol's first exchange and wants the cookie `secret`.
 * @returns {Promise<number>} its display number
 */
async function xServer() {
  const listening = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => socket.end(Buffer.from([bytes.includes(secret) ? 1 : 0, 0, 0, 0])));
  });
  server = listening;
  // Displays over TCP are ports from 6000 up; any free port is one of those.
  await new Promise((resolve) => listening.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = listening.address();
  return (typeof address === 'object' && address !== null ? address.port : 0) - 6000;
}

/**
 * @param {Buffer} cookie
 * @param {string} [number]
 */
const authority = (cookie, number = '') =>
  writeXauthority([
    { family: FAMILY_WILD, address: Buffer.alloc(0), number, name: MIT_MAGIC_COOKIE, cookie },
  ]);

test('a display is usable when the server accepts the cookie', async () => {
  const display = `127.0.0.1:${await xServer()}.0`;
  expect(await xServerAccepts(display, authority(secret))).toBe(true);
  expect(await xServerAccepts(display, authority(Buffer.alloc(16)))).toBe(false);
  expect(await xServerAccepts(display, authority(secret, '9'))).toBe(false);
  expect(await xServerAccepts(display, null)).toBe(false);
});

test.each(['', 'nonsense', ':', '127.0.0.1:x'])('DISPLAY=%s is no usable display', async (name) => {
  expect(await xServerAccepts(name, null)).toBe(false);
});

test('a session without a display, or with the remains of one, gives none', async () => {
  const gone = mkdtempSync('/tmp/session-');
  rmSync(gone, { recursive: true });
  expect(await givenDisplay(null, {})).toBeNull();
  expect(await givenDisplay(null, { WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: gone })).toBeNull();
});
