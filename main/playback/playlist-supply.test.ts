import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { anAd } from '../decisions/testing/ads-for-tests';
import { failure } from '../service/service-error';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { Fact } from '../status/facts';
import { toldAfter } from '../status/testing/example-status';
import { createPlaylistSupply } from './playlist-supply';

type Parts = Parameters<typeof createPlaylistSupply>[0];

/** A supply with these parts, which refreshes every minute. */
function supplyWith(parts: Pick<Parts, 'ads' | 'inventory' | 'playlist'> & Partial<Parts>) {
  const ignored = () => {};
  const time = handTurnedTime();
  const supply = createPlaylistSupply({
    ...time,
    files: { key: () => 'a', lookAt: async () => {} },
    media: { revalidate: ignored },
    read: () => new Promise(ignored),
    host: 'ads.example',
    refreshSeconds: 60,
    random: () => 0.5,
    log: silentLog,
    trust: async () => {},
    tellService: ignored,
    pause: async () => {},
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
  ['the stored one', { ads: [anAd(), anAd()], receivedAt: 5_000, etag: null, lastModified: null }, 2],
  ['none', null, null],
])('before the first answer the playlist of the status is %s', async (_what, stored, ads) => {
  const facts: Fact[] = [];
  supplyWith({
    ads: { requestPlaylist: () => new Promise(() => {}) } as never,
    playlist: playlistOf(stored),
    inventory: null,
    tell: (fact) => void facts.push(fact),
  });
  await new Promise(setImmediate);
  expect(toldAfter(facts).playlist?.ads ?? null).toBe(ads);
});

it('reports the ads of an answer and how many of them can be shown here, and no fill', async () => {
  const facts: Fact[] = [];
  const shown = anAd();
  const answers = [
    { kind: 'document', text: '', validators: null, serverTime: null, leftMs: 1 },
    { kind: 'no-fill', serverTime: null },
  ];
  const { supply } = supplyWith({
    ads: { requestPlaylist: async () => answers.shift() } as never,
    playlist: playlistOf(null),
    inventory: null,
    files: { key: (ad) => (ad === shown ? 'a' : null), lookAt: async () => {} },
    read: async () => ({
      kind: 'ads',
      ads: [shown, anAd()],
      rejected: [],
      deadEnds: [],
      errorUrls: [],
      hasWrappers: false,
    }),
    tell: (fact) => void facts.push(fact),
  });
  await supply.refreshNow();
  await supply.refreshNow();
  expect(facts).toMatchObject([
    { kind: 'playlist', playlist: { ads: 2, playable: 1, rejected: [] } },
    { kind: 'no-fill' },
  ]);
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
