import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSettings } from './find-settings';
import { maySendDemographics, maySendUndocumented, nativeUserAgent, suppressedParams } from './native-params';

const PERSONAL = { idfa: 'A', gidmd5: 'm', gender: 'female', age: '30' };
const PLACE = { lat: '1', long: '2' };
const named = (sentences: readonly string[]) =>
  sentences.map((sentence) => /^native[.]params[.](\w+) is not sent/.exec(sentence)?.[1]);

test('configured parameters that are not sent are reported (rule 20)', () => {
  const all = { ...PERSONAL, ...PLACE, keywords: 'k', storeformat: 's' };
  expect(named(suppressedParams({ ...all, dnt: '1' }))).toEqual(['idfa', 'gidmd5', 'gender', 'age']);
  expect(named(suppressedParams({ ...all, dnt: '0', coppa: '1' }))).toEqual([
    ...['idfa', 'gidmd5', 'gender', 'age'],
    ...['lat', 'long'],
  ]);
  expect(suppressedParams({ ...all, dnt: '0' })).toEqual([]);
  expect(suppressedParams({ dnt: '1' })).toEqual([]);
});

test.each([
  [{ dnt: '0' }, true],
  [{ dnt: '0', coppa: '0' }, true],
  [{ dnt: '1' }, false],
  [{ dnt: '0', coppa: '1' }, false],
  [{}, false],
])('sensed age and gender may be sent with %o: %s, and never without permission (rule 20)', (params, may) => {
  expect(maySendDemographics({ sendSensorDemographics: true, params })).toBe(may);
  expect(maySendDemographics({ sendSensorDemographics: false, params })).toBe(false);
});

/** Undocumented names for data about a person. */
const PERSONS = [
  'ifa',
  'IFA',
  'gaid',
  'gaid_md5',
  'gps_adid',
  'fire_adid',
  'oaid',
  'afai',
  'uid',
  'device-id',
  'yob',
  'age_range',
  'sex',
  'gendr',
  'idfasha256',
];
const PLACES = ['lon', 'lng', 'Longitude', 'geo'];
const NEITHER = [
  'lang',
  'zip',
  'page',
  'cat',
  'pid',
  'tid',
  'ts',
  'os_v',
  'storeformat',
  'stage',
  'ages_ago',
];

test('personal and location data under undocumented names is held back and reported too (rule 20)', () => {
  for (const [flags, personsGo, placesGo] of [
    [{ dnt: '0' }, true, true],
    [{ dnt: '1' }, false, true],
    [{ dnt: '0', coppa: '1' }, false, false],
  ] as const) {
    const goes = (name: string) => maySendUndocumented(name, flags);
    expect(PERSONS.filter(goes)).toEqual(personsGo ? PERSONS : []);
    expect(PLACES.filter(goes)).toEqual(placesGo ? PLACES : []);
    expect(NEITHER.filter(goes)).toEqual(NEITHER);
    const all = [...PERSONS, ...PLACES, ...NEITHER];
    const reports = suppressedParams({ ...flags, ...Object.fromEntries(all.map((name) => [name, 'x'])) });
    expect(reports.map((report) => /^native[.]params[.]([\w-]+) is not sent/.exec(report)?.[1])).toEqual(
      all.filter((name) => !goes(name)),
    );
  }
});

test('the user agent of native ads is the one of the settings if that is a valid header (rule 19)', () => {
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

async function warningsOf(changes: { readonly native?: object; readonly ads?: object }) {
  const text = JSON.stringify({
    service: {
      baseUrl: 'https://ads.example',
      authUrl: 'https://auth.example',
      nativeUrl: 'https://native.example',
      clientId: 'c',
      clientSecret: 's',
      projectId: 'p',
    },
    ads: changes.ads ?? {},
    native: { enabled: true, apptoken: 'a', zoneid: 'z', ...changes.native },
  });
  const found = await findSettings({
    configPath: '/c.json',
    env: {},
    platform: 'linux',
    dataDir: '/d',
    openSealed: null,
    readFile: async () => ({ text, readableBy: 'kiosk' }),
  });
  return found.kind === 'settings' ? found.warnings : [String(found.kind)];
}

test('a start warns of a name that resembles a documented one, and accepts it', async () => {
  expect(await warningsOf({ native: { params: { lang: 'de', storeformat: 'hyper' } } })).toEqual([
    expect.stringMatching(/^native[.]params[.]lang .*sends it unchanged.*"long"/),
  ]);
});

test('no parameter is said to be sent and not to be sent', async () => {
  expect(await warningsOf({ native: { params: { lon: '2', gendr: 'f', coppa: '1' } } })).toEqual([
    expect.stringMatching(/^native[.]params[.]lon is not sent/),
    expect.stringMatching(/^native[.]params[.]gendr is not sent/),
  ]);
});

test('a start reports parameters of online requests that are never sent (rule 20)', async () => {
  const onlineParams = { g: '{shopper.gender}', a: ['x', 'y{ shopper.ageRange }'], n: '{shopper.groupSize}' };
  const allowed = { sendSensorDemographics: true, params: { dnt: '0' } };
  const named = (warnings: readonly string[]) =>
    warnings.map((warning) => /^ads[.]onlineParams[.](\w) is not sent/.exec(warning)?.[1]);
  const online = { delivery: 'auto', onlineParams };
  expect(named(await warningsOf({ ads: online }))).toEqual(['g', 'a']);
  expect(await warningsOf({ ads: online, native: allowed })).toEqual([]);
  expect(await warningsOf({ ads: { onlineParams } })).toEqual([]);
  const flagged = { ...allowed, params: { dnt: '0', coppa: '1' } };
  const [leave, ...parameters] = await warningsOf({ ads: online, native: flagged });
  expect(leave).toContain('native.sendSensorDemographics has no effect');
  expect(named(parameters)).toEqual(['g', 'a']);
});

test.each([
  [true, 1],
  [false, 0],
])(
  'a start reports parameters that are not sent only if native ads are on (%s)',
  async (enabled, reports) => {
    const warnings = await warningsOf({ native: { enabled, params: { age: '30' } } });
    expect(warnings).toHaveLength(reports);
    for (const warning of warnings) expect(warning).toContain('native.params.age');
    expect(await warningsOf({ native: { enabled, sendSensorDemographics: true } })).toHaveLength(reports);
  },
);
