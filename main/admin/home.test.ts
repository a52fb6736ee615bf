import { describe, expect, it } from 'vitest';
import { AdminHome, type AdminTally } from '../../shared/admin';
import type { Play } from '../../shared/play';
import { emptyBoard, type Fact, type ShowingFact, statusOf, withFact } from '../signals/status-board';
import { type HomeFacts, homeOf } from './home';

const NOW = Date.UTC(2026, 10, 20, 12);
const problem = { code: 'unreachable-name', message: 'No network.', advice: 'Look at the cable.' };
const tally: AdminTally = {
  ads: 10,
  eligible: 4,
  expired: 1,
  audience: 3,
  capped: 2,
  uncountable: 0,
  noMedia: 0,
};
const ad: ShowingFact = {
  kind: 'ad',
  adId: 'ad-1',
  flightId: 'flight-1',
  campaignId: null,
  sourceId: null,
  mediaUrl: 'https://cdn.example/a.mp4?key=SECRET',
  startedAt: NOW,
  durationMs: 8_000,
};
const answers: Fact = { kind: 'service-succeeded', operation: 'ads' };
const fails: Fact = { kind: 'service-failed', operation: 'ads', problem };
const shows: Fact = { kind: 'showing', showing: ad };
const held: Fact = { kind: 'held', reason: 'the overlay is open' };

function statusAfter(...facts: Fact[]) {
  const board = facts.reduce((known, fact, index) => withFact(known, fact, NOW + index), emptyBoard(NOW));
  return statusOf(
    board,
    { endcap: '0.1.0', electron: null, chromium: null, node: '24' },
    {
      now: NOW + 5_000,
      systemNow: NOW,
      trusted: true,
      lastTrustedAt: NOW,
      signals: { shopper: null, cart: null, weather: null },
      memory: { residentBytes: 1, heapUsedBytes: 1 },
    },
  );
}

function home(facts: Fact[], overrides: Partial<HomeFacts> = {}): AdminHome {
  return AdminHome.parse(
    homeOf({
      status: statusAfter(...facts, held),
      before: statusAfter(...facts),
      pictureOf: (adId) => ({ url: `media://cache/of-${adId.slice(0, 9)}`, kind: 'image' }),
      mediaProblems: [],
      tally,
      maintenanceUntil: null,
      isStoreOpen: true,
      volume: 0,
      mayAct: true,
      managed: false,
      canChangePin: true,
      autostart: { on: false, by: 'session' },
      canRestartKiosk: true,
      kiosk: { id: 'k', player: null, hostName: 'h', addresses: [], publicKey: 'p', environment: 'e' },
      ...overrides,
    }),
  );
}

describe('the one big state', () => {
  it.each<[string, Fact[], Partial<HomeFacts>, AdminHome['state']]>([
    ['starting', [answers], {}, 'starting'],
    ['playing', [answers, shows], {}, 'playing'],
    ['no network since then', [answers, shows, fails], {}, 'playing-from-store'],
    ['never heard of the service', [shows], {}, 'playing-from-store'],
    ['nothing eligible', [answers, shows], { tally: { ...tally, eligible: 0 } }, 'no-content'],
    ['no playlist', [answers, shows], { tally: null }, 'no-content'],
    ['paused', [answers, shows], { maintenanceUntil: NOW }, 'paused'],
    ['closed', [answers, shows], { isStoreOpen: false }, 'closed'],
    [
      'a problem, whatever else',
      [answers, shows, { kind: 'attention', problem }],
      { isStoreOpen: false },
      'attention',
    ],
  ])('%s', (_case, facts, overrides, state) => {
    expect(home(facts, overrides).state).toBe(state);
  });

  it('is what the status says while nothing covers the stage', () => {
    expect(home([], { status: statusAfter(answers, shows), before: null }).state).toBe('playing');
  });

  it('shows what was on the stage before the overlay covered it, without keys', () => {
    expect(home([answers, shows]).now).toMatchObject({
      adId: 'ad-1',
      startedAt: NOW,
      mediaUrl: 'https://cdn.example/a.mp4?…',
      picture: { url: 'media://cache/of-ad-1', kind: 'image' },
    });
  });
});

it('knows when the service was last heard of, and why it was not', () => {
  const page = home([answers, shows, fails]);
  expect(page.lastContactAt).toBe(NOW);
  expect(page.service.find(({ operation }) => operation === 'ads')).toEqual({
    operation: 'ads',
    lastSuccessAt: NOW,
    failing: true,
    lastError: { ...problem, at: NOW + 2 },
  });
});

it('tells of the play that the overlay interrupted, and of what comes after it', () => {
  const play: Play = {
    ...{ id: 'play-1', environment: 'store', at: NOW, durationMs: 8_000, adId: 'ad-1', requestId: 'r' },
    ...{ flightId: null, campaignId: null, source: null, sourceId: 'cms', delivery: 'offline' },
    ...{ mediaUrl: 'https://cdn.example/a.png?key=SECRET', outcome: 'interrupted', shownAt: NOW },
    ...{ viewedMs: 3_000, presentedFrames: null, droppedFrames: null, stalls: null, endReason: 'overlay' },
  };
  const { past, minutes } = home([answers, shows], {
    status: statusAfter(answers, shows, held, { kind: 'play-settled', play }),
  }).timeline;
  expect(past).toMatchObject([
    { adId: 'ad-1', outcome: 'interrupted', mediaUrl: 'https://cdn.example/a.png?…' },
  ]);
  expect(minutes.at(-1)).toEqual({ plays: 1, interrupted: 1, failed: 0, viewedMs: 3_000 });
});

describe('the likeliest actions', () => {
  it.each<[string, Fact[], Partial<HomeFacts>, string[]]>([
    ['while all is well', [answers, shows], {}, ['pause', 'refresh', 'sound']],
    ['without a network', [shows, fails], {}, ['connection-test', 'refresh', 'pause']],
    ['with nothing to play', [answers, shows], { tally: null }, ['refresh', 'connection-test', 'pause']],
    ['paused', [answers, shows], { maintenanceUntil: NOW }, ['resume', 'pause', 'refresh']],
    [
      'in trouble',
      [answers, shows, { kind: 'attention', problem }],
      {},
      ['connection-test', 'restart-player', 'pause'],
    ],
    [
      'with a full cache',
      [
        answers,
        shows,
        {
          kind: 'section',
          name: 'media',
          value: { files: 1, bytes: 96, quotaBytes: 100, freeBytes: 1, problems: [] },
        },
      ],
      {},
      ['clear-media', 'pause', 'refresh'],
    ],
    ['where nothing may be done', [answers, shows], { mayAct: false }, []],
  ])('%s', (_case, facts, overrides, suggestions) => {
    expect(home(facts, overrides).suggestions).toEqual(suggestions);
  });
});

it('keeps within its bounds, however long the texts are', () => {
  const long = 'x'.repeat(5_000);
  const page = home([
    { kind: 'attention', problem: { code: long, message: long, advice: long } },
    {
      kind: 'showing',
      showing: { ...ad, adId: long, flightId: long, mediaUrl: `https://cdn.example/${long}` },
    },
    { kind: 'service-failed', operation: 'native', problem: { code: long, message: long, advice: long } },
  ]);
  expect(page.attention[0]?.message).toHaveLength(500);
});
