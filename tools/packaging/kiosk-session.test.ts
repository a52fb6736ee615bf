import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), 'tree/usr/lib/endcap/kiosk-session');

/** Writes what weston 10 writes on Super+S and Super+R, then makes its socket. */
const WESTON = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
for (const name of ['capture.wcap', 'wayland-screenshot-2026-01-01_10-00-00.png'])
  try { writeFileSync(name, ''); } catch { console.log('not written'); }
process.on('SIGTERM', () => process.exit());
require('node:net').createServer().listen(process.env.XDG_RUNTIME_DIR + '/endcap-0');
`;

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'endcap-session-'));
  for (const folder of ['bin', 'run', 'data']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'bin/weston'), WESTON, { mode: 0o755 });
  writeFileSync(join(root, 'bin/systemctl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('leaves the compositor no folder for screenshots and recordings, and removes old ones', () => {
  const data = join(root, 'data');
  const old = ['capture.wcap', 'wayland-screenshot-2025-12-31_10-00-00.png'];
  for (const name of [...old, 'machine.json']) writeFileSync(join(data, name), '');
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT], {
    cwd: data,
    encoding: 'utf8',
    env: {
      PATH: `${root}/bin:${process.env.PATH}`,
      RUNTIME_DIRECTORY: join(root, 'run'),
      STATE_DIRECTORY: data,
      ENDCAP_PROGRAM: 'true',
    },
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: 'not written\nnot written\n',
    stderr: '',
  });
  expect(readdirSync(data)).toEqual(['machine.json']);
});

it('waits for a display, without which neither compositor nor Chromium starts', async () => {
  const connector = join(root, 'drm/card1-HDMI-A-1');
  mkdirSync(connector, { recursive: true });
  writeFileSync(join(connector, 'status'), 'disconnected\n');
  // Of the graphics card itself.
  mkdirSync(join(root, 'drm/card1-Writeback-1'));
  writeFileSync(join(root, 'drm/card1-Writeback-1/status'), 'unknown\n');
  const script = join(root, 'kiosk-session');
  writeFileSync(script, readFileSync(SCRIPT, 'utf8').replaceAll('/sys/class/drm', join(root, 'drm')));
  const told = join(root, 'told');
  writeFileSync(join(root, 'bin/systemd-notify'), `#!/bin/sh\necho "$@" >>${told}\n`, { mode: 0o755 });
  const session = spawn('sh', [script], {
    env: {
      PATH: `${root}/bin:${process.env.PATH}`,
      RUNTIME_DIRECTORY: join(root, 'run'),
      STATE_DIRECTORY: join(root, 'data'),
      ENDCAP_PROGRAM: 'true',
    },
  });
  const ended = new Promise((resolve) => session.once('exit', resolve));
  await expect.poll(() => existsSync(told)).toBe(true);
  expect(readFileSync(told, 'utf8')).toMatch(/^--status=Waits for a display. EXTEND_TIMEOUT_USEC=\d+\n/);
  expect(existsSync(join(root, 'run/endcap-0'))).toBe(false);
  expect(readFileSync(join(root, 'run/playing'), 'utf8')).toBe('held\n');
  writeFileSync(join(connector, 'status'), 'connected\n');
  expect(await ended).toBe(0);
  expect(existsSync(join(root, 'run/playing'))).toBe(false);
});
