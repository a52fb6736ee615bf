import path from 'node:path';
import { expect, it } from 'vitest';
import { asNamedContent, asNamedPath, withFiles } from './named-file';
import { Secret, secretIn } from './secret';

const settings = (file: string) => ({
  folder: asNamedPath('house'),
  deep: {
    list: ['a', 'b'],
    secret: new Secret('kept'),
    inFile: asNamedContent(file, true, secretIn('a secret')),
    none: null,
  },
});
const files = {
  settingsFile: '/etc/endcap/config.json',
  env: {},
  readFile: async (file: string) =>
    file === path.resolve('/etc/endcap/secret.txt')
      ? { text: 's3cret\n', readableBy: 'kiosk' as const }
      : null,
};

it('paths are relative to the settings file, and the content of a file replaces its path', async () => {
  const read = await withFiles(settings('secret.txt'), files);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  expect(read.settings.folder).toBe(path.resolve('/etc/endcap/house'));
  expect(read.settings.deep.inFile?.reveal()).toBe('s3cret');
  expect(read.settings.deep.secret.reveal()).toBe('kept');
  expect(read.settings.deep).toMatchObject({ list: ['a', 'b'], none: null });
});

it.each(['/home/ops/secret', '/tmp/secret'])(
  'of a file at %s, which may be there, it says who hides it',
  async (file) => {
    for (const code of ['ENOENT', 'EACCES']) {
      const readFile = async () => {
        if (code === 'ENOENT') return null;
        throw Object.assign(new Error('no'), { code });
      };
      const read = await withFiles(settings(file), { ...files, readFile });
      expect(read).toMatchObject({
        problems: [{ message: expect.stringContaining('endcap.service hides') }],
      });
    }
  },
);

it('a file that cannot be used is reported with the path of its setting', async () => {
  expect(await withFiles(settings('gone.txt'), files)).toEqual({
    problems: [{ path: 'deep.inFile', message: `There is no file ${path.resolve('/etc/endcap/gone.txt')}.` }],
  });
});
