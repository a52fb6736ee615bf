import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testCa } from '../egress/testing/test-ca';
import { findSettings, readLocated, type SettingsSearch } from './find-settings';
import type { FoundFile } from './locate-settings';
import { sealSecrets } from './sealed-secrets';
import { serviceAccount } from './settings';
import { readFileOnDisk } from './settings-file-on-disk';
import { pretendKeyring } from './testing/keyrings';
import { readSettings } from './testing/read-settings';

const SECRET = 's3cret-v4lue';
/** What a hash of a PIN begins with; 43 characters follow. */
const PIN_HASH = 'scrypt$2$1$1$c2FsdHNhbHRzYWx0$';
const SMALLEST = {
  service: {
    baseUrl: 'https://ads.example.com',
    authUrl: 'https://auth.example.com',
    clientId: 'kiosk@example.com',
    clientSecret: SECRET,
    projectId: 'p-1',
  },
};

type Files = Record<string, string | FoundFile>;

function search(files: Files, changes: Partial<SettingsSearch> = {}) {
  return findSettings({
    configPath: null,
    env: {},
    platform: 'linux',
    dataDir: '/var/lib/endcap',
    readFile: async (file) => {
      const found = files[file];
      if (found === undefined) return null;
      return typeof found === 'string' ? { text: found, readableBy: 'kiosk' } : found;
    },
    openSealed: null,
    ...changes,
  });
}

function errorOf(raw: unknown) {
  const result = readSettings(raw, '/etc/endcap/config.json');
  if (result.kind !== 'error') throw new Error('expected an error');
  return result;
}

const problemsOf = (raw: unknown) =>
  errorOf(raw).problems.map(({ path: at, message }) => `${at}: ${message}`);
const service = (changes: object) => ({ service: { ...SMALLEST.service, ...changes } });

describe('where settings are looked for', () => {
  const named = (name: string) => JSON.stringify({ ...SMALLEST, ads: { params: { playerid: name } } });
  const all: Files = {
    '/given.json': named('given'),
    '/env.json': named('env'),
    '/etc/endcap/config.json': named('machine'),
    '/var/lib/endcap/settings.json': named('answers'),
  };
  const without = (...files: string[]) =>
    Object.fromEntries(Object.entries(all).filter(([file]) => !files.includes(file)));

  test.each<[string, Files, Partial<SettingsSearch>, string]>([
    ['--config first', all, { configPath: '/given.json', env: { ENDCAP_CONFIG: '/env.json' } }, 'given'],
    ['then ENDCAP_CONFIG', all, { env: { ENDCAP_CONFIG: '/env.json' } }, 'env'],
    ['an empty ENDCAP_CONFIG is none', all, { env: { ENDCAP_CONFIG: '' } }, 'machine'],
    ["then the machine's", all, {}, 'machine'],
    ['at last the answers of the set-up', without('/etc/endcap/config.json'), {}, 'answers'],
  ])('%s', async (_name, files, changes, player) => {
    expect(await search(files, changes)).toMatchObject({
      kind: 'settings',
      settings: { ads: { params: { playerid: player } } },
    });
  });

  test('on Windows the machine has its own folder for them', async () => {
    const files = { 'D:\\Data\\Endcap\\config.json': named('windows') };
    const env = { ProgramData: 'D:\\Data' };
    const result = await search(files, { platform: 'win32', env });
    expect(result).toMatchObject({ kind: 'settings', file: 'D:\\Data\\Endcap\\config.json' });
  });

  test('no settings file in any place is not an error', async () => {
    expect(await search({})).toEqual({ kind: 'none' });
  });

  test.each([
    [{ configPath: '/missing.json' }, '--config'],
    [{ env: { ENDCAP_CONFIG: '/missing.json' } }, 'ENDCAP_CONFIG'],
  ])('a named file that is missing is an error, even if other files exist', async (changes, source) => {
    const result = await search(all, changes);
    expect(result).toMatchObject({
      kind: 'error',
      message: `The settings in /missing.json cannot be used:\n  There is no such file (named by ${source}).`,
    });
  });

  test('--config without a file is an error, and the search stops', async () => {
    expect(await search(all, { configPath: '' })).toMatchObject({
      kind: 'error',
      message: 'The settings in --config cannot be used:\n  Expected a file after --config, got nothing.',
    });
  });

  test('a file that cannot be read is an error, and the search stops', async () => {
    const result = await search(all, {
      readFile: async () => {
        throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      },
    });
    expect(result).toMatchObject({ kind: 'error', message: expect.stringContaining('EACCES') });
  });
});

