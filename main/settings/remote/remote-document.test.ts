import { describe, expect, test } from 'vitest';
import { settingsJsonSchema } from '../settings';
import { changesBetween, mergeDocument, pathsIn, remoteProblems } from './remote-document';

/**
 * Everything that an attacker with a stolen key might try: each opens something, names a file or an account,
 * or says who somebody is.
 */
const CLOSED: ReadonlyArray<readonly [path: string, document: object]> = [
  ['service.baseUrl', { service: { baseUrl: 'https://thief.example' } }],
  ['service.authUrl', { service: { authUrl: 'https://thief.example' } }],
  ['service.nativeUrl', { service: { nativeUrl: 'https://thief.example' } }],
  ['service.clientSecretFile', { service: { clientSecretFile: '/etc/shadow' } }],
  ['service.headers', { service: { headers: { 'X-A': { file: '/etc/shadow' } } } }],
  ['ads.params', { ads: { params: { playerid: 'another' } } }],
  ['ads.onlineParams', { ads: { onlineParams: { who: '{shopper.age}' } } }],
  ['ads.authentication', { ads: { authentication: 'none' } }],
  ['native.enabled', { native: { enabled: true } }],
  ['native.sendSensorDemographics', { native: { sendSensorDemographics: true } }],
  ['native.params.dnt', { native: { params: { dnt: '0' } } }],
  ['playback.kiosk', { playback: { kiosk: false } }],
  ['playback.houseDir', { playback: { houseDir: '/home' } }],
  ['playback.autostart', { playback: { autostart: true } }],
  ['network.proxy', { network: { proxy: 'http://thief.example:1' } }],
  ['network.allowPrivateHosts', { network: { allowPrivateHosts: ['10.0.0.1'] } }],
  ['network.caFile', { network: { caFile: '/tmp/ca.pem' } }],
  ['store.storeId', { store: { storeId: 'another' } }],
  ['proof.url', { proof: { url: 'https://thief.example' } }],
  ['proof.headers', { proof: { headers: { A: 'b' } } }],
  ['proof.clientKeyFile', { proof: { clientKeyFile: '/etc/key' } }],
  ['fleet.commandKeys', { fleet: { commandKeys: [] } }],
  ['fleet.brokers', { fleet: { brokers: ['mqtts://thief.example'] } }],
  ['fleet', { fleet: {} }],
  ['fleet', { fleet: null }],
  ['admin.pinHash', { admin: { pinHash: 'scrypt$x' } }],
  ['admin.gesture.taps', { admin: { gesture: { taps: 3 } } }],
  ['admin.shortcut', { admin: { shortcut: null } }],
  ['signals.port', { signals: { port: 80 } }],
];

test.each(CLOSED)('%s is closed to remote documents', (path, document) => {
  const raw = { playback: { kiosk: true }, admin: { pinHash: 'own' } };
  expect(remoteProblems({ ...document })).toMatchObject([
    { path, message: expect.stringMatching(/^Expected a setting that can be changed remotely .*, found /) },
  ]);
  expect(mergeDocument(raw, { ...document })).toEqual(raw);
});

test('errors never show a value', () => {
  const document = {
    service: { clientSecret: 's3cret' },
    ads: { params: { key: 's3cret' } },
    s3cre: 's3cret',
  };
  expect(JSON.stringify(remoteProblems(document))).not.toContain('s3cret');
});

describe('names that are not settings', () => {
  test.each([
    '{"__proto__": {"polluted": true}}',
    '{"constructor": {"prototype": {}}}',
    '{"ads.sourceWeights": {"a": 1}}',
    '{"ads": {"sourceWeight": {"a": 1}}}',
    '{"": 1}',
    `{"${'x'.repeat(100_000)}": 1}`,
  ])('%.60s', (text) => {
    const document = JSON.parse(text);
    const [problem] = remoteProblems(document);
    expect(problem?.message).toMatch(/^Unknown setting/);
    expect(problem?.path.length).toBeLessThan(120);
    expect(mergeDocument({}, document)).toEqual({});
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });
});

test('all invalid paths are reported together, also next to valid settings', () => {
  const document = {
    ads: { sourceWeights: { a: 1 }, params: {} },
    fleet: { groups: [], brokers: [] },
    ui: 5,
  };
  expect(remoteProblems(document).map(({ path }) => path)).toEqual([
    ...['ads.params', 'fleet.groups', 'fleet.brokers', 'ui'],
  ]);
});

test('a remote value replaces the whole value of the file, and other settings stay', () => {
  const raw = { ads: { sourceWeights: { a: 1, b: 2 }, delivery: 'auto' } };
  const document = { ads: { sourceWeights: { c: 3 } }, ui: { language: 'de' } };
  expect(mergeDocument(raw, document)).toEqual({
    ads: { sourceWeights: { c: 3 }, delivery: 'auto' },
    ui: { language: 'de' },
  });
  expect(pathsIn(document)).toEqual(['ads.sourceWeights', 'ui.language']);
});

test('documents differ in settings that one of them lacks or that have different values', () => {
  const one = { ads: { sourceWeights: { a: 1 }, delivery: 'auto' } };
  expect(changesBetween(one, structuredClone(one)).size).toBe(0);
  expect([...changesBetween(one, null)]).toEqual([
    ['ads.sourceWeights', 'live'],
    ['ads.delivery', 'restart'],
  ]);
  expect([...changesBetween(one, { ads: { delivery: 'auto', sourceWeights: { a: 2 } } })]).toEqual([
    ['ads.sourceWeights', 'live'],
  ]);
});

test('exactly these settings can be changed remotely; adding one needs a decision', () => {
  expect(openIn(settingsJsonSchema() as Described)).toEqual([
    ...['ads.delivery', 'ads.onlineAudience', 'ads.refreshSeconds', 'ads.maxAgeDays', 'ads.sourceWeights'],
    ...['native.adcount', 'native.everySlots', 'native.refreshSeconds', 'native.sessionIdleSeconds'],
    ...['playback.imageSeconds', 'playback.volume', 'playback.openHours', 'playback.restartAt'],
    ...['display.power', 'proof.everySeconds', 'proof.maxRows', 'ui.language', 'ui.speech'],
  ]);
});

interface Described {
  readonly remote?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

const openIn = ({ properties = {} }: Described, at = ''): string[] =>
  Object.entries(properties).flatMap(([name, inner]) =>
    inner.remote === undefined ? openIn(inner, `${at}${name}.`) : [at + name],
  );
