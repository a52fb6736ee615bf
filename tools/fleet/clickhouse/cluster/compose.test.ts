import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(join(__dirname, name), 'utf8');

it('the first steps set every variable that the compose file needs', () => {
  const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  expect(needed.length).toBeGreaterThan(0);
  for (const name of needed) expect(read('README.md')).toContain(name);
});
