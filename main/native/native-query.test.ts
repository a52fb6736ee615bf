import { describe, expect, test } from 'vitest';
import { type Context, EMPTY_CONTEXT } from '../decisions/audience';
import { SettingsFile } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import { NO_ADVERTISING_ID, nativeQuery } from './native-query';

const DEVICE = { os: 'linux', osver: '6.1', devicemodel: 'Kiosk 22', userAgent: 'Browser/1' };
const ALL_ZERO = NO_ADVERTISING_ID;

function settings(params: Record<string, string> = {}, native: Record<string, unknown> = {}) {
  return SettingsFile.parse({
    service: { baseUrl: 'https://ads.example' },
    native: { apptoken: 'to ken&1', zoneid: 'zone=1', params, ...native },
  }).native;
}

function asked(
  params: Record<string, string> = {},
  { native = {}, context = EMPTY_CONTEXT }: { native?: Record<string, unknown>; context?: Context } = {},
): Record<string, string> {
  const source = { settings: settings(params, native), device: DEVICE, language: 'en' };
  return Object.fromEntries(nativeQuery(source, context));
}

/** The settings that are missing or wrong, sorted by path. */
function missing(params: Record<string, string>, more: Record<string, unknown> = {}): readonly string[] {
  const read = readSettings(
    {
      service: { baseUrl: 'https://ads.example', nativeUrl: 'https://native.example' },
      ads: { authentication: 'none' },
      native: { apptoken: 'a', zoneid: 'z', params, ...more },
    },
    'test',
  );
  return read.kind === 'error' ? read.problems.map(({ path }) => path).sort() : [];
}

const people = (genders: readonly string[], groupSize = genders.length): Context => ({
  ...EMPTY_CONTEXT,
  shopper: { people: genders.map((gender) => ({ ageRange: 'AGE_RANGE_25_29', gender })), groupSize },
});

describe('a request with only the required settings', () => {
  test('has every required parameter, all six meta types and no identifier', () => {
    expect(asked()).toEqual({
      apptoken: 'to ken&1',
      os: 'linux',
      osver: '6.1',
      devicemodel: 'Kiosk 22',
      dnt: '1',
      al: 'm',
      zoneid: 'zone=1',
      mf: 'points,revenuemodel,campaignid,creativeid,bundleid,contentinfo',
      adcount: '3',
      locale: 'en',
      secure: 'https',
    });
  });

  test('encodes special characters', () => {
    const result = nativeQuery({ settings: settings(), device: DEVICE, language: 'en' }, EMPTY_CONTEXT);
    expect(String(result)).toContain('apptoken=to+ken%261&');
    expect(String(result)).toContain('zoneid=zone%3D1');
  });
});

