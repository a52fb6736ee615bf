import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isOnlyStart } from './only-start';

it.runIf(process.platform === 'linux')(
  'only the first start on a folder is the only one, by whatever path',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'endcap-only-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ['one', 'other']) mkdirSync(join(folder, name));
    symlinkSync('one', join(folder, 'link'));
    const starts = ['one', 'other', 'missing', 'one', 'link', 'missing'].map((name) =>
      isOnlyStart(join(folder, name)),
    );
    expect(starts).toEqual([true, true, true, false, false, true]);
  },
);
