import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSettings } from './find-settings';
import { nativeUserAgent, suppressedParams } from './native-params';

const PERSONAL = { idfa: 'A', gidmd5: 'm', gender: 'female', age: '30' };
const PLACE = { lat: '1', long: '2' };
const named = (sentences: readonly string[]) =>
  sentences.map((sentence) => /^native[.]params[.](\w+) is not sent/.exec(sentence)?.[1]);

test('what is configured and not sent is reported (rule 20)', () => {
  const all = { ...PERSONAL, ...PLACE, keywords: 'k', storeformat: 's' };
  expect(named(suppressedParams({ ...all, dnt: '1' }))).toEqual(['idfa', 'gidmd5', 'gender', 'age']);
  expect(named(suppressedParams({ ...all, dnt: '0', coppa: '1' }))).toEqual([
    ...['idfa', 'gidmd5', 'gender', 'age'],
    ...['lat', 'long'],
  ]);
  expect(suppressedParams({ ...all, dnt: '0' })).toEqual([]);
  expect(suppressedParams({ dnt: '1' })).toEqual([]);
});

test('the user agent of native ads can always be sent, and is that of the settings wherever it can (rule 19)', () => {
  const isHeader = (text: string) => {
    try {
      validateHeaderValue('user-agent', text);
      return /^[\x20-\x7e]+$/.test(text) && text.trim() === text;
    } catch {
      return false;
    }
  };
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' ', 'A\r\nB: c', 'é'),
  );
  fc.assert(
    fc.property(text, (ua) => {
      const trimmed = ua.trim();
      const expected = isHeader(trimmed) ? trimmed : 'Browser/1';
      expect(nativeUserAgent({ ua }, 'Browser/1')).toBe(expected);
      const reports = suppressedParams({ ua, dnt: '0' });
      expect(reports).toHaveLength(isHeader(trimmed) ? 0 : 1);
      for (const report of reports) expect(report).toContain('native.params.ua');
    }),
  );
  expect(nativeUserAgent({}, 'Browser/1')).toBe('Browser/1');
});

test.each([
  [true, 1],
  [false, 0],
])('a start reports it where native ads are on (%s)', async (enabled, reports) => {
  const text = JSON.stringify({
    service: {
      baseUrl: 'https://ads.example',
      authUrl: 'https://auth.example',
      nativeUrl: 'https://native.example',
      ...{ clientId: 'c', clientSecret: 's', projectId: 'p' },
    },
    native: { enabled, apptoken: 'a', zoneid: 'z', params: { age: '30' } },
  });
  const found = await findSettings({
    ...{ configPath: '/c.json', env: {}, platform: 'linux', dataDir: '/d', openSealed: null },
    readFile: async () => ({ text, readableBy: 'kiosk' }),
  });
  const warnings = found.kind === 'settings' ? found.warnings : [String(found.kind)];
  expect(warnings).toHaveLength(reports);
  for (const warning of warnings) expect(warning).toContain('native.params.age');
});