describe('a text that may not say what its author meant', () => {
  const CONFIG = '/etc/endcap/config.json';
  const warningsOf = async (text: string) => {
    const result = await search({ [CONFIG]: text });
    if (result.kind !== 'settings') throw new Error('expected settings');
    return result.warnings;
  };

  test('has each text named that was copied with a space, also one that nobody sees', async () => {
    const { service } = SMALLEST;
    const settings = {
      ...SMALLEST,
      service: { ...service, clientId: `${service.clientId}\u200b` },
      ads: { params: { playerid: 'store-17 ', key: 'two words', source: ['a', '\u00a0b'] } },
    };
    expect(await warningsOf(JSON.stringify(settings))).toEqual(
      ['service.clientId', 'ads.params.playerid', 'ads.params.source[1]'].map(
        (name) =>
          `${name} begins or ends with a space or a character that cannot be seen. Remove it unless it belongs there.`,
      ),
    );
  });

  test("has the file of the broker's password named that was copied with a space", async () => {
    const fleet = { brokers: ['mqtts://broker.example'], username: 'me', passwordFile: 'password' };
    const result = await search({
      [CONFIG]: JSON.stringify({ ...SMALLEST, fleet }),
      '/etc/endcap/password': `${SECRET} \n`,
    });
    expect(result).toMatchObject({
      kind: 'settings',
      warnings: [expect.stringMatching(/^The secret in the file of fleet\.passwordFile begins or ends/)],
    });
  });

  test('has the file of a secret named that was copied with a space', async () => {
    const { clientSecret: _secret, ...account } = SMALLEST.service;
    const result = await search({
      [CONFIG]: JSON.stringify({ service: { ...account, clientSecretFile: 'secret' } }),
      '/etc/endcap/secret': `${SECRET} \n`,
    });
    expect(result).toMatchObject({
      kind: 'settings',
      warnings: [
        expect.stringMatching(/^The secret in the file of service\.clientSecretFile begins or ends/),
      ],
    });
  });

  test('has each setting named that it gives twice', async () => {
    const hours = '{"timeZone":"Europe/Berlin","mon":"07:00-12:00","mon":"14:00-18:00"}';
    const text = JSON.stringify(SMALLEST).replace(/}$/, `,"playback":{"openHours":${hours}}}`);
    expect(await warningsOf(text)).toEqual([
      `playback.openHours.mon is given more than once in ${CONFIG}, and only the last one counts. Keep one of them.`,
    ]);
  });

  test('has ten of them named at most', async () => {
    const twice = Array.from({ length: 40 }, (_, number) => `"p${number % 20}":"x"`).join();
    expect(
      await warningsOf(JSON.stringify(SMALLEST).replace(/}$/, `,"ads":{"params":{${twice}}}}`)),
    ).toHaveLength(10);
  });

  test('has its encoding named where a character is lost', async () => {
    // München in Latin-1, read as UTF-8.
    const text = JSON.stringify({ ...SMALLEST, store: { storeId: 'M\uFFFDnchen' } }, null, 2);
    expect(await warningsOf(text)).toEqual([
      `${CONFIG} is not UTF-8: a character in line 10 is lost. Save the file in UTF-8.`,
    ]);
  });
});

describe('the smallest file', () => {
  test('gives everything else its default', () => {
    const result = readSettings(SMALLEST, 'f');
    if (result.kind === 'error') throw new Error(result.message);
    const { service: _service, ...rest } = result.settings;
    expect(rest).toEqual({
      ads: {
        delivery: 'offline',
        onlineAudience: 'trust',
        authentication: 'bearer',
        params: {},
        offlineParams: { offline: 'true' },
        onlineParams: {},
        refreshSeconds: 300,
        maxAgeDays: 30,
        metadataExtension: 'service-metadata',
        namespaceHeader: 'X-Service-Namespace',
        eventTimeParam: null,
        sourceWeights: {},
      },
      native: {
        enabled: false,
        apptoken: null,
        zoneid: null,
        al: 'm',
        adcount: 3,
        everySlots: 6,
        refreshSeconds: null,
        sessionIdleSeconds: 60,
        sendSensorDemographics: false,
        params: { dnt: '1', secure: 'https' },
      },
      playback: {
        imageSeconds: 10,
        volume: 0,
        rotation: 0,
        display: null,
        houseDir: null,
        kiosk: true,
        openHours: null,
        autostart: null,
        restartAt: null,
      },
      display: { power: null },
      media: { quotaBytes: 8_589_934_592, minFreeBytes: 1_073_741_824 },
      network: { allowPrivateHosts: [], proxy: null, noProxy: [], additionalCas: [] },
      store: { storeId: null, zone: null, screenId: null, labels: {} },
      fleet: {
        brokers: [],
        username: null,
        password: null,
        clientCertificate: null,
        topicPrefix: 'endcap',
        groups: [],
        commandKeys: [],
        homeAssistant: false,
      },
      proof: {
        url: null,
        method: 'POST',
        headers: [],
        clientCertificate: null,
        everySeconds: 900,
        maxRows: 5000,
      },
      admin: {
        pinHash: null,
        gesture: { corner: 'top-left', taps: 5, withinSeconds: 3 },
        shortcut: 'Ctrl+Shift+F12',
      },
      signals: { port: 9777, tokenGroup: null, tokenMode: '0600' },
      ui: { language: 'en', reducedMotion: false, speech: 'off' },
    });
    expect(serviceAccount(result.settings)?.clientSecret.reveal()).toBe(SECRET);
  });

  test('without tokens needs no service account', () => {
    const result = readSettings(
      { service: { baseUrl: 'http://ads.example.com' }, ads: { authentication: 'none' } },
      'f',
    );
    if (result.kind === 'error') throw new Error(result.message);
    expect(serviceAccount(result.settings)).toBeNull();
  });

  test('a section with some settings keeps the defaults of the others', () => {
    const native = { apptoken: 'a', zoneid: 'z', params: { dnt: '0' } };
    const result = readSettings({ ...service({ nativeUrl: 'https://native.example.com' }), native }, 'f');
    expect(result).toMatchObject({
      settings: { native: { enabled: true, adcount: 3, params: { dnt: '0', secure: 'https' } } },
    });
  });

  test('weights may name the ads without a source', () => {
    const sourceWeights = { '': 1, a: 2 };
    expect(readSettings({ ...SMALLEST, ads: { sourceWeights } }, 'f')).toMatchObject({
      settings: { ads: { sourceWeights } },
    });
  });

  test('may name its schema', () => {
    expect(readSettings({ $schema: './settings.schema.json', ...SMALLEST }, 'f')).toMatchObject({
      kind: 'settings',
    });
  });
});

