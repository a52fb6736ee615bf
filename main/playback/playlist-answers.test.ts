import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import { anAd } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { playlistAnswers } from './playlist-answers';

test.each([
  ['the service alone', false, '"1"', 'Mon, 05 Jan 2026 12:00:00 GMT'],
  ['other servers too, behind wrappers,', true, null, null],
])(
  'the next request names the version of an answer of %s: %j',
  async (_of, hasWrappers, etag, lastModified) => {
    const offered: StoredPlaylist[] = [];
    const { clock } = handTurnedTime();
    const take = playlistAnswers({
      read: async () => ({
        kind: 'ads' as const,
        ads: [anAd()],
        rejected: [],
        deadEnds: [],
        errorUrls: [],
        hasWrappers,
      }),
      playlist: {
        restore: () => {},
        async offer(playlist) {
          offered.push(playlist);
          return 'accepted';
        },
        unchanged: async () => {},
        validators: () => null,
        current: () => null,
      },
      clock,
      log: silentLog,
      host: 'ads.example',
      trust: async () => {},
      onRead: () => {},
      onNoFill: () => {},
    });
    const validators = { etag: '"1"', lastModified: 'Mon, 05 Jan 2026 12:00:00 GMT' };
    const answer = { kind: 'document' as const, text: '', validators, serverTime: null, leftMs: 1_000 };
    expect(await take(answer)).toEqual({ kind: 'accepted' });
    expect(offered).toMatchObject([{ etag, lastModified }]);
  },
);

test('an answer of which nothing can be played is refused, and the error counts the expired ads', async () => {
  const { clock } = handTurnedTime();
  const ads = [anAd({ expiresAt: clock.now() - 1 }), anAd({ expiresAt: clock.now() })];
  const take = playlistAnswers({
    read: async () => ({ kind: 'ads', ads, rejected: [], deadEnds: [], errorUrls: [], hasWrappers: false }),
    playlist: {
      restore: () => {},
      offer: async () => 'nothing-playable',
      unchanged: async () => {},
      validators: () => null,
      current: () => null,
    },
    clock,
    log: silentLog,
    host: 'ads.example',
    trust: async () => {},
    onRead: () => {},
    onNoFill: () => {},
  });
  const validators = { etag: null, lastModified: null };
  expect(
    await take({ kind: 'document', text: '', validators, serverTime: null, leftMs: 1_000 }),
  ).toMatchObject({
    error: {
      message:
        'The ads service at ads.example sent an answer that cannot be read (none of its 2 ads can be played here: 1 have expired, 0 were rejected).',
    },
  });
});
