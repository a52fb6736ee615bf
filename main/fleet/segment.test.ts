import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canonicalJson,
  draftSegment,
  type Fields,
  hasDigest,
  jsonLine,
  type PlayFields,
  signedBytes,
  withDigest,
} from './segment';
import { readPublicKey, signingKeyOf } from './signing-key';

const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const row = (epoch: number, seq: number, more: Record<string, string | number | null> = {}): PlayFields => ({
  kind: 'play',
  kiosk: key.fingerprint,
  epoch,
  seq,
  rev: 0,
  id: `play-${seq}`,
  ...more,
});
const about = { kiosk: key.fingerprint, epoch: 7, predecessor: null, setAside: [] };

const parsed = (lines: string): Record<string, string | number | null>[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));

test('a segment can be verified from its lines alone, whatever the pages of its rows', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.constant(null));
  // Another `seq`, for example, would not follow the last one.
  const name = fc.string({ minLength: 1 }).filter((text) => !Object.hasOwn(row(7, 1), text));
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(name, value, { maxKeys: 4 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 7 }),
      (extras, first, page) => {
        const rows = extras.map((extra, index) => row(7, first + index, extra));
        const draft = draftSegment(about, key);
        let lines = '';
        for (let at = 0; at < rows.length; at += page) lines += draft.add(rows.slice(at, at + page));
        const manifest = draft.seal(1_000);

        const read = parsed(lines);
        for (const { digest, ...rest } of read) expect(digest).toBe(sha256(canonicalJson(rest)));
        const [{ digest, signature, ...rest } = {}] = parsed(jsonLine(manifest));
        expect(digest).toBe(sha256(canonicalJson(rest)));
        expect(rest).toMatchObject({
          kind: 'segment',
          kiosk: key.fingerprint,
          epoch: 7,
          rev: 0,
          seq: first + rows.length - 1,
          first,
          last: first + rows.length - 1,
          count: rows.length,
          rowsDigest: sha256(read.map((each) => `${each.digest}\n`).join('')),
          predecessor: null,
          setAside: '[]',
          madeAt: '1970-01-01T00:00:01.000Z',
        });
        const raw = Buffer.from(String(rest.publicKey), 'base64');
        expect(raw).toHaveLength(32);
        const known = readPublicKey(`ed25519:${raw.toString('base64url')}`);
        expect(known?.fingerprint).toBe(key.fingerprint);
        const bytes = Buffer.from(String(signature), 'base64');
        expect(known && verify(null, signedBytes(String(digest)), known.key, bytes)).toBe(true);
      },
    ),
  );
});

test('the same rows, key and time give the same bytes', () => {
  const made = () => {
    const draft = draftSegment({ ...about, setAside: [{ first: 1, last: 2, digest: null }] }, key);
    return draft.add([row(7, 3), row(7, 4)]) + jsonLine(draft.seal(5));
  };
  expect(made()).toBe(made());
});

test('a manifest names its fields in the order of the contract', () => {
  const draft = draftSegment({ ...about, predecessor: 'a'.repeat(64) }, key);
  draft.add([row(7, 1)]);
  expect(Object.keys(draft.seal(0)).join(' ')).toBe(
    'kind kiosk epoch seq rev first last count rowsDigest predecessor setAside madeAt publicKey digest signature',
  );
});

test('a value that JSON cannot hold is replaced, and numbers are rounded', () => {
  const { digest, ...rest } = withDigest({ text: 'a\udc00', number: Number.NaN, ms: 7_999.6 });
  expect(rest).toEqual({ text: 'a\ufffd', number: null, ms: 8_000 });
  expect(digest).toBe(sha256(canonicalJson(rest)));
});

test.each([
  ['a gap', row(7, 4)],
  ['a number twice', row(7, 2)],
  ['a row of another epoch', row(8, 3)],
])('%s in the rows throws an error', (_name, next) => {
  const draft = draftSegment(about, key);
  draft.add([row(7, 1), row(7, 2)]);
  expect(() => draft.add([next])).toThrow('cannot follow');
});

/** RFC 8785 for a flat object, slow and obvious: the smallest name by UTF-16 code units first. */
function rfc8785(fields: Fields): string {
  const left = new Map(Object.entries(fields));
  const members: string[] = [];
  while (left.size > 0) {
    const smallest = [...left.keys()].reduce((one, other) => (isBefore(one, other) ? one : other));
    members.push(`${JSON.stringify(smallest)}:${JSON.stringify(left.get(smallest))}`);
    left.delete(smallest);
  }
  return `{${members.join(',')}}`;
}

function isBefore(one: string, other: string): boolean {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left !== right) return left < right;
  }
  return one.length < other.length;
}

const text = fc.string({ unit: 'binary' });
const value = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

test('canonical JSON follows RFC 8785, keeps the value and does not depend on the order of fields', () => {
  const fields = fc.uniqueArray(fc.tuple(text, value), { selector: ([name]) => name, maxLength: 8 });
  fc.assert(
    fc.property(fields, (members) => {
      const canonical = canonicalJson(Object.fromEntries(members));
      expect(canonical).toBe(rfc8785(Object.fromEntries(members)));
      expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
      expect(canonicalJson(Object.fromEntries(members.toReversed()))).toBe(canonical);
    }),
  );
});

test('canonical JSON matches the examples of RFC 8785', () => {
  const numbers = JSON.parse(
    '{"a":333333333.33333329,"b":1E30,"c":4.50,"d":2e-3,"e":0.000000000000000000000000001,"f":-0}',
  );
  expect(canonicalJson(numbers)).toBe('{"a":333333333.3333333,"b":1e+30,"c":4.5,"d":0.002,"e":1e-27,"f":0}');
  const string = '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/';
  expect(canonicalJson({ string, no: false, nothing: null })).toBe(
    '{"no":false,"nothing":null,"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  expect(Object.values(JSON.parse(canonicalJson(names).replaceAll('"1"', '"one"')))).toEqual([
    2, 4, 6, 7, 1, 5, 3,
  ]);
});

test('the ranges that are set aside are canonical JSON, too, without other fields', () => {
  const ranges = [{ first: 1, last: 2, digest: 'a', status: 400, epoch: 7 }];
  const draft = draftSegment({ ...about, setAside: [...ranges, { first: 3, last: 4, digest: null }] }, key);
  draft.add([row(7, 5)]);
  expect(draft.seal(0).setAside).toBe(
    '[{"digest":"a","first":1,"last":2},{"digest":null,"first":3,"last":4}]',
  );
});

test('a received row fits its digest only as it was sent', () => {
  const { digest, ...sent } = withDigest(row(7, 1, { text: 'a' }));
  expect(hasDigest(sent, digest)).toBe(true);
  for (const text of ['b', 'a\ud800', null]) expect(hasDigest({ ...sent, text }, digest)).toBe(false);
});