describe('an error names the path, the type found and the type expected', () => {
  test.each<[unknown, string]>([
    [[], ': Expected an object in braces, found an empty list.'],
    [null, ': Expected an object in braces, found null.'],
    [{}, 'service: Missing; expected an object in braces.'],
    [
      { ...SMALLEST, ads: { refreshSeconds: 0 } },
      'ads.refreshSeconds: Expected a whole number from 1 to 86400 (seconds), found the number 0.',
    ],
    [
      { ...SMALLEST, ads: { refreshSeconds: '300' } },
      'ads.refreshSeconds: Expected a whole number from 1 to 86400 (seconds), found other text. Remove the quotation marks.',
    ],
    [
      { ...SMALLEST, media: { quotaBytes: '8GB' } },
      'media.quotaBytes: Expected a whole number from 0 to 1125899906842624 (bytes), found other text.',
    ],
    [
      { ...SMALLEST, playback: { kiosk: 'false' } },
      'playback.kiosk: Expected true or false, found other text. Remove the quotation marks.',
    ],
    [
      { ...SMALLEST, playback: { rotation: '90' } },
      'playback.rotation: Expected 0, 90, 180 or 270 (degrees), found other text. Remove the quotation marks.',
    ],
    [
      { ...SMALLEST, native: { enabled: false, params: { lat: 52.5 } } },
      'native.params.lat: Expected degrees from -90 to 90, in quotes, found a number.',
    ],
    [
      { ...SMALLEST, ads: { delivery: 'ofline' } },
      'ads.delivery: Expected one of "offline", "online", "auto", found other text. Did you mean "offline"?',
    ],
    [
      { ...SMALLEST, ads: { refreshSecs: 5 } },
      'ads.refreshSecs: Unknown setting. Did you mean "refreshSeconds"?',
    ],
    [
      { ...SMALLEST, imageSeconds: 5 },
      'imageSeconds: Unknown setting here. It belongs at "playback.imageSeconds".',
    ],
    // "store" is near, too.
    [{ ...SMALLEST, storeId: 'store-17' }, 'storeId: Unknown setting here. It belongs at "store.storeId".'],
    [
      { ...SMALLEST, ui: { zebra: 5 } },
      'ui.zebra: Unknown setting. Known here: language, reducedMotion, speech.',
    ],
    [
      { ...SMALLEST, ads: { params: { limit: 5 } } },
      'ads.params.limit: Expected text in quotes, or a list of texts, found a number.',
    ],
    [
      { ...SMALLEST, network: { allowPrivateHosts: ['ok.example', 'http://x'] } },
      'network.allowPrivateHosts[1]: Expected "host" or "host:port", found other text.',
    ],
    [
      { ...SMALLEST, service: { ...SMALLEST.service, projectId: 'store\u20137' } },
      'service.projectId: Expected text that a header may hold (no control characters, no dashes or quotes but the ASCII ones), found other text.',
    ],
    [
      { ...SMALLEST, network: { allowPrivateHosts: ['cdn.store:65535', 'cdn.store:65536'] } },
      'network.allowPrivateHosts[1]: Expected "host" or "host:port", found other text.',
    ],
    [
      { ...SMALLEST, network: { noProxy: ['[fe80::1]:65535', '.store:70000'] } },
      'network.noProxy[1]: Expected "host", "host:port", ".domain" or "10.0.0.0/8", found other text.',
    ],
    [
      { ...SMALLEST, playback: { openHours: { timeZone: 'UTC', mon: 'early' } } },
      'playback.openHours.mon: Expected hours such as "07:00-21:00" (all day is "00:00-24:00"), found other text.',
    ],
    [
      { ...SMALLEST, display: { power: { 'mon-sat': '06:30-21:30' } } },
      'display.power.timeZone: Missing; expected an IANA time zone such as "Europe/Berlin".',
    ],
    [
      { ...SMALLEST, playback: { display: 0 } },
      'playback.display: Expected a whole number from 1 to 16, found the number 0.',
    ],
    [
      { ...SMALLEST, playback: { display: true } },
      'playback.display: Expected the number of a display from 1 to 16, its name, or null, found true.',
    ],
    [
      { ...SMALLEST, signals: { tokenMode: '0644' } },
      'signals.tokenMode: Expected one of "0600", "0640", found other text. Did you mean "0640"?',
    ],
    [
      { ...SMALLEST, signals: { tokenGroup: 'two words' } },
      'signals.tokenGroup: Expected the name of a group such as "prometheus", or null, found other text.',
    ],
    [
      { ...SMALLEST, playback: { kiosk: 'yes' } },
      'playback.kiosk: Expected true or false, found other text.',
    ],
    [{ ...SMALLEST, $schema: 1 }, '$schema: Expected text, found the number 1.'],
    [
      { ...SMALLEST, admin: { pinHash: 1234 } },
      'admin.pinHash: Expected what `endcap pin` prints (it starts with "scrypt$"), found a number.',
    ],
    [
      service({ clientSecretFile: 'x' }),
      'service.clientSecretFile: Given together with clientSecret; expected only one of them.',
    ],
    [
      service({ baseUrl: 'http://ads.example.com' }),
      'service.baseUrl: Expected an https address, because the access token goes there; found http. Only this machine itself may be reached over http.',
    ],
    [
      service({ authUrl: 'http://10.0.0.1' }),
      'service.authUrl: Expected an https address, because the client secret goes there; found http. Only this machine itself may be reached over http.',
    ],
  ])('%#', (raw, problem) => {
    expect(problemsOf(raw)).toEqual([problem]);
  });

  test('an unknown placeholder between braces is an error', () => {
    expect(problemsOf({ ...SMALLEST, ads: { onlineParams: { g: ['x', '{shoper.gender}'] } } })).toEqual([
      expect.stringMatching(
        /^ads\.onlineParams\.g: Expected only these names between braces: shopper\.ageRange/,
      ),
    ]);
  });

  test('all errors are reported at once, in one text', () => {
    const error = errorOf({ service: { baseUrl: 'x' }, ads: { refreshSeconds: 0 }, native: {} });
    expect(error.problems.map((problem) => problem.path).sort()).toEqual([
      'ads.refreshSeconds',
      'native.apptoken',
      'native.zoneid',
      'service.authUrl',
      'service.baseUrl',
      'service.clientId',
      'service.clientSecret',
      'service.nativeUrl',
      'service.projectId',
    ]);
    expect(error.message.split('\n')).toHaveLength(10);
    expect(error.message).toMatch(/^The settings in \/etc\/endcap\/config\.json cannot be used:\n {2}\S/);
  });

  test('an incomplete service account is an error, even if ads need no token', () => {
    const raw = { service: { baseUrl: 'https://a.example', clientId: 'c' }, ads: { authentication: 'none' } };
    expect(errorOf(raw).problems.map((problem) => problem.path)).toEqual([
      'service.authUrl',
      'service.projectId',
      'service.clientSecret',
    ]);
  });

  test.each([
    service({ clientSecret: { value: SECRET } }),
    service({ clientSecret: [SECRET] }),
    service({ baseUrl: SECRET }),
    service({ authUrl: `https://user:${SECRET}@auth.example.com` }),
    { ...SMALLEST, ads: { delivery: SECRET, params: { key: { SECRET } } } },
    { ...SMALLEST, native: { apptoken: [SECRET], params: { gid: [SECRET] } } },
    { ...SMALLEST, admin: { pinHash: SECRET } },
  ])('no error shows a value that could be a secret: %#', (raw) => {
    const error = errorOf(raw);
    expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
  });

  test.each([
    service({ headers: { 'X-Api-Key': 8675309 } }),
    { ...SMALLEST, proof: { headers: { Authorization: 8675309 } } },
    { ...SMALLEST, fleet: { passwordFile: 8675309 } },
  ])('no error shows a number that could be a secret: %#', (raw) => {
    const error = errorOf(raw);
    expect(inspect(error, { depth: 9 })).not.toContain('8675309');
  });

  test('a syntax error has its line and column, and shows no secret', async () => {
    const text = `{\n  "service": {\n    "clientSecret": "${SECRET}"\n    "projectId": "p"\n  }\n}`;
    const result = await search({ '/etc/endcap/config.json': text });
    expect(result).toMatchObject({
      kind: 'error',
      problems: [{ path: '', message: 'Line 4, column 5: expected "," or "}".' }],
    });
    expect(inspect(result, { depth: 9 })).not.toContain(SECRET);
  });
});

