import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSharedFolder } from './prepare.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-shared-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => lstatSync(path).mode & 0o7777;

describe('a shared folder like that of X sockets', () => {
  it('is made with its mode, whatever the umask', () => {
    makeSharedFolder(join(folder, 'new'));
    expect(modeOf(join(folder, 'new'))).toBe(0o1777);
  });

  it.each(['target', 'gone'])('stays a link if it is one, and its target is unchanged (%s)', (name) => {
    mkdirSync(join(folder, 'target'), { mode: 0o700 });
    symlinkSync(join(folder, name), join(folder, 'link'));
    makeSharedFolder(join(folder, 'link'));
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(modeOf(join(folder, 'target'))).toBe(0o700);
    expect(lstatSync(join(folder, 'gone'), { throwIfNoEntry: false })).toBeUndefined();
  });
});
