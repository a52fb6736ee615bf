import { expect, test } from 'vitest';
import { identifierVendor } from './native-params';

test.each([
  ['android', 'android'],
  [' Android 14', 'android'],
  ['iOS', 'apple'],
  ['tvOS', 'apple'],
  ['linux', null],
  ['windows', null],
  ['', null],
] as const)('the operating system %j has the identifiers of %s', (os, vendor) => {
  expect(identifierVendor(os)).toBe(vendor);
});