describe('the check of native.params (rule 20)', () => {
  const native = (params: object) => ({
    ...service({ nativeUrl: 'https://native.example.com' }),
    native: { apptoken: 'a', zoneid: 'z', params },
  });
  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ os: 'android', dnt: '0' }, ['native.params.gid']],
    [{ os: 'Android', dnt: '0', gid: 'x' }, []],
    [{ os: 'ios', dnt: '0' }, ['native.params.idfa']],
    [{ os: 'iOS', dnt: '0', idfa: 'x' }, []],
    // Nothing but the all-zero identifier would be sent.
    [{ os: 'android', dnt: '1' }, []],
    [{ os: 'android' }, []],
    [{ os: 'ios', dnt: '0', coppa: '1' }, []],
    [{ os: 'linux', dnt: '0' }, []],
    [{ srvi: '1' }, ['native.params.ip', 'native.params.ua']],
    [{ srvi: '1', ip: '192.0.2.1', ua: 'x' }, []],
    [{ srvi: '0' }, []],
    [{ coopa: '1' }, ['native.params.coopa']],
    [{ LAT: '1' }, ['native.params.LAT']],
    [{ 'device-model': 'x' }, ['native.params.device-model']],
    [{ zone_id: 'z' }, ['native.params.zone_id']],
    ...['lang', 'zip', 'page', 'cat', 'uid', 'pid', 'gaid', 'ifa', 'lon', 'tid', 'ts', 'os_v'].map(
      (name): [object, readonly string[]] => [{ [name]: 'x' }, []],
    ),
    [{ storeformat: 'hyper' }, []],
    [{ storeformat: 7 }, ['native.params.storeformat']],
    [{ 'a b': 'c' }, ['native.params.a b']],
    [{ apptoken: 'a' }, ['native.params.apptoken']],
    [{ dnt: 1 }, ['native.params.dnt']],
    [{ lat: '91' }, ['native.params.lat']],
    [{ lat: '-33.9', long: '151.2' }, []],
  ])('%o', (params, paths) => {
    const result = readSettings(native(params), 'f');
    expect(result.kind === 'error' ? result.problems.map((problem) => problem.path) : []).toEqual(paths);
  });

  test('requires no parameter while native ads are off', () => {
    const raw = { ...SMALLEST, native: { enabled: false, params: { srvi: '1' } } };
    expect(readSettings(raw, 'f').kind).toBe('settings');
  });
});

