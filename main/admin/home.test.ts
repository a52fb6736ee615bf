import { describe, expect, it } from 'vitest';
import { examplePlay } from '../../renderer/records/testing/example-play';
import { AdminHome } from '../../shared/admin';
import type { Fact } from '../status/facts';
import type { StatusRead } from '../status/status-board';
import { exampleStatus, shows as showing } from '../status/testing/example-status';
import { type HomeFacts, homeOf } from './home';

const NOW = Date.UTC(2026, 10, 20, 12);
const problem = { code: 'unreachable-name', message: 'No network.', advice: 'Look at the cable.' };
const tally = {
  ads: 10,
  playable: 10,
  eligible: 4,
  expired: 1,
  audience: 3,
  capped: 2,
  uncountable: 0,
  noMedia: 0,
  blocked: 0,
};
const answers: Fact = { kind: 'service-succeeded', operation: 'ads' };
const fails: Fact = { kind: 'service-failed', operation: 'ads', problem };
const stands: Fact = { kind: 'attention', code: problem.code, problem };
const ad = { adId: 'ad-1', flightId: 'flight-1', mediaUrl: 'https://cdn.example/a.mp4?…', at: NOW };
const shows = showing('offline', ad);
const held: Fact = { kind: 'held', reason: 'overlay' };

const announced: Fact = { kind: 'held', reason: 'announcement' };
const NOTHING = { tally: { ...tally, eligible: 0 } };
const fleet: Fact = {
  kind: 'section',
  name: 'fleet',
  value: {
    connected: true,
    broker: 'mqtts://broker.example',
    since: NOW,
    lastError: null,
    mqtt: '5',
    blocks: {},
    announcement: { text: 'Closing soon', severity: 'info', until: NOW + 1 },
  },
};

const statusAfter = (facts: Fact[], read: Partial<StatusRead> = {}) =>
  exampleStatus(NOW, facts, { playlistAt: NOW, tally, ...read });

function home(facts: Fact[], overrides: Partial<HomeFacts> = {}, read: Partial<StatusRead> = {}): AdminHome {
  return AdminHome.parse(
    homeOf({
      // The brand card is behind the overlay.
      status: statusAfter([...facts, held, showing(null)], read),
      before: statusAfter(facts, read),
      playlist: null,
      pictureOf: (adId) => ({ url: `media://cache/of-${adId.slice(0, 9)}`, kind: 'image' }),
      mediaProblems: [],
      maintenanceUntil: null,
      isStoreOpen: true,
      timeZone: null,
      volume: 0,
      mayAct: true,
      managed: false,
      canChangePin: true,
      autostart: { on: false, by: 'session' },
      isAutostartSet: false,
      canRestartKiosk: true,
      canSwitchDisplay: true,
      kiosk: { id: 'k', player: null, hostName: 'h', addresses: [], publicKey: 'p', environment: 'e' },
      ...overrides,
    }),
  );
}

