import { expect, test } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import { anAd } from '../decisions/testing/ads-for-tests';
import type { RejectedAd } from '../service/ads-reading/read-ads';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { type PlaylistAnswersParts, playlistAnswers } from './playlist-answers';

const time = handTurnedTime();
const { clock } = time;
const validators = { etag: '"1"', lastModified: 'Mon, 05 Jan 2026 12:00:00 GMT' };
const answer = { kind: 'document' as const, text: '', validators, serverTime: null, leftMs: 1_000 };

/** Takes an answer with these ads, and what it offers to the playlist, which gives this verdict. */
function world(
  ads: readonly Ad[],
  verdict: 'accepted' | 'nothing-playable',
  hasWrappers = false,
  parts: Partial<PlaylistAnswersParts> = {},
) {
  const offered: StoredPlaylist[] = [];
  const confirmed: number[] = [];
  let noFills = 0;
  const take = playlistAnswers({
    read: async () => ({
      kind: 'ads',
      ads,
      rejected: [],
      deadEnds: [],
      errorUrls: [],
      hasWrappers,
      isCutOff: false,
    }),
    playlist: {
      wantMedia: async () => {},
      restore: () => {},
      async offer(playlist) {
        offered.push(playlist);
        return verdict;
      },
      async unchanged(receivedAt) {
        confirmed.push(receivedAt);
      },
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
    ...parts,
  });
  return {
    offered,
    confirmed,
    take: () => take(answer),
    noContent: () => take({ kind: 'no-fill', serverTime: null }),
    notModified: () => take({ kind: 'not-modified', serverTime: null }),
    noFills: () => noFills,
  };
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
  const { offered, take, noContent, noFills } = world([], 'accepted');
  expect(await take()).toEqual({ kind: 'no-fill' });
  expect([offered.length, noFills()]).toEqual([0, 1]);
  expect(await noContent()).toEqual({ kind: 'no-fill' });
  expect([offered.length, noFills()]).toEqual([0, 2]);
});

test('an answer of which every ad is rejected is refused: it is not as if there were none', async () => {
  const rejected: RejectedAd = {
    id: 'bad',
    number: 1,
    code: 'metadata-missing',
    detail: 'no metadata extension',
    errorUrls: [],
    errorCode: 101,
  };
  const { take, noFills } = world([], 'nothing-playable', false, {
    read: async () => ({
      kind: 'ads',
      ads: [],
      rejected: [rejected],
      deadEnds: [],
      errorUrls: [],
      hasWrappers: false,
      isCutOff: false,
    }),
  });
  expect(await take()).toMatchObject({
    error: {
      message: expect.stringContaining(
        'none of its 1 ads can be played here; expired: 0, rejected: 1, the first: metadata-missing, no metadata extension',
      ),
    },
  });
  expect(noFills()).toBe(0);
});

test('an answer that sets the clock was received at the time that the clock then has (rule 10)', async () => {
  const { offered, confirmed, take, notModified } = world([anAd()], 'accepted', false, {
    trust: () => time.advance(3_600_000),
  });
  const before = clock.now();
  await take();
  expect(offered).toMatchObject([{ receivedAt: before + 3_600_000 }]);
  await notModified();
  expect(confirmed).toEqual([before + 7_200_000]);
});

test('the line that was cut between an answer and its wrappers: the playlist stays, for three answers in a row', async () => {
  let isCutOff = true;
  let reads = 0;
  const { offered, take } = world([anAd()], 'accepted', true, {
    read: async () => ({
      kind: 'ads',
      ads: [anAd()],
      rejected: [],
      deadEnds: [],
      errorUrls: [],
      hasWrappers: true,
      isCutOff,
    }),
    onRead: () => {
      reads += 1;
    },
  });
  const verdicts = async (count: number) => {
    const kinds: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      const verdict = await take();
      kinds.push(verdict.kind === 'error' ? verdict.error.code : verdict.kind);
    }
    return kinds;
  };
  expect(await verdicts(2)).toEqual(['truncated', 'truncated']);
  isCutOff = false;
  expect(await verdicts(1)).toEqual(['accepted']);
  isCutOff = true;
  expect(await verdicts(3)).toEqual(['truncated', 'truncated', 'truncated']);
  expect([offered.length, reads]).toEqual([1, 1]);
  // A host that is dead for good does not keep the playlist for ever.
  expect(await verdicts(2)).toEqual(['accepted', 'accepted']);
  expect([offered.length, reads]).toEqual([3, 3]);
});

test.each([
  ['too-large', 'too-large'],
  ['too-many-ads', 'too-large'],
  ['too-much-targeting', 'too-large'],
  ['malformed-xml', 'malformed'],
] as const)('an answer that is %s is an error with the advice for one that is %s', async (code, expected) => {
  const { take } = world([], 'accepted', false, {
    read: async () => ({ kind: 'unreadable', code, message: 'why' }),
  });
  expect(await take()).toMatchObject({ error: { code: expected } });
});