describe('a client secret in a file of its own', () => {
  const withFile = (clientSecretFile: string) => {
    const { clientSecret: _secret, ...account } = SMALLEST.service;
    return JSON.stringify({ service: { ...account, clientSecretFile } });
  };
  const found = (text: string, readableBy: FoundFile['readableBy'] = 'kiosk'): FoundFile => ({
    text,
    readableBy,
  });

  test.each<[string, string, Record<string, string>]>([
    ['secret', '/etc/endcap/secret', {}],
    ['../keys/secret', '/etc/keys/secret', {}],
    ['/run/secret', '/run/secret', {}],
    ['$CREDENTIALS_DIRECTORY/secret', '/run/cred/secret', { CREDENTIALS_DIRECTORY: '/run/cred' }],
  ])('%s is %s', async (setting, file, env) => {
    const files = { '/etc/endcap/config.json': withFile(setting), [file]: found(`${SECRET}\n`) };
    const result = await search(files, { env });
    expect(result.kind === 'settings' && result.settings.service.clientSecret?.reveal()).toBe(SECRET);
    expect(inspect(result, { depth: 9 })).not.toContain(SECRET);
  });

  test('a credential of systemd is an error where systemd gives none', async () => {
    expect(
      await search({ '/etc/endcap/config.json': withFile('$CREDENTIALS_DIRECTORY/secret') }),
    ).toMatchObject({
      kind: 'error',
      problems: [{ path: 'service.clientSecretFile', message: expect.stringContaining('LoadCredential=') }],
    });
  });

  test.each<[string, FoundFile | null, RegExp]>([
    ['not there', null, /no file \/etc\/endcap\/secret/],
    ['readable by others', found(SECRET, 'others'), /chmod 600/],
    ['empty', found('\n'), /is empty/],
    ['of several lines', found(`${SECRET}\n${SECRET}\n`), /several lines/],
    // UTF-16 with its mark, read as UTF-8: so PowerShell writes a file.
    ['in another encoding', found(`\uFFFD\uFFFD${[...`${SECRET}\r\n`].join('\0')}`), /is not text in UTF-8/],
  ])('that is %s is an error', async (_name, file, words) => {
    const files = {
      '/etc/endcap/config.json': withFile('secret'),
      ...(file ? { '/etc/endcap/secret': file } : {}),
    };
    const result = await search(files);
    expect(result).toMatchObject({
      kind: 'error',
      problems: [{ path: 'service.clientSecretFile', message: expect.stringMatching(words) }],
    });
    expect(inspect(result, { depth: 9 })).not.toContain(SECRET);
  });

  test('that belongs to root is closed by commands after which the kiosk can still read it', async () => {
    const toClose = "sudo chgrp 998 'f' && sudo chmod 640 'f'";
    const open = (text: string): FoundFile => ({ text, readableBy: 'others', toClose });
    const refused = await search({
      '/etc/endcap/config.json': withFile('secret'),
      '/etc/endcap/secret': open(SECRET),
    });
    expect(refused).toMatchObject({ problems: [{ message: expect.stringContaining(`Run: ${toClose}`) }] });
    const warned = await search({ '/etc/endcap/config.json': open(JSON.stringify(SMALLEST)) });
    expect(warned).toMatchObject({ warnings: [expect.stringContaining(`Run: ${toClose}`)] });
    expect(JSON.stringify([refused, warned])).not.toContain('chmod 600');
  });

  test('that systemd opens to the kiosk by an ACL is read, although its mode looks open', async () => {
    const files = {
      '/etc/endcap/config.json': withFile('$CREDENTIALS_DIRECTORY/secret'),
      '/run/cred/secret': found(SECRET, 'others'),
    };
    const result = await search(files, { env: { CREDENTIALS_DIRECTORY: '/run/cred' } });
    expect(result.kind === 'settings' && result.settings.service.clientSecret?.reveal()).toBe(SECRET);
  });

  test('that the kiosk may not read is reported with what to do, and so are such settings', async () => {
    const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const text = withFile('secret');
    for (const closed of ['/etc/endcap/secret', '/etc/endcap/config.json']) {
      const readFile = async (file: string) => {
        if (file === closed) throw denied;
        return found(text);
      };
      const result = await search({}, { readFile });
      expect(result.kind === 'error' && result.message).toMatch(
        /cannot be read \(EACCES\)\. The kiosk's user has to be allowed to read it: mode 0640/,
      );
    }
  });

  test('in settings that others can read causes a warning, and the kiosk still starts', async () => {
    const result = await search({ '/etc/endcap/config.json': found(JSON.stringify(SMALLEST), 'others') });
    expect(result).toMatchObject({ kind: 'settings', warnings: [expect.stringContaining('chmod 600')] });
  });

  test.each<[string, object]>([
    ['native.apptoken', { native: { apptoken: SECRET, zoneid: 'z' } }],
    ['admin.pinHash', { admin: { pinHash: `${PIN_HASH}${SECRET}${'A'.repeat(31)}` } }],
    ['network.proxy', { network: { proxy: `http://u:${SECRET}@proxy.store` } }],
    ['proof.headers.authorization', { proof: { headers: { authorization: SECRET } } }],
  ])('the same for %s', async (name, settings) => {
    const account = { baseUrl: 'https://a.example', nativeUrl: 'https://native.example' };
    const raw = { service: account, ads: { authentication: 'none' }, ...settings };
    const result = await search({ '/etc/endcap/config.json': found(JSON.stringify(raw), 'others') });
    expect(result).toMatchObject({ warnings: [expect.stringContaining(`(${name})`)] });
    expect(inspect(result, { depth: 9 })).not.toContain(SECRET);
  });

  test('a hash of a PIN of which the end is missing is named, and never shown', async () => {
    const withHash = (pinHash: string) => ({
      '/etc/endcap/config.json': JSON.stringify({ ...SMALLEST, admin: { pinHash } }),
    });
    const whole = `${PIN_HASH}${'A'.repeat(43)}`;
    expect(await search(withHash(whole))).toMatchObject({ kind: 'settings', warnings: [] });
    const cut = await search(withHash(whole.slice(0, 40)));
    expect(cut).toMatchObject({
      warnings: [expect.stringMatching(/^admin\.pinHash is not what `endcap pin` prints/)],
    });
    expect(inspect(cut, { depth: 9 })).not.toContain(PIN_HASH);
  });

  test('settings without a secret may be read by others', async () => {
    const raw = {
      service: { baseUrl: 'https://a.example' },
      ads: { authentication: 'none' },
      network: { proxy: 'http://proxy.store' },
      proof: { headers: { Authorization: { file: 's' } } },
    };
    const files = {
      '/etc/endcap/config.json': found(JSON.stringify(raw), 'others'),
      '/etc/endcap/s': SECRET,
    };
    expect(await search(files)).toMatchObject({ kind: 'settings', warnings: [] });
  });

  test('secrets that the keyring sealed may be read by others', async () => {
    const raw = { ...service({ clientSecret: { sealed: 'AA' } }), network: { proxy: { sealed: 'AA' } } };
    const files = { '/etc/endcap/config.json': found(JSON.stringify(raw), 'others') };
    for (const openSealed of [null, async () => 'http://u:p@proxy.store'])
      expect(await search(files, { openSealed })).toMatchObject({ kind: 'settings', warnings: [] });
  });
});

