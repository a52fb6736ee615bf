import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { grantToken } from './token-access';

let folder: string;
let file: string;
let groups: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-token-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  file = join(data, 'signals-token');
  groups = join(folder, 'group');
  await writeFile(file, 'x'.repeat(43), { mode: 0o600 });
  // Every user may give a file to its own group.
  await writeFile(groups, `root:x:0:\nagents:x:${process.getgid?.()}:someone\nbroken\n`);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const modes = async () => [await modeOf(file), await modeOf(join(file, '..'))];

test('without settings no permission changes, even if an operator gave a group access', async () => {
  expect(await grantToken(file, { group: null, mode: '0600' }, groups)).toBeNull();
  expect(await modes()).toEqual(['600', '700']);
  await chmod(file, 0o640);
  expect(await grantToken(file, { group: 'agents', mode: '0600' }, groups)).toBeNull();
  expect(await modes()).toEqual(['640', '700']);
});

test.each(['agents', String(process.getgid?.()), null])(
  'the group %s can read the token and enter its folder, but not list the folder',
  async (group) => {
    for (const _start of ['first', 'second']) {
      expect(await grantToken(file, { group, mode: '0640' }, groups)).toBeNull();
      expect(await modes()).toEqual(['640', '710']);
    }
  },
);

test('a folder that everybody may pass through stays as it is', async () => {
  await chmod(join(file, '..'), 0o705);
  expect(await grantToken(file, { group: 'agents', mode: '0640' }, groups)).toBeNull();
  expect(await modes()).toEqual(['640', '705']);
});

test.each(['nobody-has-it', 'broken', 'agents:x'])(
  'says that %s is no group of this machine',
  async (group) => {
    expect(await grantToken(file, { group, mode: '0640' }, groups)).toMatch(
      /expected a group of this machine/,
    );
    expect(await grantToken(file, { group, mode: '0640' }, join(folder, 'missing'))).toContain(group);
    expect(await modes()).toEqual(['600', '700']);
  },
);

test('says what to do if the group cannot get access, and changes no permission', async () => {
  const link = join(folder, 'link');
  await symlink(file, link);
  const problem = await grantToken(link, { group: 'agents', mode: '0640' }, groups);
  expect(problem).toMatch(/agents cannot read .*link \(ELOOP\)\. Add the kiosk's user to that group/);
  expect(await modes()).toEqual(['600', '700']);
});

test.each([
  ['0640', ['640', '710'], [1, 1]],
  ['0600', ['600', '700'], [1, undefined]],
] as const)(
  'only root can give the file to a group that the user is no member of, mode %s',
  async (mode, opened, given) => {
    const isRoot = process.getuid?.() === 0;
    const groupsOf = () => Promise.all([file, join(file, '..')].map(async (path) => (await stat(path)).gid));
    const before = await groupsOf();
    const problem = await grantToken(file, { group: '1', mode }, groups);
    expect(problem).toEqual(isRoot ? null : expect.stringContaining('(EPERM)'));
    expect(await modes()).toEqual(isRoot ? opened : ['600', '700']);
    expect(await groupsOf()).toEqual(isRoot ? before.map((gid, index) => given[index] ?? gid) : before);
  },
);