describe('the main state', () => {
  it.each<[string, Fact[], Partial<HomeFacts>, Partial<StatusRead>, AdminHome['state']]>([
    ['starting', [answers], {}, {}, 'starting'],
    ['playing', [answers, shows], {}, {}, 'playing'],
    ['no network since then', [answers, shows, fails], {}, {}, 'playing-from-store'],
    ['never heard of the service', [shows], {}, {}, 'playing-from-store'],
    ['nothing eligible', [answers, shows], {}, NOTHING, 'no-content'],
    ['no playlist', [answers, shows], {}, { playlistAt: null }, 'no-content'],
    ['native ads without a playlist', [answers, showing('native')], {}, { playlistAt: null }, 'playing'],
    ['online ads while nothing stored may play', [answers, showing('online')], {}, NOTHING, 'playing'],
    ['house creatives', [answers, showing('house')], {}, NOTHING, 'no-content'],
    ['under an announcement', [answers, shows, announced, fleet], {}, {}, 'held'],
    ['paused', [answers, shows], { maintenanceUntil: NOW }, {}, 'paused'],
    ['closed', [answers, shows], { isStoreOpen: false }, {}, 'closed'],
    ['a problem, whatever else', [answers, shows, stands], { isStoreOpen: false }, {}, 'attention'],
  ])('%s', (_case, facts, overrides, read, state) => {
    expect(home(facts, overrides, read).state).toBe(state);
  });

  it.each<[AdminHome['apartFromProblems'], Fact[], Partial<HomeFacts>, Partial<StatusRead>]>([
    ['playing', [answers, shows], {}, {}],
    ['playing-from-store', [shows, fails], {}, {}],
    ['starting', [answers], {}, {}],
    ['no-content', [answers, showing('house')], {}, NOTHING],
    ['held', [answers, shows, announced, fleet], {}, {}],
    ['paused', [answers, shows], { maintenanceUntil: NOW }, {}],
    ['closed', [answers, shows], { isStoreOpen: false }, {}],
  ])('is also told apart from problems: %s', (state, facts, overrides, read) => {
    expect(home(facts, overrides, read)).toMatchObject({ state, apartFromProblems: state });
    expect(home([...facts, stands], overrides, read)).toMatchObject({
      state: 'attention',
      apartFromProblems: state,
    });
  });

  it('is the state of the status while nothing covers the stage', () => {
    expect(home([], { status: statusAfter([answers, shows]), before: null }).state).toBe('playing');
  });

  it('shows what was on the stage before the overlay covered it', () => {
    expect(home([answers, shows]).now).toMatchObject({
      adId: 'ad-1',
      at: NOW,
      mediaUrl: 'https://cdn.example/a.mp4?…',
      picture: { url: 'media://cache/of-ad-1', kind: 'image' },
    });
  });
});

it.each<[string, Fact[], Partial<HomeFacts>, number]>([
  ['it plays, whenever the overlay opened', [answers, shows], {}, NOW + 1],
  ['the overlay opened, if staff paused it then', [answers, shows], { maintenanceUntil: NOW }, NOW + 2],
  ['an announcement came', [answers, shows, announced, fleet], {}, NOW + 2],
  ['the overlay opened, if an announcement came then', [answers, shows, fleet], {}, NOW + 3],
])('says since when the kiosk is in its state: since %s', (_case, facts, overrides, since) => {
  expect(home(facts, overrides).since).toBe(since);
});

it.each(['media', 'beacons'] as const)(
  'does not count an answer for %s as one of the service',
  (operation) => {
    expect(home([shows, { kind: 'service-succeeded', operation }]).lastContactAt).toBeNull();
  },
);

it.each(['media', 'beacons'] as const)(
  'does not judge the service by an error of %s, which one of many servers may have caused',
  (operation) => {
    const media = { files: 1, bytes: 1, quotaBytes: 100, freeBytes: 1, problems: ['A file is gone.'] };
    const page = home([answers, shows, { kind: 'service-failed', operation, problem }], {}, { media });
    expect(page.service.filter(({ failing }) => failing)).toEqual([]);
    expect(page.suggestions).toEqual(['pause', 'refresh', 'sound']);
  },
);

it('shows when the service last answered, and its last error', () => {
  const page = home([answers, shows, fails]);
  expect(page.lastContactAt).toBe(NOW);
  expect(page.service.find(({ operation }) => operation === 'ads')).toEqual({
    operation: 'ads',
    lastSuccessAt: NOW,
    failing: true,
    lastError: { ...problem, at: NOW + 2 },
  });
});

it('counts the ads of an answer that waits for its files, of which none may play yet', () => {
  const waiting = { ads: [{}, {}], receivedAt: NOW - 5 } as unknown as HomeFacts['playlist'];
  const nothing = { playlistAt: null, tally: { ...tally, ads: 0, eligible: 0 } };
  const page = home([answers, showing(null)], { playlist: waiting }, nothing);
  expect(page.playlist).toEqual({ receivedAt: NOW - 5, rejected: 0, ads: 2, eligible: 0 });
  expect(home([answers, showing(null)], {}, nothing).playlist).toBeNull();
});

