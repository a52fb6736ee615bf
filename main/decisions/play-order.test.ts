import { describe, expect, it } from 'vitest';
import { keysToForget } from './play-order';
import { recencyKey } from './playlist-columns';
import { anAd } from './testing/ads-for-tests';

describe('recencyKey', () => {
  const ad = anAd({ sourceId: 'cms', flightId: 'f' }, 'https://m.test/a', 'ad-1');

  it('is the same for the same creative under another id, request or expiry', () => {
    const refreshed = anAd(
      { sourceId: 'cms', flightId: 'f', requestId: 'later', expiresAt: 1, campaignId: 'c' },
      'https://m.test/a',
      'ad-2',
    );
    expect(recencyKey(refreshed, 'https://m.test/a')).toBe(recencyKey(ad, 'https://m.test/a'));
  });

  it.each([
    ['source', anAd({ sourceId: 'ssp', flightId: 'f' }), 'https://m.test/a'],
    ['no source', anAd({ sourceId: null, flightId: 'f' }), 'https://m.test/a'],
    ['flight', anAd({ sourceId: 'cms', flightId: 'g' }), 'https://m.test/a'],
    ['no flight', anAd({ sourceId: 'cms', flightId: null }), 'https://m.test/a'],
    ['media', anAd({ sourceId: 'cms', flightId: 'f' }), 'https://m.test/b'],
    ['parts that only look alike when joined', anAd({ sourceId: 'cms","f' }), 'https://m.test/a'],
  ])('differs by %s', (_name, other, media) => {
    expect(recencyKey(other, media)).not.toBe(recencyKey(ad, 'https://m.test/a'));
  });
});

describe('forgettable', () => {
  const entries = ['a', 'b', 'c', 'd'].map((key, sequence) => ({ key, sequence, at: 0, adId: '' }));
  it.each([
    [0, ['a', 'c', 'd']],
    [1, ['a', 'c']],
    [2, ['a']],
    [3, []],
    [9, []],
  ])('keeps the playlist and the %i most recent others', (keep, expected) => {
    expect(keysToForget([...entries].reverse(), new Set(['b']), keep)).toEqual(expected);
  });
});
