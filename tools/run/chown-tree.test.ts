import {
  chmodSync,
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
import { chownTree } from './chown-tree.ts';

const isRoot = process.getuid?.() === 0;
/** Another user if we are root; otherwise our own user. Links must not be followed in either case. */
const uid = isRoot ? 65_534 : (process.getuid?.() ?? 0);
const gid = isRoot ? 65_534 : (process.getgid?.() ?? 0);

let folder = '';
/** The folder behind the link, which must not change. */
let target = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-folders-'));
  chmodSync(folder, 0o755);
  target = join(folder, 'target');
  mkdirSync(target, { mode: 0o700 });
  writeFileSync(join(target, 'secret'), 'of root', { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Owner and mode of the folder behind the link, and of its content. */
const touched = () =>
  [target, join(target, 'secret')].map((path) => {
    const { uid: owner, gid: group, mode } = lstatSync(path);
    return { owner, group, mode };
  });

// Only root can change an owner; otherwise these tests only show that links are not followed.
describe('a tree whose owner changes', () => {
  it('includes its links, but neither their targets nor files with hard links elsewhere', () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    writeFileSync(join(tree, 'deep', 'file'), '');
    symlinkSync(target, join(tree, 'link'));
    symlinkSync(join(target, 'secret'), join(tree, 'deep', 'link'));
    linkSync(join(target, 'secret'), join(tree, 'deep', 'other-name'));
    symlinkSync('nowhere', join(folder, 'own-link'));
    linkSync(join(folder, 'own-link'), join(tree, 'deep', 'other-link'));
    const own = lstatSync(join(folder, 'own-link'));
    const before = touched();
    expect(chownTree(tree, { uid, gid })).toBe(isRoot ? 5 : 0);
    for (const path of ['', 'deep', 'deep/file', 'link', 'deep/link']) {
      expect(lstatSync(join(tree, path)), path).toMatchObject({ uid, gid });
    }
    expect(touched()).toEqual(before);
    expect(lstatSync(join(folder, 'own-link'))).toMatchObject({ uid: own.uid, gid: own.gid });
    expect(chownTree(tree, { uid, gid })).toBe(0);
  });

  it('that is a link itself is not followed', () => {
    const before = touched();
    const path = join(folder, 'runtime');
    symlinkSync(target, path);
    chownTree(path, { uid, gid });
    expect(touched()).toEqual(before);
  });

  it('is processed in the folders that were checked, even if they are replaced meanwhile', () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    for (let number = 0; number < 50; number += 1) writeFileSync(join(tree, 'deep', `${number}`), '');
    const before = touched();
    const { uid: mine } = statSync(tree);
    // Meanwhile a link takes the place of the folder, as its owner could cause.
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
    chownTree(tree, owner);
    expect(isSwapped).toBe(true);
    expect(touched()).toEqual(before);
    expect(statSync(target).uid).toBe(mine);
  });
});
