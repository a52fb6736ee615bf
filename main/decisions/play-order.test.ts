import { describe, expect, it } from 'vitest';
import { keysToForget, PlayOrder } from './play-order';
import { layOut, NEVER_PLAYED, recencyKey } from './playlist-columns';
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

describe('a turn that is returned', () => {
  const MEDIA = 'https://m.test/a';
  const ad = anAd({}, MEDIA, 'ad');
  const columns = layOut([ad], () => MEDIA);
  const order = new PlayOrder([]);
  order.setPlaylist(columns);
  const state = () => [columns.turn[0], columns.lastPlayed[0]];

  it('leaves the ad as if it had not been taken, but not a later turn', () => {
    const first = order.takeTurn(ad, MEDIA, 0, 1);
    order.returnTurn(first);
    expect(state()).toEqual([NEVER_PLAYED, NEVER_PLAYED]);
    const second = order.takeTurn(ad, MEDIA, 0, 2);
    const third = order.takeTurn(ad, MEDIA, 0, 3);
    order.returnTurn(second);
    expect(state()).toEqual([third.entry.sequence, third.entry.sequence]);
    order.returnTurn(third);
    expect(state()).toEqual([second.entry.sequence, second.entry.sequence]);
  });
});
