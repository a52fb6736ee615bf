import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWholeFile, writeWholeFile } from './whole-file';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-whole-'));
  path = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe('a file replaced as a whole', () => {
  it('has the new content and the given mode, and leaves no other file', async () => {
    await writeFile(path, 'old', { mode: 0o644 });
    await writeWholeFile(path, 'new', 0o600);
    expect([await readFile(path, 'utf8'), await modeOf(path), await readdir(folder)]).toEqual([
      'new',
      0o600,
      ['file'],
    ]);
  });

  it('may be written in parts', async () => {
    await writeWholeFile(path, ['{"a":', '"grün"', '}'], 0o600);
    expect(await readFile(path, 'utf8')).toBe('{"a":"grün"}');
  });

  it('is written even if an earlier write was interrupted', async () => {
    await writeFile(`${path}.tmp`, 'half of someth', { mode: 0o644 });
    await writeWholeFile(path, 'whole', 0o600);
    expect([await readFile(path, 'utf8'), await modeOf(path), await readdir(folder)]).toEqual([
      'whole',
      0o600,
      ['file'],
    ]);
  });

  it('does not follow a symbolic link', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'kept');
    await symlink(elsewhere, `${path}.tmp`);
    await writeWholeFile(path, 'new', 0o600);
    expect([await readFile(elsewhere, 'utf8'), await readFile(path, 'utf8')]).toEqual(['kept', 'new']);
  });

  it.skipIf(process.getuid?.() === 0)('is unchanged if the folder is not writable', async () => {
    await writeFile(path, 'old');
    await chmod(folder, 0o500);
    await expect(writeWholeFile(path, 'new', 0o600)).rejects.toThrow();
    await chmod(folder, 0o700);
    expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['old', ['file']]);
  });
});

describe('many writes of one file', () => {
  it('run one after the other, in order', async () => {
    const file = createWholeFile(path, 0o600);
    const contents = Array.from({ length: 40 }, (_, index) => String(index).repeat(20_000));
    await Promise.all(contents.map((content) => file.write(content)));
    expect(await readFile(path, 'utf8')).toBe(contents.at(-1));
    await Promise.all([file.write('again'), file.remove()]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('continue after one that failed', async () => {
    const file = createWholeFile(join(folder, 'not-yet', 'file'), 0o600);
    await expect(file.write('lost')).rejects.toThrow();
    const there = createWholeFile(path, 0o600);
    await there.write('kept');
    expect(await readFile(path, 'utf8')).toBe('kept');
  });
});
