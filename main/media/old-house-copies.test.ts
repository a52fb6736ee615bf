import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeOldHouseCopies } from './house-file';

const COPY = `${'0123456789abcdef'.repeat(2)}.bin`;
let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'endcap-copies-'));
});
afterEach(() => rm(base, { recursive: true }));

async function leftOf(...names: string[]): Promise<string[] | null> {
  const folder = join(base, 'house');
  await mkdir(folder);
  for (const name of names) await writeFile(join(folder, name), '');
  await removeOldHouseCopies(folder);
  return (await readdir(base)).includes('house') ? readdir(folder) : null;
}

describe('old copies of house creatives', () => {
  it('are removed with their folder', async () => {
    expect(await leftOf('copies.json', COPY, 'copying.tmp')).toBeNull();
  });

  it('are removed from among pictures of the operator, which stay', async () => {
    expect(await leftOf('copies.json', COPY, 'a.png', 'film.bin')).toEqual(['a.png', 'film.bin']);
  });

  it('are none where no earlier version made a list of them', async () => {
    expect(await leftOf('a.png', COPY)).toEqual([COPY, 'a.png']);
  });

  it('may not be there', async () => {
    await expect(removeOldHouseCopies(join(base, 'gone'))).resolves.toBeUndefined();
  });
});
