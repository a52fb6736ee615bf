import { expect, test } from 'vitest';
import { attemptedAddress } from './shown-text';

test.each([
  ['mailto:shop@example.com?body=typed', 'mailto:'],
  ['sms:+491234?body=typed', 'sms:'],
  ['whatsapp://send/typed', 'whatsapp:'],
  ['data:text/html,typed', 'data:'],
  ['typed', '…'],
  ['https://shop.example/path?q=typed#typed', 'https://shop.example/path?…'],
  ['endcap://records/', 'endcap://records/'],
])('of an address that a page tried to go to, the log holds no typed text: %s', (url, shown) => {
  expect(attemptedAddress(url)).toBe(shown);
});

test('a page cannot fill the log with one address', () => {
  expect(attemptedAddress(`https://shop.example/${'a'.repeat(2_000_000)}`).length).toBeLessThan(310);
});
