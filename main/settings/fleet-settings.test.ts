import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { testCa } from '../egress/testing/test-ca';
import { signingKeyOf } from '../fleet/signing-key';
import { brokerName, readBroker } from './broker-address';
import { readWithFiles } from './find-settings';
import type { FoundFile } from './locate-settings';
import { readSettings } from './testing/read-settings';

const SERVICE = { service: { baseUrl: 'http://127.0.0.1:1' }, ads: { authentication: 'none' } };
const KEY = signingKeyOf(generateKeyPairSync('ed25519').privateKey).publicKey;

function problemsOf(fleet: object): readonly string[] {
  const read = readSettings({ ...SERVICE, fleet }, '/etc/endcap/config.json');
  return read.kind === 'error' ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function read(fleet: object, files: Readonly<Record<string, string | FoundFile>>) {
  return readWithFiles({ ...SERVICE, fleet }, '/etc/endcap/config.json', {
    env: {},
    readFile: async (file) => {
      const found = files[file];
      if (found === undefined) return null;
      return typeof found === 'string' ? { text: found, readableBy: 'kiosk' } : found;
    },
  });
}

test.each([
  ['mqtts://broker.example:8884 ', 8884],
  ['mqtts://broker.example:443', 443],
  ['mqtts://broker.example:80', 80],
  ['mqtts://broker.example', 8883],
  ['mqtts://[2001:db8::1]:8884\n', 8884],
  ['wss://broker.example:9001\\mqtt', 9001],
  ['wss://broker.example/mqtt:1', 443],
])('%j names port %d', (address, port) => {
  expect(readBroker(address)?.port).toBe(port);
});

test('settings without a fleet get the defaults', () => {
  const found = readSettings(SERVICE, '/etc/endcap/config.json');
  if (found.kind !== 'settings') throw new Error(found.message);
  expect(found.settings.fleet).toEqual({
    brokers: [],
    username: null,
    password: null,
    clientCertificate: null,
    topicPrefix: 'endcap',
    groups: [],
    commandKeys: [],
    homeAssistant: false,
  });
});

describe('brokers', () => {
  test.each([
    ['mqtts://broker.example', 'mqtts://broker.example:8883'],
    ['mqtts://Broker.Example:443', 'mqtts://broker.example:443'],
    ['wss://broker.example/mqtt?token=x', 'wss://broker.example:443'],
    ['mqtt://127.0.0.1', 'mqtt://127.0.0.1:1883'],
    ['mqtt://[::1]:1884', 'mqtt://[::1]:1884'],
    ['ws://localhost/mqtt', 'ws://localhost:80'],
  ])('takes %s', (address, name) => {
    expect(problemsOf({ brokers: [address] })).toEqual([]);
    const broker = readBroker(address);
    expect(broker && brokerName(broker)).toBe(name);
  });

  test.each([
    ['mqtt://broker.example', /Expected mqtts:\/\/ or wss:\/\//],
    ['ws://10.0.0.7/mqtt', /Expected mqtts:\/\/ or wss:\/\//],
    ['https://broker.example', /address of an MQTT broker/],
    ['broker.example:8883', /address of an MQTT broker/],
    ['mqtts://kiosk:hush@broker.example', /address of an MQTT broker/],
    ['mqtts://broker.example/path', /address of an MQTT broker/],
    ['mqtts://broker.example:0', /address of an MQTT broker/],
    ['mqtts://broker.example:99999', /address of an MQTT broker/],
    ['mqtts://', /address of an MQTT broker/],
  ])('refuses %s', (address, words) => {
    const problems = problemsOf({ brokers: ['mqtts://fine.example', address] });
    expect(problems).toEqual([expect.stringMatching(words)]);
    expect(problems[0]).toMatch(/^fleet\.brokers\[1\]/);
    expect(problems[0]).not.toContain('hush');
  });
});

test.each<[object, RegExp]>([
  [{ commandKeys: ['ed25519:tooshort'] }, /^fleet\.commandKeys\[0\]: Expected a public key/],
  [{ commandKeys: Array.from({ length: 17 }, () => KEY) }, /^fleet\.commandKeys: .*at most 16/],
  [{ groups: ['a/b'] }, /^fleet\.groups\[0\]/],
  [{ groups: ['+'] }, /^fleet\.groups\[0\]/],
  [{ groups: ['a', 'a'] }, /each name once/],
  [{ topicPrefix: 'a/#' }, /^fleet\.topicPrefix/],
  [{ topicPrefix: '/a' }, /^fleet\.topicPrefix/],
  [{ passwordFile: 'password' }, /^fleet\.username: Missing; needed because fleet\.passwordFile is given/],
  [{ clientCertFile: 'a' }, /^fleet\.clientKeyFile: Missing/],
])('refuses %j', (fleet, words) => {
  expect(problemsOf(fleet)[0]).toMatch(words);
});

test('takes password, certificate, key and command keys, and shows no secret', async () => {
  const issued = testCa('A CA').issue('kiosk.example');
  const found = await read(
    {
      brokers: ['mqtts://b.example'],
      username: 'kiosk',
      passwordFile: 'password',
      clientCertFile: 'c',
      clientKeyFile: 'k',
      commandKeys: [KEY],
      groups: ['berlin'],
    },
    {
      '/etc/endcap/password': 'hush-hush\n',
      '/etc/endcap/c': issued.cert,
      '/etc/endcap/k': issued.key,
    },
  );
  if (found.kind !== 'settings') throw new Error(found.message);
  const { fleet } = found.settings;
  expect([fleet.password?.reveal(), fleet.clientCertificate?.cert]).toEqual(['hush-hush', issued.cert]);
  expect(inspect(found, { depth: 9 })).not.toMatch(/hush-hush|PRIVATE KEY/);
});

test("refuses another certificate's key", async () => {
  const files = {
    '/etc/endcap/c': testCa('A CA').issue('kiosk.example').cert,
    '/etc/endcap/k': testCa('B CA').issue('kiosk.example').key,
  };
  expect(await read({ clientCertFile: 'c', clientKeyFile: 'k' }, files)).toMatchObject({
    problems: [{ path: 'fleet.clientKeyFile', message: expect.stringMatching(/does not belong/) }],
  });
});
