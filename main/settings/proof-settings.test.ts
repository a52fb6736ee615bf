import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { testCa } from '../egress/testing/test-ca';
import { readWithFiles } from './find-settings';
import type { FoundFile } from './locate-settings';
import { proofUrl } from './proof-url';
import { readSettings } from './testing/read-settings';

const SERVICE = { service: { baseUrl: 'http://127.0.0.1:1' }, ads: { authentication: 'none' } };
const withProof = (proof: object, store: object = {}) => ({ ...SERVICE, store, proof });

function problemsOf(raw: unknown): readonly string[] {
  const read = readSettings(raw, '/etc/endcap/config.json');
  return read.kind === 'error' ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function read(raw: unknown, files: Readonly<Record<string, string | FoundFile>>) {
  return readWithFiles(raw, '/etc/endcap/config.json', {
    env: {},
    readFile: async (file) => {
      const found = files[file];
      if (found === undefined) return null;
      return typeof found === 'string' ? { text: found, readableBy: 'kiosk' } : found;
    },
  });
}

describe('the address for proof of play', () => {
  test.each([
    'https://proof.example/plays',
    'https://clickhouse.example:8443/?query=INSERT%20INTO%20plays%20FORMAT%20JSONEachRow',
    'https://bucket.example/{kiosk}/{epoch}/{first}-{last}.ndjson.gz?signature=x',
    // A parameter of ClickHouse's own.
    'https://clickhouse.example/?query=INSERT%20INTO%20{table:Identifier}&param_table=plays',
    'http://127.0.0.1:8123/',
    'http://localhost/{kiosk}',
  ])('takes %s', (url) => {
    expect(problemsOf(withProof({ url }))).toEqual([]);
  });

  test.each([
    ['http://proof.example/', /an https address, because proof of play goes there/],
    ['http://10.0.0.7:8123/', /an https address/],
    ['ftp://proof.example/', /an http\(s\) address/],
    ['proof.example', /an http\(s\) address/],
    ['https://kiosk:hush@proof.example/', /without a user name or password/],
    ['https://proof.example/#x', /without "#"/],
    ['https://proof.example/{sequence}', /kiosk, epoch, first, last; not "sequence"/],
    ['https://proof.example/{kiosk-id}/{first}', /not "kiosk-id"/],
    ['https://proof.example/{ kiosk }/{first}', /not " kiosk "/],
    ['https://proof.example/{toString}/{first}', /not "toString"/],
    ['https://{kiosk}.example/', /a host without braces/],
    ['https://proof.example:{first}/', /a host without braces|an http\(s\) address/],
  ])('refuses %s', (url, words) => {
    const problems = problemsOf(withProof({ url }));
    expect(problems).toEqual([expect.stringMatching(words)]);
    expect(problems[0]).toMatch(/^proof\.url/);
    expect(problems[0]).not.toContain('hush');
  });

  test('gets the values of the segment', () => {
    const values = { kiosk: '0123456789abcdef', epoch: 1_763_000_000_000, first: 1, last: 5_000 };
    expect(proofUrl('https://p.example/{kiosk}/{epoch}/{first}-{last}?k={kiosk}', values)).toBe(
      'https://p.example/0123456789abcdef/1763000000000/1-5000?k=0123456789abcdef',
    );
  });
});

describe('the headers and the certificate of proof-of-play requests', () => {
  test('headers are text or files, Authorization included, and those of files are secrets', async () => {
    const headers = { Authorization: { file: 'token' }, 'X-Shard': '3', 'content-type': 'text/plain' };
    const result = await read(withProof({ url: 'https://p.example', headers }), {
      '/etc/endcap/token': 'Bearer t0ken-of-proof\n',
    });
    if (result.kind !== 'settings') throw new Error(result.message);
    const shown = result.settings.proof.headers.map(({ name, value, isSecret }) => [
      name,
      value.reveal(),
      isSecret,
    ]);
    expect(shown.sort()).toEqual([
      ['Authorization', 'Bearer t0ken-of-proof', true],
      ['X-Shard', '3', false],
      ['content-type', 'text/plain', false],
    ]);
    expect(inspect(result, { depth: 9 })).not.toContain('t0ken-of-proof');
  });

  test.each(['Host', 'Content-Encoding', 'content-length', 'User-Agent'])(
    'the header %s is refused',
    (name) => {
      expect(problemsOf(withProof({ headers: { [name]: 'x' } }))[0]).toMatch(/^proof\.headers/);
    },
  );

  test('a file that is missing is named with its setting', async () => {
    const result = await read(withProof({ headers: { Authorization: { file: 'token' } } }), {});
    expect(result).toMatchObject({ problems: [{ path: 'proof.headers.Authorization.file' }] });
  });

  const issued = testCa('A CA').issue('kiosk.example');
  const other = testCa('Another CA').issue('kiosk.example');
  const files = { clientCertFile: 'kiosk.crt', clientKeyFile: 'kiosk.key' };
  const [CERT, KEY] = ['/etc/endcap/kiosk.crt', '/etc/endcap/kiosk.key'];

  // Editors of Windows put a byte order mark in front.
  test.each(['', '\uFEFF'])('a certificate is read with its key (begins with "%s")', async (mark) => {
    const result = await read(withProof(files), { [CERT]: mark + issued.cert, [KEY]: mark + issued.key });
    if (result.kind !== 'settings') throw new Error(result.message);
    const { clientCertificate } = result.settings.proof;
    expect([clientCertificate?.cert, clientCertificate?.key.reveal()]).toEqual([issued.cert, issued.key]);
    expect(inspect(result, { depth: 9 })).not.toContain('PRIVATE KEY');
  });

  test.each<[string, Record<string, string | FoundFile>, string, RegExp]>([
    ['no certificate', { [CERT]: 'x', [KEY]: issued.key }, 'proof.clientCertFile', /holds no certificate/],
    ['no such file', { [KEY]: issued.key }, 'proof.clientCertFile', /no file/],
    ['no key', { [CERT]: issued.cert, [KEY]: issued.cert }, 'proof.clientKeyFile', /without a passphrase/],
    [
      'the key of another',
      { [CERT]: issued.cert, [KEY]: other.key },
      'proof.clientKeyFile',
      /does not belong/,
    ],
    [
      'a key that others can read',
      { [CERT]: issued.cert, [KEY]: { text: issued.key, readableBy: 'others' } },
      'proof.clientKeyFile',
      /chmod 600/,
    ],
  ])('refuses %s', async (_name, found, path, message) => {
    const result = await read(withProof(files), found);
    expect(result).toMatchObject({ problems: [{ path, message: expect.stringMatching(message) }] });
    expect(inspect(result, { depth: 9 })).not.toContain('PRIVATE KEY');
  });

  test.each([
    ['clientCertFile', 'clientKeyFile'],
    ['clientKeyFile', 'clientCertFile'],
  ])('%s needs %s', (given, needed) => {
    expect(problemsOf(withProof({ [given]: 'x' }))).toEqual([
      `proof.${needed}: Missing; needed because proof.${given} is given.`,
    ]);
  });
});

test.each([
  [{ labels: { 'a b': 'x' } }],
  [{ labels: { a: 7 } }],
  [{ labels: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`l${index}`, 'x'])) }],
  [{ storeId: '' }],
])('the store %j is refused', (store) => {
  expect(problemsOf(withProof({}, store))[0]).toMatch(/^store\./);
});
