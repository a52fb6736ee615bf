import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

const { packages }: { packages: Record<string, Package> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
);
const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);

test('every package that npm installs, for any platform, is pinned by the hash of its content', () => {
  expect(installed.length).toBeGreaterThan(100);
  const unpinned = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(unpinned.map(([path, { version }]) => `${path}@${version}`)).toEqual([]);
});

test('no package is bound to the registry with which the lock file was made (see .npmrc)', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