describe('each parameter of the table', () => {
  const TRACKED = { dnt: '0', coppa: '0' };
  const SENT: [parameter: string, params: Record<string, string>, sent: string][] = [
    ['os', { os: 'ChromeOS' }, 'ChromeOS'],
    ['osver', { osver: '12.4' }, '12.4'],
    ['devicemodel', { devicemodel: 'Elo 15' }, 'Elo 15'],
    ['dnt', { dnt: '0' }, '0'],
    ['dnt', { dnt: '1' }, '1'],
    ['mf', { mf: 'points' }, 'points'],
    ['idfa', { ...TRACKED, idfa: 'A-1' }, 'A-1'],
    ['gid', { ...TRACKED, gid: 'G-1' }, 'G-1'],
    ['idfamd5', { ...TRACKED, idfamd5: 'm' }, 'm'],
    ['idfasha1', { ...TRACKED, idfasha1: 's' }, 's'],
    ['gidmd5', { ...TRACKED, gidmd5: 'm' }, 'm'],
    ['gidsha1', { ...TRACKED, gidsha1: 's' }, 's'],
    ['srvi', { srvi: '0' }, '0'],
    ['srvi', { srvi: '1', ua: 'U', ip: '192.0.2.1' }, '1'],
    ['ua', { ua: 'Mozilla/5.0 (X11; Linux)' }, 'Mozilla/5.0 (X11; Linux)'],
    ['ip', { ip: '192.0.2.1' }, '192.0.2.1'],
    ['bundleid', { bundleid: 'com.example.kiosk' }, 'com.example.kiosk'],
    ['locale', { locale: 'de_DE' }, 'de_DE'],
    ['lat', { ...TRACKED, lat: '52.52' }, '52.52'],
    ['long', { ...TRACKED, long: '-13.4' }, '-13.4'],
    ['gender', { ...TRACKED, gender: 'male' }, 'male'],
    ['gender', { ...TRACKED, gender: 'female' }, 'female'],
    ['gender', { ...TRACKED, gender: 'other' }, 'other'],
    ['age', { ...TRACKED, age: '34' }, '34'],
    ['keywords', { keywords: 'food,drink & more' }, 'food,drink & more'],
    ['secure', { secure: 'https' }, 'https'],
    ['coppa', { coppa: '0' }, '0'],
    ['coppa', { coppa: '1' }, '1'],
  ];
  test.each(SENT.map(([parameter, params, sent]) => [parameter, sent, params] as const))(
    '%s=%s is sent as configured',
    (parameter, sent, params) => {
      expect(asked(params)[parameter]).toBe(sent);
    },
  );

  test.each([
    ['al', { al: 's' }, 's'],
    ['al', { al: 'm' }, 'm'],
    ['al', { al: 'l' }, 'l'],
    ['adcount', { adcount: 20 }, '20'],
    ['adcount', { adcount: 1 }, '1'],
  ])('%s has its own setting: %j is sent as %s', (parameter, native, sent) => {
    expect(asked({}, { native })[parameter]).toBe(sent);
  });

  test.each([
    'idfa',
    'gid',
    'idfamd5',
    'idfasha1',
    'gidmd5',
    'gidsha1',
    'srvi',
    'ua',
    'ip',
    'bundleid',
    'lat',
    'long',
    'gender',
    'age',
    'keywords',
    'coppa',
  ])('%s is left out when it is unknown', (parameter) => {
    expect(asked({ dnt: '0' })).not.toHaveProperty(parameter);
  });
});

describe('a missing required parameter is reported with its setting', () => {
  test.each<[params: Record<string, string>, native: Record<string, unknown>, paths: readonly string[]]>([
    [{}, { apptoken: null }, ['native.apptoken']],
    [{}, { zoneid: null }, ['native.zoneid']],
    [{ os: 'android', dnt: '0' }, {}, ['native.params.gid']],
    [{ os: 'iOS', dnt: '0' }, {}, ['native.params.idfa']],
    [{ srvi: '1' }, {}, ['native.params.ip', 'native.params.ua']],
    [{ srvi: '1', ua: 'U' }, {}, ['native.params.ip']],
    [{ srvi: '0' }, {}, []],
    [{ os: 'android', dnt: '1' }, {}, []],
    [{ os: 'android', dnt: '0', coppa: '1' }, {}, []],
  ])('%j %j', (params, native, paths) => {
    expect(missing(params, native)).toEqual(paths);
  });

  test.each([0, 21, 1.5])('an adcount of %d, whatever its source', (adcount) => {
    expect(missing({}, { adcount })).toEqual(['native.adcount']);
  });
});

describe('with limited tracking (rule 20)', () => {
  const PERSONAL = {
    idfa: 'A',
    gid: 'G',
    idfamd5: 'a',
    idfasha1: 'b',
    gidmd5: 'c',
    gidsha1: 'd',
    lat: '1',
    long: '2',
    gender: 'female',
    age: '30',
  };
  const sensed = { native: { sendSensorDemographics: true }, context: people(['GENDER_MALE']) };

  test.each([
    ['dnt=1', { dnt: '1' }],
    ['coppa=1', { dnt: '0', coppa: '1' }],
    ['both', { dnt: '1', coppa: '1' }],
  ])('%s: no identifier, hash, age or gender', (_name, flags) => {
    const sent = asked({ ...PERSONAL, ...flags }, sensed);
    const place = ['lat', 'long'];
    expect(Object.keys(sent).filter((name) => name in PERSONAL && !place.includes(name))).toEqual([]);
    expect(sent).toMatchObject(flags);
  });

  test('they are not sent under the name of another interface either', () => {
    const params = { gaid: 'g', yob: '1990', sex: 'f', lon: '2', storeformat: 'hyper' };
    const names = (flags: object) =>
      Object.keys(asked({ ...params, ...flags })).filter((name) => name in params);
    expect(names({ dnt: '0' })).toEqual(Object.keys(params));
    expect(names({ dnt: '1' })).toEqual(['lon', 'storeformat']);
    expect(names({ dnt: '0', coppa: '1' })).toEqual(['storeformat']);
  });

  test('the location of the store is still sent, but not with coppa=1', () => {
    expect(asked({ ...PERSONAL, dnt: '1' })).toMatchObject({ lat: '1', long: '2' });
    for (const dnt of ['0', '1']) {
      const sent = asked({ ...PERSONAL, dnt, coppa: '1' });
      expect(sent).not.toHaveProperty('lat');
      expect(sent).not.toHaveProperty('long');
    }
  });

  test.each([
    ['android', 'gid', 'idfa'],
    ['Android 14', 'gid', 'idfa'],
    ['ios', 'idfa', 'gid'],
    ['iPadOS', 'idfa', 'gid'],
  ])('on %s the required identifier is all zeros', (os, required, other) => {
    const sent = asked({ ...PERSONAL, os, dnt: '1' });
    expect(sent[required]).toBe(ALL_ZERO);
    expect(sent).not.toHaveProperty(other);
  });
});