describe('the network settings', () => {
  const CONFIG = '/etc/endcap/config.json';
  const withNetwork = (network: object) => ({ ...SMALLEST, network });
  const EXPECTED =
    'network.proxy: Expected "system", "http://host:port" or "http://user:password@host:port" (special characters of user and password percent-encoded), or null, found other text.';

  test('the proxy is read, and its password is never shown', () => {
    const result = readSettings(withNetwork({ proxy: 'http://kiosk:p%40ss@Proxy.Store:3128' }), 'f');
    if (result.kind === 'error') throw new Error(result.message);
    const { proxy } = result.settings.network;
    expect(proxy).toMatchObject({ hostname: 'proxy.store', port: 3128 });
    expect(proxy !== 'system' && proxy?.credentials?.reveal()).toBe('kiosk:p@ss');
    expect(`${inspect(result, { depth: 9 })} ${JSON.stringify(result)}`).not.toMatch(/p@ss|p%40ss/);
    expect(readSettings(withNetwork({ proxy: 'system' }), 'f')).toMatchObject({
      settings: { network: { proxy: 'system' } },
    });
  });

  test.each([
    'https://proxy.store:3128',
    'socks5://proxy.store:1080',
    'proxy.store:3128',
    'http://proxy.store:3128/path',
    'http://user:%zz@proxy.store',
    'http://user:a%0d%0ab@proxy.store',
    '',
  ])('the proxy "%s" is refused without being shown', (proxy) => {
    expect(problemsOf(withNetwork({ proxy }))).toEqual([
      proxy === '' ? EXPECTED.replace('other', 'empty') : EXPECTED,
    ]);
  });

  test.each([
    [
      ['store.example', '.store.example', '*.store.example', 'h:8080', '10.0.0.0/8', '[fd00::1]', 'fd00::/8'],
      0,
    ],
    [['http://x', '10.0.0.0/33', 'a b', '[x]', '.', '999.0.0.0/8', '192.168.001.0/24'], 7],
  ])('hosts without proxy: %j', (noProxy, errors) => {
    const result = readSettings(withNetwork({ noProxy }), 'f');
    expect(result.kind === 'error' ? result.problems : []).toHaveLength(errors);
  });

  test('a proxy password in settings that others can read causes a warning', async () => {
    const { clientSecret: _own, ...account } = SMALLEST.service;
    const raw = {
      service: { ...account, clientSecretFile: 's' },
      network: { proxy: 'http://u:p@proxy.store' },
    };
    const files: Files = {
      [CONFIG]: { text: JSON.stringify(raw), readableBy: 'others' },
      '/etc/endcap/s': SECRET,
    };
    expect(await search(files)).toMatchObject({ warnings: [expect.stringContaining('chmod 600')] });
  });

  test('the certificates of a CA file are read, even with other text between them', async () => {
    const [one, two] = [testCa('One').cert, testCa('Two').cert];
    const config = JSON.stringify(withNetwork({ caFile: 'ca.pem' }));
    const result = await search({ [CONFIG]: config, '/etc/endcap/ca.pem': `# One\r\n${one}\n\nTwo\n${two}` });
    expect(result).toMatchObject({ settings: { network: { additionalCas: [one, two] } } });
  });

  test.each([
    ['is not there', null, /no file \/etc\/endcap\/ca\.pem/],
    ['holds no certificate', 'hello', /holds no certificate; expected PEM [^ ]* [^ ]*\.$/],
    [
      'is in DER, as Windows exports it',
      Buffer.from(testCa('X').cert.replaceAll(/-----.*-----/g, ''), 'base64').toString(),
      /openssl x509 -inform der -in '\/etc\/endcap\/ca\.pem' -out '\/etc\/endcap\/ca\.pem\.pem'/,
    ],
    ['holds a broken one', testCa('X').cert.replace(/\nMII/, '\nAAA'), /Certificate 1 .* cannot be read/],
  ])('a CA file that %s is an error', async (_what, content, words) => {
    const config = JSON.stringify(withNetwork({ caFile: 'ca.pem' }));
    const files: Files = { [CONFIG]: config, ...(content && { '/etc/endcap/ca.pem': content }) };
    expect(await search(files)).toMatchObject({
      problems: [{ path: 'network.caFile', message: expect.stringMatching(words) }],
    });
  });

  test('extra headers are text or files, and those of files are secrets', async () => {
    const headers = { 'X-Retailer': 'acme', 'X-Key': { file: 'key' } };
    const files: Files = {
      [CONFIG]: JSON.stringify(service({ headers })),
      '/etc/endcap/key': 'k3y-of-h3ader\n',
    };
    const result = await search(files);
    if (result.kind !== 'settings') throw new Error('expected settings');
    const read = result.settings.service.headers.map(({ name, value, isSecret }) => [
      name,
      value.reveal(),
      isSecret,
    ]);
    expect(read).toEqual([
      ['X-Retailer', 'acme', false],
      ['X-Key', 'k3y-of-h3ader', true],
    ]);
    expect(inspect(result, { depth: 9 })).not.toContain('k3y-of-h3ader');
    const open: Files = { ...files, '/etc/endcap/key': { text: 'k3y-of-h3ader', readableBy: 'others' } };
    const refused = await search(open);
    expect(refused).toMatchObject({ problems: [{ path: 'service.headers.X-Key.file' }] });
    const spaced = await search({ ...files, '/etc/endcap/key': 'k3y-of-h3ader \n' });
    expect(spaced).toMatchObject({
      problems: [
        { message: expect.stringMatching(/^\/etc\/endcap\/key holds .* no space at either end\.$/) },
      ],
    });
    expect(inspect(refused, { depth: 9 })).not.toContain('k3y-of-h3ader');
  });

  test.each([
    [{ Host: 'x' }],
    [{ authorization: 'x' }],
    [{ 'User-Agent': 'x' }],
    [{ 'a b': 'x' }],
    [{ 'X-A': 'a\r\nb: c' }],
    [{ 'X-A': 7 }],
    [{ 'X-A': { path: 'x' } }],
    [{ 'X-A': 'x', 'x-a': 'y' }],
  ])('the headers %j are refused', (headers) => {
    expect(problemsOf(service({ headers }))[0]).toMatch(/^service\.headers/);
  });

  test('a secret header requires https for the service', () => {
    const raw = {
      service: { baseUrl: 'http://ads.example.com', headers: { 'X-Key': { file: 'key' } } },
      ads: { authentication: 'none' },
    };
    expect(problemsOf(raw)).toEqual([expect.stringMatching(/^service\.baseUrl: Expected an https address/)]);
  });
});

