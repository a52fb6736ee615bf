import { expect, test } from 'vitest';
import type { Settings } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import { environmentKey } from './book-names';

const FILE = {
  service: {
    baseUrl: 'https://ads.example.com',
    authUrl: 'https://auth.example.com',
    clientId: 'c',
    clientSecret: 's',
    projectId: 'p',
  },
  ads: { params: { playerid: 'player-1' } },
};

function key(changes: { service?: object; ads?: object } = {}): string {
  const result = readSettings(
    { ...FILE, service: { ...FILE.service, ...changes.service }, ads: { ...FILE.ads, ...changes.ads } },
    'f',
  );
  if (result.kind === 'error') throw new Error(result.message);
  const settings: Settings = result.settings;
  return environmentKey(settings);
}

test('names the host and is safe in a file name', () => {
  expect(key()).toMatch(/^ads\.example\.com-[0-9a-f]{16}$/);
  expect(key({ service: { baseUrl: 'http://[::1]:8080' } })).toMatch(/^1-[0-9a-f]{16}$/);
});

test.each([
  [{ service: { baseUrl: 'https://ads.example.com/v2' } }],
  [{ service: { projectId: 'q' } }],
  [{ ads: { params: { playerid: 'player-2' } } }],
  [{ ads: { params: {} } }],
])('changes with %o', (changes) => {
  expect(key(changes)).not.toBe(key());
});

test.each([
  [{ service: { baseUrl: 'https://ADS.example.com:443/' } }],
  [{ service: { clientId: 'd', clientSecret: 't' } }],
  [{ service: { authUrl: 'https://other.example.com' } }],
  [{ service: { nativeUrl: 'https://native.example.com' } }],
  [{ ads: { params: { playerid: 'player-1', key: 'retailer' }, refreshSeconds: 60 } }],
])('stays with %o', (changes) => {
  expect(key(changes)).toBe(key());
});
