import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(join(__dirname, name), 'utf8');

it('the first steps set every variable that the compose file needs', () => {
  const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  expect(needed.length).toBeGreaterThan(0);
  for (const name of needed) expect(read('README.md')).toContain(name);
});

it('the servers get every variable that their configuration reads', () => {
  const configuration = ['cluster.xml', 'users.xml', 'keeper.xml'].map(read).join('');
  const needed = [...configuration.matchAll(/from_env="(\w+)"/g)].map(([, name = '']) => name);
  for (const name of needed) expect(read('compose.yaml')).toContain(`${name}: `);
  // Without a secret they would come as the user `default`, which the image lets in from its own container alone.
  expect(needed).toContain('CLUSTER_SECRET');
});
