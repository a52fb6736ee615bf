import { join } from 'node:path';
import { expect, test } from 'vitest';
import { belongsToSystem } from './data-folder.mjs';

test.each([
  '/',
  '/etc',
  '/etc/endcap',
  '/home',
  '/home/anna',
  '/usr/share/x',
  '/tmp',
  '/var',
  '/var/lib',
  '/var/lib/dpkg',
  '/root',
  '/srv/endcap',
  '/srv',
])('%s is never handed over', (folder) => expect(belongsToSystem(folder, '/srv/endcap')).toBe(true));

test.each([
  '/tmp/tmp.a1',
  join('/root', 'kiosk'),
  '/home/anna/kiosk',
  '/var/lib/kiosks/one',
  '/srv/kiosk',
  '/opt/kiosk/d',
])('%s may be', (folder) => expect(belongsToSystem(folder, '/srv/endcap')).toBe(false));
