import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from './secret';

test('only reveal() shows a secret', () => {
  const secret = new Secret('s3cret');
  const holder = { nested: { secret, list: [secret] } };
  expect(secret.reveal()).toBe('s3cret');
  for (const printed of [
    `${secret}`,
    String(secret),
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify(structuredClone({ ...secret })),
  ]) {
    expect(printed).not.toContain('s3cret');
  }
});
