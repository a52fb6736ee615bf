import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { anAd } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { Fact } from '../status/facts';
import { toldAfter } from '../status/testing/example-status';
import { createPlaylistSupply } from './playlist-supply';

it.each([
  ['the stored one', { ads: [anAd(), anAd()], receivedAt: 5_000, etag: null, lastModified: null }, 2],
  ['none', null, null],
])('before the first answer the playlist of the status is %s', async (_what, stored, ads) => {
  const facts: Fact[] = [];
  const ignored = () => {};
  createPlaylistSupply({
    ...handTurnedTime(),
    ads: { requestPlaylist: () => new Promise(ignored) } as never,
    playlist: {
      restore: ignored,
      offer: async () => 'accepted',
      unchanged: async () => {},
      validators: () => null,
      current: () => stored,
    },
    files: { key: () => 'a', lookAt: async () => {} },
    media: { revalidate: ignored },
    read: () => new Promise(ignored),
    ...{ host: 'ads.example', inventory: null, refreshSeconds: 60, random: () => 0, log: silentLog },
    ...{
      trust: async () => {},
      tellService: ignored,
      pause: async () => {},
      tell: (fact) => void facts.push(fact),
    },
  });
  await new Promise(setImmediate);
  expect(toldAfter(facts).playlist?.ads ?? null).toBe(ads);
});
