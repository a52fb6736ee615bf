import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beaconUrls } from './macros';

const event = { at: Date.UTC(2026, 1, 28, 12, 30, 15, 250), cacheBuster: 4711, errorCode: null };

describe('a beacon URL', () => {
  it.each([
    ['http://x/i?t=[TIMESTAMP]', 'http://x/i?t=2026-02-28T12%3A30%3A15.250Z'],
    ['http://x/i?cb=[CACHEBUSTING]', 'http://x/i?cb=00004711'],
    ['http://x/i?cb=%5BCACHEBUSTING%5D', 'http://x/i?cb=00004711'],
    ['http://x/i?cb=%5bCACHEBUSTING%5d', 'http://x/i?cb=00004711'],
    ['http://x/i?a=[CACHEBUSTING]&b=[CACHEBUSTING]', 'http://x/i?a=00004711&b=00004711'],
    ['http://x/i?e=[ERRORCODE]', 'http://x/i?e=[ERRORCODE]'],
    ['http://x/i?u=[UNKNOWN]&v=[cachebusting]', 'http://x/i?u=[UNKNOWN]&v=[cachebusting]'],
    ['http://x/i;ord=[timestamp];a=1?', 'http://x/i;ord=00004711;a=1?'],
    ['http://x/i?ord=%5Btimestamp%5D', 'http://x/i?ord=00004711'],
    ['http://x/i?data[timestamp]=1&[timestamp]', 'http://x/i?data[timestamp]=1&[timestamp]'],
    ['http://x/i?u=[constructor]&v=%5BtoString%5D', 'http://x/i?u=[constructor]&v=%5BtoString%5D'],
    ['http://x/i?u=[valueOf][hasOwnProperty]', 'http://x/i?u=[valueOf][hasOwnProperty]'],
  ])('%s goes out as %s', (url, expected) => {
    expect(beaconUrls(event, null)(url)).toBe(expected);
  });

  it('carries the error code when it reports an error', () => {
    expect(beaconUrls({ ...event, errorCode: 405 }, null)('http://x/e?c=[ERRORCODE]')).toBe(
      'http://x/e?c=405',
    );
  });

  it.each([
    ['http://x/i', 'http://x/i?ets=2026-02-28T12%3A30%3A15.250Z'],
    ['http://x/i?a=1', 'http://x/i?a=1&ets=2026-02-28T12%3A30%3A15.250Z'],
    ['http://x/i?a=1&', 'http://x/i?a=1&ets=2026-02-28T12%3A30%3A15.250Z'],
    ['http://x/i?', 'http://x/i?ets=2026-02-28T12%3A30%3A15.250Z'],
    ['http://x/i?a#f', 'http://x/i?a&ets=2026-02-28T12%3A30%3A15.250Z#f'],
  ])('%s gets the event time as %s', (url, expected) => {
    expect(beaconUrls(event, 'ets')(url)).toBe(expected);
  });

  it('carries the nearest time that RFC 3339 can express', () => {
    const at = Date.parse('Fri, 12 Sep 275760 23:59:59 GMT');
    expect(beaconUrls({ ...event, at }, 'ets')('http://x/i?t=[TIMESTAMP]')).toBe(
      'http://x/i?t=9999-12-31T23%3A59%3A59.999Z&ets=9999-12-31T23%3A59%3A59.999Z',
    );
  });

  it('stays unfilled if its macros would make it longer than 32 KB', () => {
    const macros = new Map([['DEVICEUA', 'Mozilla/5.0 '.repeat(20)]]);
    const url = `http://x/i?${'[DEVICEUA]'.repeat(3_000)}`;
    expect(beaconUrls({ ...event, macros }, null)(url)).toBe(url);
  });

  it('carries a value with half a surrogate pair', () => {
    const macros = new Map([['ASSETURI', 'https://x/\ud800.mp4']]);
    expect(beaconUrls({ ...event, macros }, null)('http://x/i?u=[ASSETURI]')).toBe(
      'http://x/i?u=https%3A%2F%2Fx%2F%EF%BF%BD.mp4',
    );
  });

  it('stays unchanged if it contains no macro', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        fc.pre(!/\[|%5b/i.test(url));
        expect(beaconUrls(event, null)(url)).toBe(url);
      }),
    );
  });
});