test.each([
  ['playback.openHours', 'nothing is ever played'],
  ['display.power', 'the display is never on'],
])('%s without a day is named, because then %s', async (setting, effect) => {
  const [section = '', name = ''] = setting.split('.');
  const withHours = (days: object) => ({
    '/etc/endcap/config.json': JSON.stringify({
      ...SMALLEST,
      [section]: { [name]: { timeZone: 'Europe/Berlin', ...days } },
    }),
  });
  expect(await search(withHours({ mon: '07:00-21:00' }))).toMatchObject({ warnings: [] });
  expect(await search(withHours({}))).toMatchObject({
    kind: 'settings',
    warnings: [`${setting} names no day, so ${effect}. Add days such as "mon-sat": "07:00-21:00".`],
  });
});

test.each([
  ['2', ['playback.display "2" is taken for a name. If you mean the number, remove the quotation marks.']],
  ['HDMI-2', []],
  [2, []],
])('a number of a display in quotes is named: %j', async (display, warnings) => {
  const text = JSON.stringify({ ...SMALLEST, playback: { display } });
  expect(await search({ '/etc/endcap/config.json': text })).toMatchObject({ kind: 'settings', warnings });
});

test.each([
  [{}, ['native.sendSensorDemographics has no effect, because']],
  [{ dnt: '0', coppa: '1' }, ['native.sendSensorDemographics has no effect, because']],
  [{ dnt: '0' }, []],
])('leave for sensed ages and genders that %j takes back is named (rule 20)', async (params, warnings) => {
  const native = { apptoken: 'a', zoneid: 'z', sendSensorDemographics: true, params };
  const text = JSON.stringify({ ...service({ nativeUrl: 'https://native.example.com' }), native });
  expect(await search({ '/etc/endcap/config.json': text })).toMatchObject({
    kind: 'settings',
    warnings: warnings.map((words) => expect.stringContaining(words)),
  });
});

test.each([
  ['http://ads.example.com', null, true],
  ['http://ads.example.com', 'https://native.example.com', true],
  ['http://ads.example.com', 'https://ads.example.com/native', false],
  ['https://ads.example.com', null, false],
  ['http://127.0.0.1:8080', null, false],
])(
  'the time of %s, with native ads of %s, is never trusted: %j (rule 10)',
  async (baseUrl, nativeUrl, isNever) => {
    const native = nativeUrl === null ? {} : { native: { apptoken: 'a', zoneid: 'z' } };
    const text = JSON.stringify({
      service: { baseUrl, nativeUrl },
      ads: { authentication: 'none' },
      ...native,
    });
    expect(await search({ '/etc/endcap/config.json': text })).toMatchObject({
      kind: 'settings',
      warnings: isNever
        ? [
            'service.baseUrl is http, so its time is never trusted: caps of an hour, a day or a week look back 60 minutes, 24 hours or 7 days instead of following the calendar, and confirmations that wait at a restart are not sent. Use https.',
          ]
        : [],
    });
  },
);

