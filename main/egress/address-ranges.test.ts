import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './address-ranges';

describe('an address outside the public internet', () => {
  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['last of a private range', '10.255.255.255'],
    ['shared by a carrier', '100.64.0.1'],
    ['last shared by a carrier', '100.127.255.255'],
    ['a metadata service in the shared range', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['far loopback', '127.255.255.254'],
    ["a cloud's agent", '168.63.129.16'],
    ['link-local', '169.254.0.1'],
    ['the metadata service', '169.254.169.254'],
    ['private', '172.16.0.1'],
    ['last private', '172.31.255.255'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['private', '192.168.255.1'],
    ['benchmarks', '198.19.255.255'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.7'],
    ['multicast', '224.0.0.251'],
    ['reserved', '250.1.1.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified v6', '::'],
    ['loopback v6', '::1'],
    ['loopback v6, written out', '0:0:0:0:0:0:0:1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hex', '::ffff:7f00:1'],
    ['mapped private', '::FFFF:192.168.1.1'],
    ['mapped metadata service', '::ffff:a9fe:a9fe'],
    ['compatible loopback', '::127.0.0.1'],
    ['compatible public', '::8.8.8.8'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of private', '64:ff9b::a00:1'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['6to4 of private', '2002:a00:1::1'],
    ['6to4 of public', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local v6', 'fe80::1'],
    ['link-local v6 with a zone', 'fe80::1%eth0'],
    ['public v6 with a zone', '2606:4700::1111%1'],
    ['site-local', 'fec0::1'],
    ['multicast v6', 'ff02::fb'],
    ['last of the protocol assignments', '2001:1ff:ffff::1'],
    ['documentation v6', '2001:db8::1'],
    ['last for documentation', '2001:db8:ffff::1'],
    ['last of 6to4', '2002:ffff::1'],
    ['documentation v6', '3fff::1'],
    ['last for documentation', '3fff:fff:ffff::1'],
    ['discard', '100::1'],
    ['unassigned v6', '4000::1'],
    ['segment routing', '5f00::1'],
    ['no address', 'example.com'],
    ['nothing', ''],
    ['decimal, which is no literal here', '2130706433'],
    ['octal, which is no literal here', '0177.0.0.1'],
  ])('%s: %s', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2001:ffff::1',
  '2003::1',
  '2606:4700:4700::1111',
  '3ffe:ffff::1',
  '3fff:1000::1',
  '2a00:1450:4001:800::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
])('public: %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** The first and last address of every forbidden range. */
const RANGES: ReadonlyArray<[first: string, last: string]> = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];
const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** Slow and obvious: addresses compared as numbers. */
const oraclePublicV4 = (address: number): boolean =>
  !RANGES.some(([first, last]) => address >= number(first) && address <= number(last));

const dotted = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
/** Where each range begins and ends, with the addresses beside it. */
const edges = RANGES.flatMap(([first, last]) =>
  [number(first) - 1, number(first), number(last), number(last) + 1].map((address) => address >>> 0),
);
const v4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc
    .tuple(fc.constantFrom(...edges), fc.integer({ min: -70_000, max: 70_000 }))
    .map(([edge, step]) => (edge + step) >>> 0),
);

test('every v4 address is judged as the list of ranges says, also mapped or behind NAT64', () => {
  fc.assert(
    fc.property(v4, (address) => {
      const expected = oraclePublicV4(address);
      const text = dotted(address);
      const hex = `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
      for (const form of [text, `::ffff:${text}`, `::ffff:${hex}`, `64:ff9b::${text}`, `64:ff9b::${hex}`]) {
        expect([form, isPublicAddress(form)]).toEqual([form, expected]);
      }
      expect(isPublicAddress(`2002:${hex}::1`)).toBe(false);
      expect(isPublicAddress(`::${text}`)).toBe(false);
    }),
    { numRuns: 2000, examples: edges.map((edge) => [edge]) },
  );
});

test('no v6 address outside global unicast is public', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 0xffff }).filter((first) => first < 0x2000 || first > 0x3fff),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
      (first, rest) => {
        const parts = [first, ...rest].map((part) => part.toString(16));
        fc.pre(!(first === 0 && rest.slice(0, 4).every((part) => part === 0) && rest[4] === 0xffff));
        fc.pre(!(first === 0x64 && rest[0] === 0xff9b));
        expect(isPublicAddress(parts.join(':'))).toBe(false);
      },
    ),
  );
});
