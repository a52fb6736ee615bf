import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaIdentity } from './media-identity';

const FILE = 'https://cdn.example/spring/a.mp4';
const V4 = (prefix: string, signature: string) =>
  `${prefix}-Algorithm=AWS4-HMAC-SHA256&${prefix}-Credential=AKIA%2F20261129%2Feu&${prefix}-Date=20261129T000000Z&${prefix}-Expires=3600&${prefix}-SignedHeaders=host&${prefix}-Signature=${signature}`;

/** A query of each scheme, as its own documentation shows it. */
const SIGNATURES: ReadonlyArray<[scheme: string, query: string]> = [
  ['CloudFront, canned policy', 'Expires=1767290400&Signature=nitf~x-_&Key-Pair-Id=K2JCJMDEHXQW5F'],
  ['CloudFront with its hash', 'Expires=1767290400&Signature=ni&Key-Pair-Id=K2&Hash-Algorithm=SHA256'],
  ['CloudFront, custom policy', 'Policy=eyJTdGF0ZW1lbnQi&Signature=nitf~x-_&Key-Pair-Id=K2JCJMDEHXQW5F'],
  ['S3, version 4', V4('X-Amz', 'aeeed9bb')],
  ['S3 with a session', `X-Amz-Security-Token=IQoJ%2F&${V4('X-Amz', 'aeeed9bb')}`],
  ['S3, version 2', 'AWSAccessKeyId=AKIA&Signature=vjby%2BE%3D&Expires=1175139620'],
  ['Google Cloud Storage, version 4', V4('X-Goog', '247a2aa4')],
  ['Google Cloud Storage, version 2', 'GoogleAccessId=a%40b.example&Expires=1458238630&Signature=VVUgfq%3D'],
  ['Cloud CDN', 'Expires=1558131350&KeyName=my-key&Signature=oHdqC_n='],
  ['Cloud CDN, a prefix', 'URLPrefix=aHR0cHM6&Expires=1558131350&KeyName=my-key&Signature=oHdqC_n='],
  ['Media CDN', 'Edge-Cache-Token=Expires=1640995200~KeyName=k~Signature=abc'],
  [
    'Azure, one file',
    'sp=r&st=2026-11-29T00:00:00Z&se=2026-11-30T00:00:00Z&spr=https&sv=2024-11-04&sr=b&sig=x%3D',
  ],
  ['Azure, a stored policy', 'sv=2024-11-04&si=kiosks&sr=c&sig=x%3D'],
  ['Azure, an account', 'sv=2024-11-04&ss=b&srt=o&sp=r&se=2026-11-30T00:00:00Z&sig=x%3D'],
  [
    'Azure, a user delegation',
    'skoid=a&sktid=b&skt=c&ske=d&sks=b&skv=2024-11-04&sv=2024-11-04&sr=b&sp=r&se=2026-11-30&sig=x',
  ],
  ['Akamai', '__token__=exp=1767290400~acl=/*~hmac=0a1b'],
  ['Akamai, escaped', 'hdnts=st%3d1%7Eexp%3d2%7Eacl%3d%2f*%7Ehmac%3d0a1b'],
  ['Akamai for streams', 'hdnea=exp=1767290400~url=/a~hmac=0a1b'],
];

const OPTIONAL = /^(Hash-Algorithm|X-Amz-Security-Token|URLPrefix|sp|st|spr|sk[a-z]+)=/;

