import { describe, expect, it } from 'vitest';
import type { Showing } from '../../shared/play';
import { createDecider } from '../decisions/decider';
import { anAd, emptyBooks, onlyMedia } from '../decisions/testing/ads-for-tests';
import { slotsAhead } from './slots-ahead';

const FROM = Date.UTC(2026, 10, 20, 12);
const ads = ['a', 'b', 'c'].map((id) => anAd({ sourceId: 'cms' }, `https://media.test/${id}.png`, id));

function ahead(
  prepared: Pick<Showing, 'adId' | 'delivery' | 'durationMs'> | null,
  count: number,
  from = ads,
) {
  const decider = createDecider({
    ...emptyBooks,
    ads: from,
  });
  for (const url of from.flatMap((ad) => onlyMedia(ad) ?? [])) decider.mediaReady(url);
  const parts = { decider, playable: onlyMedia, usualMs: 7_000 };
  return slotsAhead(parts, FROM, prepared as Showing | null, count).map(({ at, adId }) => [adId, at - FROM]);
}

describe('the slots ahead', () => {
  it('are the stored playlist in its order, one after the other', () => {
    expect(ahead(null, 4)).toEqual([
      ['a', 0],
      ['b', 10_000],
      ['c', 20_000],
      ['a', 30_000],
    ]);
  });

  it('start with the prepared ad, which is not listed again if it is the first of the forecast', () => {
    expect(ahead({ adId: 'a', delivery: 'offline', durationMs: 10_000 }, 2)).toEqual([
      ['a', 0],
      ['b', 10_000],
    ]);
    expect(ahead({ adId: 'native', delivery: 'native', durationMs: null }, 2)).toEqual([
      ['native', 0],
      ['a', 7_000],
    ]);
  });

  it('have the duration of the settings if an ad states none', () => {
    const endless = ads.map((ad) => ({ ...ad, durationMs: null }));
    expect(ahead(null, 2, endless)).toEqual([
      ['a', 0],
      ['b', 7_000],
    ]);
  });

  it('are empty if no ad may play', () => {
    expect(ahead(null, 5, [])).toEqual([]);
  });
});
