import {
  chmodSync,
  chownSync,
  linkSync,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOwnFolder } from './ordinary-user.mjs';
import { giveTree, makeFolder, makeSharedFolder } from './safe-folders.mjs';

const isRoot = process.getuid?.() === 0;
/** Somebody else, when we are root; else we ourselves, whose links are followed as little. */
const uid = isRoot ? 65_534 : (process.getuid?.() ?? 0);
const gid = isRoot ? 65_534 : (process.getgid?.() ?? 0);

let folder = '';
/** A folder that the link leads to, which nobody may touch. */
let target = '';
/** @type {import('./ordinary-user.mjs').User} */
let user;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-folders-'));
  chmodSync(folder, 0o755);
  target = join(folder, 'target');
  mkdirSync(target, { mode: 0o700 });
  writeFileSync(join(target, 'secret'), 'of root', { mode: 0o600 });
  const home = join(folder, 'home');
  mkdirSync(join(home, 'runtime'), { recursive: true });
  for (const each of [home, join(home, 'runtime')]) chownSync(each, uid, gid);
  user = { name: 'somebody', uid, gid, home };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Owner and mode of the target and of what is in it. */
const touched = () =>
  [target, join(target, 'secret')].map((path) => {
    const { uid: owner, gid: group, mode } = lstatSync(path);
    return { owner, group, mode };
  });

/** Puts a link to the target in place of a folder of the user's. @param {string} path */
function putLink(path) {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

describe('a link in place of a folder', () => {
  /** @type {Array<[string, (path: string) => void]>} */
  const MAKERS = [
    ['of the user', (path) => makeOwnFolder(user, path, 0o777)],
    ['of ours', (path) => makeFolder(path, { mode: 0o777, owner: { uid, gid } })],
    ['that everybody shares, as the X socket folder', (path) => makeSharedFolder(path, 0o1777)],
  ];
  it.each(MAKERS)('%s is told of, and what it leads to stays as it was', (_whose, make) => {
    const before = touched();
    const path = join(user.home, 'runtime');
    putLink(path);
    expect(() => make(path)).toThrow(/expected a folder at .*, found a link/);
    expect(touched()).toEqual(before);
  });

  it('above one of the user is followed with no more rights than the user has', () => {
    const before = touched();
    putLink(join(user.home, 'runtime'));
    const path = join(user.home, 'runtime', 'below');
    const make = () => makeOwnFolder(user, path, 0o777);
    // Our own links lead where we may go anyway.
    if (isRoot) expect(make).toThrow(/failed as user 65534/);
    else make();
    expect(touched()).toEqual(before);
  });
});

describe('a folder', () => {
  it('is made with its mode, and corrected', () => {
    const path = join(folder, 'new');
    makeFolder(path, { mode: 0o711 });
    expect(statSync(path).mode & 0o777).toBe(0o711);
    makeSharedFolder(path, 0o1777);
    expect(statSync(path).mode & 0o7777).toBe(0o1777);
    const own = join(user.home, 'deep', 'own');
    makeOwnFolder(user, own, 0o700);
    expect(statSync(own)).toMatchObject({ uid, gid });
    expect(statSync(own).mode & 0o777).toBe(0o700);
  });

  it('that is a file is told of', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'), { mode: 0o755 })).toThrow(/expected a folder/);
  });
});

// Who is not root cannot give anything away; then it is only seen that links lead nowhere.
describe('a tree that is given away', () => {
  it('brings its links along, and neither what they lead to nor files with another name elsewhere', () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    writeFileSync(join(tree, 'deep', 'file'), '');
    symlinkSync(target, join(tree, 'link'));
    symlinkSync(join(target, 'secret'), join(tree, 'deep', 'link'));
    linkSync(join(target, 'secret'), join(tree, 'deep', 'other-name'));
    const before = touched();
    expect(giveTree(tree, { uid, gid })).toBe(isRoot ? 5 : 0);
    for (const path of ['', 'deep', 'deep/file', 'link', 'deep/link']) {
      expect(lstatSync(join(tree, path)), path).toMatchObject({ uid, gid });
    }
    expect(touched()).toEqual(before);
    expect(giveTree(tree, { uid, gid })).toBe(0);
  });

  it('that is a link itself is not followed', () => {
    const before = touched();
    const path = join(user.home, 'runtime');
    putLink(path);
    giveTree(path, { uid, gid });
    expect(touched()).toEqual(before);
  });

  it('is gone through in the folders that were looked at, whatever is put in their place', () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    for (let number = 0; number < 50; number += 1) writeFileSync(join(tree, 'deep', `${number}`), '');
    const before = touched();
    const { uid: mine } = statSync(tree);
    // While the tree is gone through the folder gives way to a link, as its owner could have it do.
    let isSwapped = false;
    const owner = {
      gid,
      get uid() {
        if (!isSwapped) {
          isSwapped = true;
          renameSync(join(tree, 'deep'), join(folder, 'aside'));
          symlinkSync(target, join(tree, 'deep'));
        }
        return uid;
      },
    };
    giveTree(tree, owner);
    expect(isSwapped).toBe(true);
    expect(touched()).toEqual(before);
    expect(statSync(target).uid).toBe(mine);
  });
});