it('names the time zone of the store', () => {
  expect(home([answers], { timeZone: 'Asia/Kathmandu' }).clock.timeZone).toBe('Asia/Kathmandu');
});

it('counts the play that the overlay interrupted', () => {
  const seen = { outcome: 'interrupted', viewedMs: 3_000, endReason: 'overlay' } as const;
  const play = examplePlay({ at: NOW, ...seen });
  const { minutes } = home([answers, shows], {
    status: statusAfter([answers, shows, held, { kind: 'settled', play, drawn: [] }]),
  }).timeline;
  expect(minutes.at(-1)).toEqual({ plays: 1, interrupted: 1, failed: 0, viewedMs: 3_000 });
});

describe('the suggested actions', () => {
  it.each<[string, Fact[], Partial<HomeFacts>, Partial<StatusRead>, string[]]>([
    ['while all is well', [answers, shows], {}, {}, ['pause', 'refresh', 'sound']],
    [
      'where native ads alone fail',
      [answers, shows, { kind: 'service-failed', operation: 'native', problem }],
      {},
      {},
      ['connection-test', 'refresh', 'pause'],
    ],
    ['before the service has answered', [shows], {}, {}, ['connection-test', 'refresh', 'pause']],
    ['while it starts', [answers], {}, {}, ['refresh', 'connection-test', 'pause']],
    ['without a network', [shows, fails], {}, {}, ['connection-test', 'refresh', 'pause']],
    [
      'with nothing to play',
      [answers, shows],
      {},
      { playlistAt: null },
      ['refresh', 'connection-test', 'pause'],
    ],
    ['paused', [answers, shows], { maintenanceUntil: NOW }, {}, ['resume', 'pause', 'refresh']],
    ['with a problem', [answers, shows, stands], {}, {}, ['connection-test', 'restart-player', 'pause']],
    [
      'with a settings file that the next start could not use',
      [
        answers,
        shows,
        { kind: 'attention', code: 'settings-unusable', problem: { message: 'Line 1.', advice: null } },
      ],
      {},
      {},
      ['connection-test', 'pause', 'refresh'],
    ],
    [
      'while the books cannot be written, as on a full disk, with which no start opens them',
      [answers, shows, { kind: 'books-failing', error: 'ENOSPC' }],
      {},
      {},
      ['connection-test', 'pause', 'refresh'],
    ],
    [
      'in a safe start, which has no network',
      [shows, { kind: 'attention', code: 'safe-start', problem }, fails],
      {},
      {},
      ['pause', 'sound', 'export'],
    ],
    [
      'with a full cache, which makes room by itself',
      [answers, shows],
      {},
      { media: { files: 1, bytes: 96, quotaBytes: 100, freeBytes: 1, problems: [] } },
      ['pause', 'refresh', 'sound'],
    ],
    ['where nothing may be done', [answers, shows], { mayAct: false }, {}, []],
  ])('%s', (_case, facts, overrides, read, suggestions) => {
    expect(home(facts, overrides, read).suggestions).toEqual(suggestions);
  });
});

