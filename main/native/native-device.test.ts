import { expect, test } from 'vitest';
import { nativeDevice } from './native-device';

const facts = {
  platform: 'linux',
  release: '6.1.0-28-amd64',
  arch: 'x64',
  productName: 'Elo EPS15H5',
  userAgent: 'B/1',
};

test('the description of a machine has its system, version and product', () => {
  expect(nativeDevice(facts)).toEqual({
    os: 'linux',
    osver: '6.1.0',
    devicemodel: 'Elo EPS15H5',
    userAgent: 'B/1',
  });
});

test.each([
  ['win32', 'windows'],
  ['darwin', 'macos'],
  ['freebsd', 'freebsd'],
])('%s is %s', (platform, os) => {
  expect(nativeDevice({ ...facts, platform }).os).toBe(os);
});

test.each([null, '', ' \n', 'To Be Filled By O.E.M.', 'Default string', 'System Product Name'])(
  'a product called %j is a kiosk of its architecture',
  (productName) => {
    expect(nativeDevice({ ...facts, productName }).devicemodel).toBe('x64 kiosk');
  },
);

test('a version that is not a number is kept', () => {
  expect(nativeDevice({ ...facts, release: 'rolling' }).osver).toBe('rolling');
});
