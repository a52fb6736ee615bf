import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
