import { expect, test } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import { anAd } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { playlistAnswers } from './playlist-answers';

const { clock } = handTurnedTime();
const validators = { etag: '"1"', lastModified: 'Mon, 05 Jan 2026 12:00:00 GMT' };
const answer = { kind: 'document' as const, text: '', validators, serverTime: null, leftMs: 1_000 };

/** Takes an answer with these ads, and what it offers to the playlist, which gives this verdict. */
function world(ads: readonly Ad[], verdict: 'accepted' | 'nothing-playable', hasWrappers = false) {
  const offered: StoredPlaylist[] = [];
  let noFills = 0;
  const take = playlistAnswers({
    read: async () => ({ kind: 'ads', ads, rejected: [], deadEnds: [], errorUrls: [], hasWrappers }),
    playlist: {
      restore: () => {},
      async offer(playlist) {
        offered.push(playlist);
        return verdict;
      },
      unchanged: async () => {},
      validators: () => null,
      latest: () => null,
      current: () => null,
    },
    clock,
    log: silentLog,
    host: 'ads.example',
    trust: async () => {},
    onRead: () => {},
    onNoFill: () => {
      noFills += 1;
    },
  });
  return { offered, take: () => take(answer), noFills: () => noFills };
}

test.each([
  ['the service alone', false, '"1"', 'Mon, 05 Jan 2026 12:00:00 GMT'],
  ['other servers too, behind wrappers,', true, null, null],
])(
  'the next request names the version of an answer of %s: %j',
  async (_of, hasWrappers, etag, lastModified) => {
    const { offered, take } = world([anAd()], 'accepted', hasWrappers);
    expect(await take()).toEqual({ kind: 'accepted' });
    expect(offered).toMatchObject([{ etag, lastModified }]);
  },
);

test('an answer of which nothing can be played is refused, and the error counts the expired ads', async () => {
  const ads = [anAd({ expiresAt: clock.now() - 1 }), anAd({ expiresAt: clock.now() })];
  expect(await world(ads, 'nothing-playable').take()).toMatchObject({
    error: {
      message:
        'The ads service at ads.example sent an answer that cannot be read (none of its 2 ads can be played here; expired: 1, rejected: 0).',
    },
  });
});

test('an answer without ads is no fill, and the playlist stays', async () => {
  const { offered, take, noFills } = world([], 'accepted');
  expect(await take()).toEqual({ kind: 'no-fill' });
  expect([offered.length, noFills()]).toEqual([0, 1]);
});
