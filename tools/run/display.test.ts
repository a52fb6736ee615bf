import { mkdtempSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { givenDisplay, startXvfb } from './display.ts';

test('a display is usable while its server runs, and only with its cookie', async () => {
  const own = await startXvfb();
  const other = await startXvfb();
  const session = { PATH: process.env.PATH, ...own.env };
  try {
    expect(await givenDisplay(session)).toMatchObject({
      isOurs: false,
      name: `the display ${own.env.DISPLAY}`,
    });
    expect(await givenDisplay({ ...session, XAUTHORITY: other.env.XAUTHORITY })).toBeNull();
    expect(await givenDisplay({ ...session, XAUTHORITY: '/dev/null' })).toBeNull();
  } finally {
    await Promise.all([own.close(), other.close()]);
  }
  expect(await givenDisplay(session)).toBeNull();
});

test.each(['nonsense', ':', '127.0.0.1:x'])('DISPLAY=%s is no usable display', async (DISPLAY) => {
  expect(await givenDisplay({ PATH: process.env.PATH, DISPLAY })).toBeNull();
});

test('a session without a display, or with the remains of one, gives none', async () => {
  const gone = mkdtempSync('/tmp/session-');
  rmSync(gone, { recursive: true });
  expect(await givenDisplay({})).toBeNull();
  expect(await givenDisplay({ WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: gone })).toBeNull();
});