describe('the sensed gender', () => {
  const TRACKED = { dnt: '0' };
  const send = { sendSensorDemographics: true };

  test.each([
    ['GENDER_FEMALE', 'female'],
    ['GENDER_MALE', 'male'],
    ['GENDER_OTHER', 'other'],
    ['GENDER_UNKNOWN', undefined],
    ['GENDER_OF_TOMORROW', undefined],
  ])('%s of a single person is %s', (sensed, gender) => {
    expect(asked(TRACKED, { native: send, context: people([sensed]) }).gender).toBe(gender);
  });

  test.each<[string, Record<string, unknown>, Context]>([
    ['without the operator’s leave', {}, people(['GENDER_FEMALE'])],
    ['of one among several', send, people(['GENDER_FEMALE', 'GENDER_MALE'])],
    ['of one among several counted', send, people(['GENDER_FEMALE'], 2)],
    ['of nobody', send, EMPTY_CONTEXT],
  ])('%s is not sent', (_name, native, context) => {
    expect(asked(TRACKED, { native, context })).not.toHaveProperty('gender');
  });

  test('replaces the configured one, which is sent if nothing is sensed', () => {
    const params = { ...TRACKED, gender: 'other' };
    expect(asked(params, { native: send, context: people(['GENDER_MALE']) }).gender).toBe('male');
    expect(asked(params, { native: send, context: people(['GENDER_UNKNOWN']) }).gender).toBe('other');
  });
});

describe('the sensed age', () => {
  const send = { sendSensorDemographics: true };
  const person = (ageRange: string | null, groupSize = 1): Context => ({
    ...EMPTY_CONTEXT,
    shopper: { people: [{ ageRange, gender: 'GENDER_UNKNOWN' }], groupSize },
  });

  test.each([
    ['AGE_RANGE_18_20', '19'],
    ['AGE_RANGE_21_24', '22'],
    ['AGE_RANGE_70_74', '72'],
    ['AGE_RANGE_75_PLUS', '75'],
    ['AGE_RANGE_OF_TOMORROW', undefined],
    [null, undefined],
  ])('of a single person in %s is %s, the middle', (ageRange, age) => {
    expect(asked({ dnt: '0' }, { native: send, context: person(ageRange) }).age).toBe(age);
  });

  test('replaces the configured one, but is not sent with limited tracking or for a group', () => {
    const sensed = person('AGE_RANGE_25_29');
    expect(asked({ dnt: '0', age: '50' }, { native: send, context: sensed }).age).toBe('27');
    expect(asked({ dnt: '0', age: '50' }, { context: sensed }).age).toBe('50');
    const inCompany = person('AGE_RANGE_25_29', 2);
    expect(asked({ dnt: '0' }, { native: send, context: inCompany })).not.toHaveProperty('age');
    for (const flags of [{ dnt: '1' }, { dnt: '0', coppa: '1' }]) {
      expect(asked(flags, { native: send, context: sensed })).not.toHaveProperty('age');
    }
  });
});

test('an undocumented parameter is sent unchanged', () => {
  expect(asked({ storeformat: 'hyper market' })).toMatchObject({ storeformat: 'hyper market', dnt: '1' });
});
