import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { anAd } from '../decisions/testing/ads-for-tests';
import { failure } from '../service/service-error';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { Fact } from '../status/facts';
import { sentenceOf } from '../status/status-board';
import { shows, toldAfter } from '../status/testing/example-status';
import { createPlaylistSupply } from './playlist-supply';

type Parts = Parameters<typeof createPlaylistSupply>[0];

/** A supply with these parts, which refreshes every minute. */
function supplyWith(parts: Pick<Parts, 'ads' | 'inventory' | 'playlist'> & Partial<Parts>) {
  const ignored = () => {};
  const time = handTurnedTime();
  const supply = createPlaylistSupply({
    ...time,
    media: { revalidate: ignored },
    read: () => new Promise(ignored),
    host: 'ads.example',
    refreshSeconds: 60,
    random: () => 0.5,
    log: silentLog,
    trust: async () => {},
    tellService: ignored,
    tell: ignored,
    ...parts,
  });
  return { supply, time };
}

const playlistOf = (stored: ReturnType<Parts['playlist']['current']>): Parts['playlist'] => ({
  wantMedia: async () => {},
  restore: () => {},
  offer: async () => 'accepted',
  unchanged: async () => {},
  latest: () => null,
  validators: () => null,
  current: () => stored,
});

it.each([
  ['a playlist', { ads: [anAd()], receivedAt: 5_000, etag: null, lastModified: null }, 'eligible'],
  ['no playlist', null, 'no playlist has arrived yet'],
])('before the first answer the status of a kiosk that has stored %s says so', (_what, stored, words) => {
  const facts: Fact[] = [shows(null)];
  supplyWith({
    ads: { requestPlaylist: () => new Promise(() => {}) } as never,
    playlist: playlistOf(stored),
    inventory: null,
    tell: (fact) => void facts.push(fact),
  });
  expect(sentenceOf(toldAfter(facts))).toContain(words);
});

it('reports the rejected ads of an answer, and no fill', async () => {
  const facts: Fact[] = [];
  const rejected = [
    { id: 'bad', number: 1, code: 'malformed-ad', detail: '', errorUrls: [], errorCode: 101 },
  ] as const;
  const answers = [
    { kind: 'document', text: '', validators: null, serverTime: null, leftMs: 1 },
    { kind: 'no-fill', serverTime: null },
  ];
  const { supply } = supplyWith({
    ads: { requestPlaylist: async () => answers.shift() } as never,
    playlist: playlistOf(null),
    inventory: null,
    read: async () => ({
      kind: 'ads',
      ads: [anAd()],
      rejected,
      deadEnds: [],
      errorUrls: [],
      hasWrappers: false,
      isCutOff: false,
    }),
    tell: (fact) => void facts.push(fact),
  });
  await supply.refreshNow();
  await supply.refreshNow();
  expect(facts).toEqual([{ kind: 'playlist', rejected }, { kind: 'no-fill' }]);
});

it('asks again after seconds, with the same validators, where the wrappers of an answer were cut off', async () => {
  const validators = { etag: '"stored"', lastModified: null };
  const asked: unknown[] = [];
  const { supply, time } = supplyWith({
    ads: {
      async requestPlaylist(named: unknown) {
        asked.push(named);
        return { kind: 'document', text: '', validators: null, serverTime: null, leftMs: 1 };
      },
    } as never,
    playlist: { ...playlistOf(null), validators: () => validators },
    inventory: null,
    read: async () => ({
      kind: 'ads',
      ads: [anAd()],
      rejected: [],
      deadEnds: [],
      errorUrls: [],
      hasWrappers: true,
      isCutOff: true,
    }),
  });
  expect(await supply.refreshNow()).toMatchObject({ code: 'truncated' });
  await time.advance(10_000);
  expect(asked).toEqual([validators, validators]);
});

it('looks at the files again after each accepted answer, and after no other', async () => {
  const document = { kind: 'document', text: '', validators: null, serverTime: null, leftMs: 1 } as const;
  const answers = [
    { kind: 'not-modified', serverTime: null },
    document,
    { kind: 'no-fill', serverTime: null },
    { kind: 'not-modified', serverTime: null },
  ];
  const looks: number[] = [];
  let looked = 0;
  const { supply } = supplyWith({
    ads: { requestPlaylist: async () => answers.shift() } as never,
    playlist: playlistOf(null),
    inventory: null,
    media: {
      revalidate() {
        looked += 1;
      },
    },
    read: async () => ({ kind: 'unreadable', code: 'empty', message: 'empty' }),
  });
  while (answers.length > 0) {
    await supply.refreshNow();
    looks.push(looked);
  }
  expect(looks).toEqual([1, 1, 1, 2]);
});

it('asks the inventory service until it answers, once at a time, and never before its Retry-After is over', async () => {
  const busy = failure('inventory', 'rate-limited', { host: 'ads.example', retryAfterMs: 300_000 });
  const serverTime = { now: 5 };
  const good = { kind: 'response', serverTime } as never;
  const told: string[] = [];
  const trusted: unknown[] = [];
  const answers = [busy, good];
  const askedAt: number[] = [];
  const warnings: string[] = [];
  const { supply, time } = supplyWith({
    ads: { requestPlaylist: async () => ({ kind: 'not-modified', serverTime: null }) } as never,
    playlist: playlistOf(null),
    log: { ...silentLog, warn: (message) => void warnings.push(message) },
    tellService: (service, answer) => void told.push(`${service} ${answer.kind}`),
    trust: async (time) => void trusted.push(time),
    async inventory() {
      askedAt.push(Math.round((time.clock.monotonic() - 1_000) / 60_000));
      return answers.shift() ?? good;
    },
  });
  supply.start();
  void supply.askInventory();
  await time.advance(1_200_000);
  expect(askedAt).toEqual([0, 5]);
  expect(told.filter((line) => line.startsWith('inventory'))).toEqual([
    'inventory error',
    'inventory response',
  ]);
  expect(trusted).toContain(serverTime);
  // It was busy, which is no judgement of the account.
  expect(warnings).toEqual(['the inventory service did not confirm the account']);
});
