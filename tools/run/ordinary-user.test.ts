import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandDataFolder, demandReadable, giveCookie, makeOwnFolder, type User } from './ordinary-user.ts';

const isRoot = process.getuid?.() === 0;
/** Another user if we are root; otherwise our own user. */
const uid = isRoot ? 65_534 : (process.getuid?.() ?? 0);
const gid = isRoot ? 65_534 : (process.getgid?.() ?? 0);

let folder = '';
/** A folder of the user. */
let home = '';
/** A folder without any access for the user, even if that is root. */
let closed = '';
let user: User;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-user-'));
  chmodSync(folder, 0o755);
  home = join(folder, 'home');
  closed = join(folder, 'closed');
  mkdirSync(join(home, 'runtime'), { recursive: true });
  for (const each of [home, join(home, 'runtime')]) chownSync(each, uid, gid);
  mkdirSync(join(closed, 'data'), { recursive: true });
  writeFileSync(join(closed, 'settings.json'), '{}');
  chmodSync(closed, 0o000);
  user = { name: 'somebody', uid, gid, home };
});
afterEach(() => {
  chmodSync(closed, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

describe('a folder of the user', () => {
  it('is made with its mode, and corrected', () => {
    const own = join(home, 'deep', 'own');
    for (const mode of [0o755, 0o700]) {
      makeOwnFolder(user, own, mode);
      expect(lstatSync(own)).toMatchObject({ uid, gid });
      expect(lstatSync(own).mode & 0o777).toBe(mode);
    }
  });

  it('is refused if a link leads to a folder that the user may not change, which stays unchanged', () => {
    const before = lstatSync(closed).mode;
    rmSync(join(home, 'runtime'), { recursive: true });
    symlinkSync(join(closed, 'data'), join(home, 'runtime'));
    for (const path of [join(home, 'runtime'), join(home, 'runtime', 'below')])
      expect(() => makeOwnFolder(user, path, 0o777)).toThrow(new RegExp(`failed as user ${uid}`));
    expect(lstatSync(closed).mode).toBe(before);
    chmodSync(closed, 0o700);
    expect(lstatSync(join(closed, 'data')).mode & 0o777).not.toBe(0o777);
    expect(readdirSync(join(closed, 'data'))).toEqual([]);
  });
});

describe('a data folder named by root', () => {
  it('is made by the user if it is missing', () => {
    const data = join(home, 'deep', 'data');
    demandDataFolder(user, data);
    expect(lstatSync(data)).toMatchObject({ uid, gid });
    expect(lstatSync(data).mode & 0o777).toBe(0o700);
    demandDataFolder(user, data);
  });

  it('is refused if the user cannot use it, and stays unchanged', () => {
    const mode = () => lstatSync(closed).mode;
    const before = mode();
    for (const data of [join(closed, 'data'), join(closed, 'new')]) {
      expect(() => demandDataFolder(user, data)).toThrow(
        /somebody, .* cannot use the data folder .*Name one/,
      );
    }
    expect(mode()).toBe(before);
  });

  it('is refused if a link leads to one that the user cannot use', () => {
    symlinkSync(join(closed, 'data'), join(home, 'data'));
    expect(() => demandDataFolder(user, join(home, 'data'))).toThrow(/cannot use the data folder/);
  });
});

it('settings that the user may not read are refused; a missing file is reported by the kiosk', () => {
  // Without root's rights, we cannot see the file either.
  if (isRoot) expect(() => demandReadable(user, join(closed, 'settings.json'))).toThrow(/may not read/);
  writeFileSync(join(folder, 'settings.json'), '{}', { mode: 0o644 });
  demandReadable(user, join(folder, 'settings.json'));
  demandReadable(user, join(folder, 'gone.json'));
});

it('the X cookie of root becomes a file that only the user can read', () => {
  writeFileSync(join(folder, 'cookie'), 'secret', { mode: 0o600 });
  const { XAUTHORITY = '' } = giveCookie(user, join(folder, 'cookie'));
  expect(lstatSync(XAUTHORITY)).toMatchObject({ uid, gid });
  expect(lstatSync(XAUTHORITY).mode & 0o777).toBe(0o600);
  expect(giveCookie(user, join(folder, 'gone'))).toEqual({});
});