describe('what the status says', () => {
  const lastError = { ...problem, at: NOW };
  const display = { how: 'ddc', on: true, until: null, by: null } as const;
  const proof = { waiting: 3, oldestAt: NOW, lastSentAt: NOW, setAside: 1 };
  const link = { broker: 'mqtts://broker.example', since: NOW };
  const remote = { since: NOW, by: 'abc', settings: ['ads.delivery'], onTrial: false };
  const settings = { file: '/etc/endcap/config.json', problems: ['Line 1.'], remote };
  const rejected = { id: null, code: 'malformed-ad', detail: '' };

  it.each([
    ['fails', true],
    ['works', false],
  ])(
    'of display, proof, link, books, playlist and settings is on the page, where each %s',
    (_case, fails) => {
      const section = { kind: 'section' } as const;
      const facts: Fact[] = [
        ...[answers, shows],
        { ...section, name: 'proof', value: { ...proof, lastError: fails ? lastError : null } },
        {
          ...section,
          name: 'fleet',
          value: { ...link, connected: !fails, lastError, mqtt: null, blocks: {}, announcement: null },
        },
        { ...section, name: 'settings', value: { ...settings, delivery: 'offline' } },
        { kind: 'playlist', rejected: [rejected] },
      ];
      const books = {
        environment: 'e',
        plays: 9,
        unsettledAtStart: 0,
        lost: { plays: 2 },
        restoredFrom: null,
      };
      const page = home(
        facts,
        { playlist: { ads: [], receivedAt: NOW, etag: null, lastModified: null } },
        {
          display: { ...display, problem: fails ? 'No answer.' : null },
          books: { ...books, lastPlayAt: null },
        },
      );
      const { oldestAt: _, ...shown } = proof;
      expect(page).toMatchObject({
        display: { ...display, failing: fails },
        proof: { ...shown, failing: fails },
        link: { ...link, connected: !fails, error: fails ? problem : null },
        storage: { plays: 9, lostPlays: 2 },
        playlist: { receivedAt: NOW, rejected: 1, eligible: tally.eligible },
        settings: { ...settings, managed: false },
      });
    },
  );

  it('last of any operation of the service is its last contact', () => {
    const earlier: Fact = { kind: 'service-succeeded', operation: 'token' };
    expect(home([earlier, answers, shows]).lastContactAt).toBe(NOW + 1);
  });
});

it.each<[string, Fact[], Partial<HomeFacts>, string | null]>([
  ['while ads play', [], {}, null],
  ['during a pause', [], { maintenanceUntil: NOW }, 'nothing-to-do'],
  ['while the store is closed', [], { isStoreOpen: false }, 'nothing-to-do'],
  ['under an announcement', [announced, fleet], {}, 'nothing-to-do'],
])('offers the next ad only where ads play: %s', (_case, facts, overrides, why) => {
  const { actions } = home([answers, shows, ...facts], overrides);
  expect(actions.skip).toBe(why);
});

it.each<[keyof AdminHome['actions'], Partial<HomeFacts>, string | null]>([
  ['resume', {}, 'nothing-to-do'],
  ['resume', { maintenanceUntil: NOW }, null],
  ['display', {}, null],
  ['display', { canSwitchDisplay: false }, 'not-here'],
  ['restart-kiosk', {}, null],
  ['restart-kiosk', { canRestartKiosk: false }, 'not-here'],
  ['change-pin', {}, null],
  ['change-pin', { canChangePin: false }, 'not-here'],
  ['change-pin', { managed: true }, 'managed'],
  ['set-up', {}, null],
  ['set-up', { managed: true }, 'managed'],
])('offers %s only where it can be done: with %j its reason is %s', (action, overrides, why) => {
  expect(home([answers, shows], overrides).actions[action]).toBe(why);
});

it.each<[string, Partial<HomeFacts>, boolean]>([
  ['its setting is left open', {}, true],
  ['the setting decides', { isAutostartSet: true }, false],
  ['a service starts the kiosk', { autostart: { on: true, by: 'service' } }, false],
])('the start with the machine, where %s', (_case, overrides, available) => {
  const why = available ? null : 'managed';
  expect(home([answers, shows], overrides).actions.autostart).toBe(why);
});

it('keeps within its bounds, however long the texts are', () => {
  const long = 'x'.repeat(5_000);
  const page = home([
    { kind: 'attention', code: long, problem: { message: long, advice: long } },
    showing('offline', { ...ad, adId: long, flightId: long, mediaUrl: `https://cdn.example/${long}` }),
    { kind: 'service-failed', operation: 'native', problem: { code: long, message: long, advice: long } },
  ]);
  expect(page.attention[0]?.message).toHaveLength(500);
});
