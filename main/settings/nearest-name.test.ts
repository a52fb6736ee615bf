import { expect, test } from 'vitest';
import { nearestName } from './nearest-name';

const KNOWN = ['baseUrl', 'authUrl', 'nativeUrl', 'refreshSeconds', 'sessionIdleSeconds', 'al'];

test.each([
  ['baseURL', 'baseUrl'],
  ['base_url', 'baseUrl'],
  ['autUrl', 'authUrl'],
  ['refreshSecs', 'refreshSeconds'],
  ['sessionIdleSecond', 'sessionIdleSeconds'],
  ['zebra', null],
  ['', null],
])('%j most likely means %j', (mistyped, meant) => {
  expect(nearestName(mistyped, KNOWN)).toBe(meant);
});