test.each(['null', '[]'])(
  'a file with nothing but %s is the same error beside remote settings',
  async (text) => {
    const found = { text, readableBy: 'kiosk' } as const;
    const located = { kind: 'found', file: '/etc/endcap/config.json', found } as const;
    const search = { env: {}, readFile: async () => null, openSealed: null };
    const alone = await readLocated(located, search);
    expect(alone).toMatchObject({ kind: 'error' });
    expect(await readLocated(located, search, { ads: { refreshSeconds: 60 } })).toEqual(alone);
  },
);

test('folders are relative to the settings file', async () => {
  const result = await search({
    '/etc/endcap/config.json': JSON.stringify({ ...SMALLEST, playback: { houseDir: 'house' } }),
  });
  expect(result).toMatchObject({ settings: { playback: { houseDir: '/etc/endcap/house' } } });
});

describe('files on the disk', () => {
  const folder = async () => {
    const made = await mkdtemp(path.join(tmpdir(), 'endcap-settings-'));
    onTestFinished(() => rm(made, { recursive: true, force: true }));
    return made;
  };

  test.runIf(process.platform !== 'win32').each([
    [0o600, 'kiosk'],
    [0o640, 'kiosk'],
    [0o644, 'others'],
    [0o604, 'others'],
  ])('mode %i is readable by: %s', async (mode, readableBy) => {
    const file = path.join(await folder(), 'secret');
    await writeFile(file, 'text');
    await chmod(file, mode);
    expect(await readFileOnDisk(file)).toEqual({ text: 'text', readableBy });
  });

  test.runIf(process.platform !== 'win32')(
    'a file of another owner that others can read is to stay readable to the kiosk',
    async () => {
      const isRoot = process.geteuid?.() === 0;
      const file = isRoot ? path.join(await folder(), 'secret') : '/etc/passwd';
      if (isRoot) {
        await writeFile(file, 'text');
        await chmod(file, 0o644);
        await chown(file, 12_345, 12_345);
      }
      const close = `sudo chgrp ${process.getegid?.()} '${file}' && sudo chmod 640 '${file}'`;
      expect(await readFileOnDisk(file)).toMatchObject({ readableBy: 'others', toClose: close });
      if (!isRoot) return;
      await chown(file, 12_345, 0);
      expect(await readFileOnDisk(file)).toMatchObject({ toClose: `sudo chmod 640 '${file}'` });
    },
  );

  test('a file that is not there is null', async () => {
    const dir = await folder();
    await writeFile(path.join(dir, 'file'), '');
    expect(await readFileOnDisk(path.join(dir, 'missing'))).toBeNull();
    expect(await readFileOnDisk(path.join(dir, 'file', 'below'))).toBeNull();
  });

  test('a link that leads nowhere is an error: its drive may be away, and a kiosk without settings asks shoppers for them', async () => {
    const dir = await folder();
    await symlink(path.join(dir, 'away'), path.join(dir, 'link'));
    await expect(readFileOnDisk(path.join(dir, 'link'))).rejects.toThrow(
      'it is a link to a file that is not there',
    );
  });

  test('a folder, or a file far too large, is refused', async () => {
    const dir = await folder();
    await mkdir(path.join(dir, 'folder'));
    await writeFile(path.join(dir, 'large'), Buffer.alloc(1024 * 1024 + 1));
    await expect(readFileOnDisk(path.join(dir, 'folder'))).rejects.toThrow();
    await expect(readFileOnDisk(path.join(dir, 'large'))).rejects.toThrow(/larger/);
  });
});

describe('secrets that the keyring sealed', () => {
  const OWN = '/var/lib/endcap/settings.json';
  const sealedBy = async (keyring: ReturnType<typeof pretendKeyring>): Promise<Files> => ({
    [OWN]: JSON.stringify((await sealSecrets(SMALLEST, keyring)).raw),
  });

  test('are decrypted and listed', async () => {
    const keyring = pretendKeyring();
    const result = await search(await sealedBy(keyring), { openSealed: keyring.open });
    if (result.kind !== 'settings') throw new Error('they were not read');
    expect(result.settings.service.clientSecret?.reveal()).toBe(SECRET);
    expect(result.sealed).toEqual(['service.clientSecret']);
    expect(result.warnings).toEqual([]);
  });

  test('that it cannot decrypt are an error that does not show the sealed text', async () => {
    const files = await sealedBy(pretendKeyring());
    const result = await search(files, { openSealed: pretendKeyring().open });
    if (result.kind !== 'error') throw new Error('it was read');
    expect(result.message).toContain('service.clientSecret: The keyring cannot decrypt this value');
    expect(result.message).toContain('The file is kept');
    expect(files[OWN]).not.toContain(SECRET);
    const [, sealed = ''] = /"sealed":"([^"]+)"/.exec(String(files[OWN])) ?? [];
    expect(sealed).not.toBe('');
    expect(result.message).not.toContain(sealed);
  });

  test('count as valid without a keyring', async () => {
    const result = await search(await sealedBy(pretendKeyring()));
    expect(result).toMatchObject({ kind: 'settings', sealed: ['service.clientSecret'] });
  });
});
