import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What a source imports from outside its folder, other than types. */
function valuesImportedBy(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export)(?! type\b)(?:[^;'"]* from)? '(?!\.\/)([^']+)'/gm);
  return [...statements].map(([, from = '']) => from);
}

it.each([
  ["import { a } from '../../shared/books';", ['../../shared/books']],
  ["import {\n  type A,\n  b,\n} from '../reading/readers';", ['../reading/readers']],
  ["export * from '../../shared/books';", ['../../shared/books']],
  ["import '../../shared/books';", ['../../shared/books']],
  ["import { z } from 'zod';", ['zod']],
  ["import type { A } from '../../shared/books';\nimport { b } from './audience';\nexport type C = 'd';", []],
])('an import of a value from elsewhere is found: %j', (source, found) => {
  expect(valuesImportedBy(source)).toEqual(found);
});

it('decisions import only types from elsewhere', () => {
  const files = readdirSync(__dirname).filter((name) => /^[^.]+\.ts$/.test(name));
  expect(files).toContain('decider.ts');
  const found = files.flatMap((name) =>
    valuesImportedBy(readFileSync(join(__dirname, name), 'utf8')).map((from) => `${name} imports ${from}`),
  );
  expect(found).toEqual([]);
});
