import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mayBelongToSystem, openDataFolder } from './data-folder.mjs';
import { asUser } from './safe-folders.mjs';

const NOBODY = 65_534;
const HOME_OF_ROOT = join('/', 'root');

/** Closed to everybody but root, as root's home is. */
let closed = '';
/** Sticky and open to everybody, as /tmp is. */
let shared = '';
/** Of root, and everybody may look into it. */
let folder = '';
/** @type {import('./ordinary-user.mjs').User} */
let user;

const owners = () =>
  [closed, join(closed, 'target'), join(closed, 'target', 'authorized_keys')].map(
    (path) => lstatSync(path).uid,
  );

/** As the user, puts a link to root's folder where the data folder is. @param {string} data */
function swap(data) {
  asUser(user, ['mv', '--', data, `${data}-was`]);
  asUser(user, ['ln', '-s', '--', join(closed, 'target'), data]);
}

// Only root has anything to hand over; as the ordinary user who runs the other tests there is nothing to test.
if (process.getuid?.() === 0)
  describe('a data folder that root opens for the user', () => {
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'endcap-data-'));
      closed = mkdtempSync(join(tmpdir(), 'endcap-closed-'));
      chmodSync(folder, 0o755);
      mkdirSync(join(closed, 'target'), { mode: 0o755 });
      writeFileSync(join(closed, 'target', 'authorized_keys'), 'of root', { mode: 0o600 });
      shared = join(folder, 'shared');
      mkdirSync(shared);
      chmodSync(shared, 0o1777);
      const home = join(folder, 'home');
      mkdirSync(home);
      chownSync(home, NOBODY, NOBODY);
      user = { name: 'nobody', uid: NOBODY, gid: NOBODY, home };
    });
    afterEach(() => {
      for (const each of [folder, closed]) rmSync(each, { recursive: true, force: true });
    });

    it('that gave way to a link between two starts stops the second, and nothing of root changes hands', () => {
      const data = join(shared, 'x', 'data');
      expect(openDataFolder(user, data)).toEqual({ at: data, mountFrom: null });
      swap(data);
      expect(() => openDataFolder(user, data)).toThrow(
        /does not prepare the data folder .* belongs to user 65534/,
      );
      expect(owners()).toEqual([0, 0, 0]);
    });

    it('is no link in a sticky folder either', () => {
      const data = join(shared, 'data');
      expect(openDataFolder(user, data)).toEqual({ at: data, mountFrom: null });
      swap(data);
      expect(() => openDataFolder(user, data)).toThrow(/expected a folder at .*, found a link/);
      expect(owners()).toEqual([0, 0, 0]);
    });

    it('is made and handed over alone: folders above stay root’s', () => {
      const data = join(folder, 'above', 'data');
      expect(openDataFolder(user, data)).toEqual({ at: data, mountFrom: null });
      expect(statSync(join(folder, 'above')).uid).toBe(0);
      expect(statSync(data)).toMatchObject({ uid: NOBODY, gid: NOBODY });
      expect(statSync(data).mode & 0o777).toBe(0o700);
    });

    it('is handed over with what root left in it', () => {
      const data = join(folder, 'data');
      mkdirSync(join(data, 'media'), { recursive: true, mode: 0o700 });
      writeFileSync(join(data, 'media', 'file'), '', { mode: 0o600 });
      chmodSync(data, 0o700);
      expect(openDataFolder(user, data)).toEqual({ at: data, mountFrom: null });
      expect(statSync(join(data, 'media', 'file')).uid).toBe(NOBODY);
    });

    it('below a folder that others can write to is refused', () => {
      const open = join(folder, 'open');
      mkdirSync(join(open, 'data'), { recursive: true, mode: 0o700 });
      chmodSync(open, 0o777);
      expect(() => openDataFolder(user, join(open, 'data'))).toThrow(/others can write to/);
      const linked = join(folder, 'linked');
      symlinkSync(closed, linked);
      expect(() => openDataFolder(user, join(linked, 'target'))).toThrow(/is a link or a file/);
      expect(owners()).toEqual([0, 0, 0]);
    });

    it('that the user has and can use is left as it is, whoever has what is above', () => {
      const data = join(user.home, 'data');
      expect(openDataFolder(user, data)).toEqual({ at: data, mountFrom: null });
      renameSync(data, `${data}-2`);
      expect(openDataFolder(user, `${data}-2`)).toEqual({ at: `${data}-2`, mountFrom: null });
    });

    it('that a folder above closes is mounted where root alone can change the way', () => {
      const data = join(closed, 'data');
      const reach = openDataFolder(user, data);
      // Not every container lets root mount anything.
      if (reach === null) return;
      expect(reach).toMatchObject({ mountFrom: data });
      expect(reach.at.startsWith(`${user.home}/`)).toBe(false);
      for (const path of [reach.at, dirname(reach.at)]) expect(statSync(path).uid).toBe(0);
    });
  });

it.each([join(HOME_OF_ROOT, '.ssh'), '/var/spool/cron/crontabs', '/var/lib/dpkg/info'])(
  '%s, once there, may belong to a program',
  (path) => expect(mayBelongToSystem(path)).toBe(true),
);

it.each([join(HOME_OF_ROOT, 'kiosk'), '/tmp/kiosk', '/srv/kiosk'])('%s does not', (path) =>
  expect(mayBelongToSystem(path)).toBe(false),
);