describe('the identity of a media URL', () => {
  it.each(SIGNATURES)('is the URL without its signature (%s)', (_scheme, query) => {
    expect(mediaIdentity(`${FILE}?${query}`)).toBe(FILE);
    expect(mediaIdentity(`${FILE}?id=7&${query}`)).toBe(`${FILE}?id=7`);
    expect(mediaIdentity(`${FILE}?b=%2f&${query}&a=?&&c#t=1`)).toBe(`${FILE}?b=%2f&a=?&&c#t=1`);
  });

  it.each(SIGNATURES)(
    'is the whole URL where a parameter of its signature is missing (%s)',
    (_scheme, query) => {
      const parameters = query.split('&');
      for (const one of parameters.filter((parameter) => !OPTIONAL.test(parameter))) {
        const url = `${FILE}?${parameters.filter((other) => other !== one).join('&')}`;
        expect(mediaIdentity(url)).toBe(url);
      }
    },
  );

  it.each([
    ['no query', ''],
    ['an identity', '?id=7'],
    ['an expiry alone', '?Expires=1767290400'],
    ['a token alone', '?token=abc&expires=1767290400'],
    ['a signature alone', '?Signature=abc'],
    ['an Akamai name with another value', '?__token__=abc&hdnts=1&hdnea=exp=1'],
    ['other letters', '?expires=1767290400&signature=nitf&key-pair-id=K2'],
    ['an empty value', '?Expires=1767290400&Signature=&Key-Pair-Id=K2'],
    ['no value', '?Expires=1767290400&Signature&Key-Pair-Id=K2'],
    ['a parameter twice', '?Expires=1&Expires=2&Signature=nitf&Key-Pair-Id=K2'],
    [
      'an optional parameter twice',
      '?Hash-Algorithm=a&Hash-Algorithm=b&Expires=1&Signature=nitf&Key-Pair-Id=K2',
    ],
    ['an escaped name', '?Expires=1767290400&Sig%6Eature=nitf&Key-Pair-Id=K2'],
    ['a signature in the fragment', '#?Expires=1767290400&Signature=nitf&Key-Pair-Id=K2'],
    ['a query of hostile length', `?Expires=1&Signature=${'x'.repeat(9_000)}&Key-Pair-Id=K2`],
  ])('is the whole URL with %s', (_what, rest) => {
    expect(mediaIdentity(`${FILE}${rest}`)).toBe(`${FILE}${rest}`);
  });

  it('is without both signatures where a URL has two', () => {
    expect(mediaIdentity(`${FILE}?Policy=p&Expires=1&Signature=s&Key-Pair-Id=K&KeyName=k&id=7`)).toBe(
      `${FILE}?id=7`,
    );
    expect(mediaIdentity(`${FILE}?${SIGNATURES.map(([, query]) => query).at(-1)}&${V4('X-Amz', 'a')}`)).toBe(
      FILE,
    );
  });

  it.each([
    ['8,192 characters', 'x'.repeat(8_150), 'x'.repeat(8_193)],
    ['64 parameters', '&'.repeat(60), '&'.repeat(64)],
  ])('leaves a URL as it is whose query has more than %s', (_bound, most, more) => {
    const signature = 'Expires=1&KeyName=k&Signature=s';
    expect(mediaIdentity(`${FILE}?${signature}&${most}`)).toBe(`${FILE}?${most}`);
    expect(mediaIdentity(`${FILE}?${signature}&${more}`)).toBe(`${FILE}?${signature}&${more}`);
  });

  it('leaves a house creative as it is', () => {
    expect(mediaIdentity('house:a%26b.png?5000&1700000000000.5&42')).toBe(
      'house:a%26b.png?5000&1700000000000.5&42',
    );
  });

  /** Parameters of all schemes, others, and broken ones. */
  const name = fc.constantFrom(
    ...new Set(SIGNATURES.flatMap(([, query]) => query.split('&').map((one) => one.split('=')[0] ?? ''))),
    'id',
    'expires',
    'SIGNATURE',
    '',
    'a%3Db',
  );
  const value = fc.constantFrom('', '1', 'x=y', '%3D?', 'exp=1~hmac=0a', 'hmac%3d0', '~');
  const parameter = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(name, value).map(([key, is]) => `${key}=${is}`) },
    { weight: 1, arbitrary: name },
  );
  const whole = fc.constantFrom(...SIGNATURES.map(([, query]) => query.split('&')));
  const query = fc
    .tuple(fc.array(fc.oneof(whole, fc.array(parameter, { maxLength: 3 })), { maxLength: 3 }), fc.nat())
    .map(([groups, seed]) => {
      const all = groups.flat();
      // Rotated, so that the order of a scheme's parameters does not matter.
      const at = all.length === 0 ? 0 : seed % all.length;
      return [...all.slice(at), ...all.slice(0, at)].join('&');
    });
  const url = fc
    .tuple(query, fc.constantFrom('', '#', '#t=5', '#?Signature=s&hdnts=hmac=1'))
    .map(([text, fragment]) => `${FILE}?${text}${fragment}`);

  it('agrees with a slow reader', () => {
    fc.assert(
      fc.property(url, (one) => {
        expect(mediaIdentity(one)).toBe(slowIdentity(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is its own identity, and only leaves out', () => {
    fc.assert(
      fc.property(fc.oneof(url, fc.string(), fc.webUrl({ withQueryParameters: true })), (one) => {
        const identity = mediaIdentity(one);
        expect(mediaIdentity(identity)).toBe(identity);
        const left = one.split(/[?&]/);
        let from = 0;
        for (const part of identity.split(/[?&]/)) {
          const at = left.findIndex(
            (other, index) => index >= from && other.replace(/#.*/s, '') === part.replace(/#.*/s, ''),
          );
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + 1;
        }
      }),
    );
  });
});

/** Each scheme spelled out as a sentence about the query. */
function slowIdentity(url: string): string {
  const fragmentAt = url.includes('#') ? url.indexOf('#') : url.length;
  const address = url.slice(0, fragmentAt);
  const [path = '', ...behind] = address.split('?');
  if (behind.length === 0) return url;
  const pairs = behind
    .join('?')
    .split('&')
    .map((text) => {
      const [key = '', ...is] = text.split('=');
      return { text, key, is: is.join('=') };
    });
  const valuesOf = (key: string) => pairs.filter((one) => one.key === key).map(({ is }) => is);
  const has = (...keys: string[]) =>
    keys.every((key) => valuesOf(key).length === 1 && valuesOf(key).every((is) => is !== ''));
  const mayHave = (...keys: string[]) => keys.every((key) => valuesOf(key).length === 0 || has(key));
  const leftOut: string[] = [];
  const sas = ['sp', 'st', 'se', 'si', 'sip', 'spr', 'skoid', 'sktid', 'skt', 'ske', 'sks', 'skv'].concat([
    'saoid',
    'suoid',
    'scid',
    'sdd',
    'ses',
  ]);
  if (has('Expires', 'Signature', 'Key-Pair-Id') && mayHave('Hash-Algorithm'))
    leftOut.push('Expires', 'Signature', 'Key-Pair-Id', 'Hash-Algorithm');
  if (has('Policy', 'Signature', 'Key-Pair-Id') && mayHave('Hash-Algorithm'))
    leftOut.push('Policy', 'Signature', 'Key-Pair-Id', 'Hash-Algorithm');
  const amz = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'];
  const session = ['X-Amz-Security-Token', 'X-Amz-S3session-Token'];
  if (has(...amz.map((one) => `X-Amz-${one}`)) && mayHave(...session))
    leftOut.push(...amz.map((one) => `X-Amz-${one}`), ...session);
  if (has(...amz.map((one) => `X-Goog-${one}`))) leftOut.push(...amz.map((one) => `X-Goog-${one}`));
  if (has('AWSAccessKeyId', 'Expires', 'Signature') && mayHave('x-amz-security-token'))
    leftOut.push('AWSAccessKeyId', 'Expires', 'Signature', 'x-amz-security-token');
  if (has('GoogleAccessId', 'Expires', 'Signature')) leftOut.push('GoogleAccessId', 'Expires', 'Signature');
  if (has('Expires', 'KeyName', 'Signature') && mayHave('URLPrefix'))
    leftOut.push('Expires', 'KeyName', 'Signature', 'URLPrefix');
  if (has('Edge-Cache-Token')) leftOut.push('Edge-Cache-Token');
  if (has('sv', 'sig', 'sr') && (has('se') || has('si')) && mayHave(...sas))
    leftOut.push('sv', 'sig', 'sr', ...sas);
  if (has('sv', 'sig', 'ss', 'srt', 'se') && mayHave(...sas)) leftOut.push('sv', 'sig', 'ss', 'srt', ...sas);
  for (const key of ['hdnts', 'hdnea', '__token__']) {
    const fields = (valuesOf(key)[0] ?? '').replace(/%7e/gi, '~').replace(/%3d/gi, '=').split('~');
    if (has(key) && fields.some((field) => /^hmac=./i.test(field))) leftOut.push(key);
  }
  const kept = pairs.filter(({ key }) => !leftOut.includes(key)).map(({ text }) => text);
  const isSigned = kept.length < pairs.length;
  if (!isSigned) return url;
  return path + (kept.length > 0 ? `?${kept.join('&')}` : '') + url.slice(fragmentAt);
}
