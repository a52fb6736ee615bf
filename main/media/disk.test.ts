import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realDisk } from './disk';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-disk-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a text that is replaced again before it is on the disk', () => {
  it('ends as the last text, and writes do not mix', async () => {
    const path = join(folder, 'note.json');
    const texts = Array.from({ length: 40 }, (_, index) => String(index).repeat(20_000));
    await Promise.all(texts.map((text) => realDisk.replaceText(path, text)));
    expect(await readFile(path, 'utf8')).toBe(texts.at(-1));
    expect(await readdir(folder)).toEqual(['note.json']);
  });

  it('is written although the write before it failed', async () => {
    const later = join(folder, 'later');
    const path = join(later, 'note.json');
    const failing = realDisk.replaceText(path, 'lost');
    const next = failing
      .catch(() => realDisk.makeFolder(later))
      .then(() => realDisk.replaceText(path, 'kept'));
    await expect(failing).rejects.toMatchObject({ code: 'ENOENT' });
    await next;
    expect(await readFile(path, 'utf8')).toBe('kept');
  });
});
