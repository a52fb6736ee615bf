import { describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { AdsPage, type AdsQuery, AudienceOutline } from '../../shared/admin';
import type { StoredPlaylist } from '../../shared/records';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { explainAd } from '../decisions/explain';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { anAd } from '../decisions/testing/ads-for-tests';
import { explainAdFromPlays } from '../decisions/testing/explain-from-plays';
import { readSettings } from '../settings/testing/read-settings';
import { type AdsPageParts, createAdsPages, outlineOf } from './ads-page';
import { describeRunningKiosk } from './running-kiosk';
import { WORKING_SETTINGS } from './testing/admin-world';

const NOW = Date.UTC(2026, 10, 20, 12);

const ad = (id: string, metadata: Partial<Ad['metadata']> = {}): Ad => ({
  ...anAd({ flightId: 'flight', sourceId: 'cms', ...metadata }, '', id),
  mediaFiles: [],
});

it('a stored ad is judged by what decides about it: its plays and the operator’s blocks', () => {
  const read = readSettings(WORKING_SETTINGS, 'test');
  if (read.kind === 'error') throw new Error(read.message);
  const kiosk = describeRunningKiosk({
    settings: read.settings,
    signals: { current: () => EMPTY_CONTEXT },
    decider: {
      running: () => ({ at: NOW, ran: 0, isTrusted: true }),
      countersOf: () => countPlay(noPlays('flight'), NOW),
    },
    blockOf: () => ({ kind: 'flight', id: 'flight' }),
    files: { urls: () => ['u'], playable: () => 'u' },
  } as unknown as Parameters<typeof describeRunningKiosk>[0]);
  const once = { window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 1 };
  expect(kiosk.explain(ad('a', { frequencyCaps: [once] }), NOW, null)).toMatchObject({
    eligible: false,
    reasons: ['capped', 'blocked'],
  });
});

function world(ads: readonly Ad[], overrides: Partial<AdsPageParts> = {}) {
  let now = NOW;
  let judged = 0;
  let playlist: StoredPlaylist | null = { ads: [...ads], receivedAt: NOW, etag: null, lastModified: null };
  let pauses = 0;
  const page = createAdsPages({
    playlist: () => playlist,
    explain(one, at, staleAt) {
      judged += 1;
      return explainAdFromPlays(one, {
        at,
        staleAt,
        context: EMPTY_CONTEXT,
        media: { state: 'ready' },
        plays: [{ flightId: 'capped', at: NOW }],
      });
    },
    media: (one) => ({ state: 'ready', url: `https://cdn.example/${one.id}.mp4?key=SECRET` }),
    rejected: () => ({ list: [{ id: null, code: 'malformed-ad', detail: 'x'.repeat(900) }], total: 7 }),
    onlineAnswer: () => null,
    maxAgeMs: 86_400_000,
    now: () => now,
    pause: async () => {
      pauses += 1;
    },
    ...overrides,
  });
  return {
    judged: () => judged,
    pauses: () => pauses,
    pass: (ms: number) => {
      now += ms;
    },
    replace: (next: StoredPlaylist | null) => {
      playlist = next;
    },
    async find(query: Partial<AdsQuery> = {}) {
      return AdsPage.parse(await page({ search: '', show: 'all', limit: 100, ...query }));
    },
  };
}

const cap = { window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 1 };
const mixed = [
  ad('plays', { campaignId: 'Summer' }),
  ad('expired', { expiresAt: NOW - 1 }),
  ad('capped', { flightId: 'capped', frequencyCaps: [cap] }),
  ad('uncountable', { flightId: null, frequencyCaps: [cap] }),
  ad('for nobody', { audience: { groups: [] }, expiresAt: NOW - 1 }),
];

describe('the stored playlist', () => {
  it('is judged once at a time, however long a slow machine takes', async () => {
    let go = () => {};
    const going = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { find, pass, judged, replace } = world(
      Array.from({ length: 300 }, (_, at) => ad(`${at}`)),
      {
        pause: () => going,
      },
    );
    const first = find();
    pass(60_000);
    replace({ ads: mixed, receivedAt: NOW, etag: null, lastModified: null });
    const second = find();
    go();
    expect([(await first).counts.all, (await second).counts.all, judged()]).toEqual([300, 300, 300]);
    expect((await find()).counts.all).toBe(mixed.length);
  });

  it('is listed with the decision on each ad', async () => {
    const page = await world(mixed).find();
    expect(page.rows.map(({ id, eligible, reasons }) => [id, eligible, reasons.join()])).toEqual([
      ['plays', true, ''],
      ['expired', false, 'expired'],
      ['capped', false, 'capped'],
      ['uncountable', false, 'uncountable'],
      ['for nobody', false, 'expired,audience'],
    ]);
    expect(page.counts).toEqual({
      all: 5,
      eligible: 1,
      'not-eligible': 4,
      expired: 2,
      audience: 1,
      capped: 1,
      uncountable: 1,
      'no-media': 0,
      blocked: 0,
    });
    const words = { en: 'flight', de: 'Flight' };
    expect(page.rows[2]?.caps).toEqual([{ ...cap, words, used: 1 }]);
    expect(page.rows[0]).toMatchObject({
      expiresAt: NOW + 86_400_000,
      expiresWithPlaylist: true,
      audience: null,
    });
    expect(page.rows[1]).toMatchObject({ expiresAt: NOW - 1, expiresWithPlaylist: false });
    expect(JSON.stringify(page)).not.toContain('SECRET');
  });

  it.each<[Partial<AdsQuery>, string[]]>([
    [{ show: 'eligible' }, ['plays']],
    [{ show: 'not-eligible' }, ['expired', 'capped', 'uncountable', 'for nobody']],
    [{ show: 'expired' }, ['expired', 'for nobody']],
    [{ show: 'no-media' }, []],
    [{ search: ' sUMMer ' }, ['plays']],
    [{ search: 'cms' }, ['plays', 'expired', 'capped', 'uncountable', 'for nobody']],
    [{ search: 'capped' }, ['capped']],
    [{ search: 'cms', show: 'expired' }, ['expired', 'for nobody']],
    [{ limit: 2 }, ['plays', 'expired']],
  ])('is filtered by %j', async (query, ids) => {
    const page = await world(mixed).find(query);
    expect(page.rows.map(({ id }) => id)).toEqual(ids);
    expect(page.matching).toBe(query.limit === undefined ? ids.length : mixed.length);
  });

  it('is judged once for several searches, and again after some time or with a new playlist', async () => {
    const one = world(mixed);
    await one.find();
    await one.find({ show: 'expired' });
    await one.find({ search: 'x' });
    expect(one.judged()).toBe(5);
    one.pass(10_000);
    await one.find();
    expect(one.judged()).toBe(10);
    one.replace({ ads: [ad('other')], receivedAt: NOW, etag: null, lastModified: null });
    expect((await one.find()).rows.map(({ id }) => id)).toEqual(['other']);
  });

  it('of ten thousand ads yields repeatedly, and is judged once for two requests', async () => {
    const many = world(Array.from({ length: 10_000 }, (_, index) => ad(`ad ${index}`)));
    await Promise.all([many.find(), many.find({ search: '9990' })]);
    expect(many.judged()).toBe(10_000);
    expect(many.pauses()).toBeGreaterThanOrEqual(49);
  });

  it('includes the last online answer, and why its ads may play or not', async () => {
    const online = ad('late', { expiresAt: NOW - 1 });
    const explanation = explainAdFromPlays(online, {
      at: NOW,
      context: EMPTY_CONTEXT,
      media: { state: 'ready' },
      plays: [],
      audience: 'trusted',
    });
    const rejected = {
      id: null,
      number: 2,
      code: 'malformed-ad' as const,
      detail: 'x'.repeat(900),
      errorUrls: [],
      errorCode: 101,
    };
    const page = await world(mixed, {
      onlineAnswer: () => ({ at: NOW, ads: [{ ad: online, explanation }], rejected: [rejected], more: 2 }),
    }).find();
    expect(page.online).toMatchObject({
      at: NOW,
      more: 2,
      ads: [{ id: 'late', eligible: false, reasons: ['expired'] }],
      rejected: [{ id: null, code: 'malformed-ad', detail: expect.stringMatching(/^x{400,500}/) }],
    });
    expect((await world(mixed).find()).online).toBeNull();
  });

  it('shows addresses without their keys, even in the reasons', async () => {
    const url = 'https://cdn.example/a.mp4?key=SECRET';
    const secret = explainAd(ad('a'), {
      at: NOW,
      context: EMPTY_CONTEXT,
      counters: null,
      media: { state: 'not-ready', url },
    });
    const rejected = { id: null, code: 'bad-url' as const, detail: `expected https, got ${url}` };
    const page = await world([ad('a')], {
      explain: () => secret,
      media: () => ({ state: 'failed', url, detail: `redirected to ${url}`, isHarmful: false }),
      rejected: () => ({ list: [rejected], total: 1 }),
      onlineAnswer: () => ({
        at: NOW,
        ads: [{ ad: ad('a'), explanation: secret }],
        more: 0,
        rejected: [{ ...rejected, number: 1, code: 'malformed-ad', errorUrls: [], errorCode: 101 }],
      }),
    }).find();
    expect(page.rows[0]?.detail).toContain('https://cdn.example/a.mp4?…');
    expect(JSON.stringify(page)).not.toContain('SECRET');
  });

  it('may be missing', async () => {
    const none = world([]);
    none.replace(null);
    expect(await none.find()).toMatchObject({ matching: 0, rows: [], rejectedTotal: 7 });
  });

  it('stays within its bounds, whatever the service sent', async () => {
    const long = 'x'.repeat(3_000);
    const list = Array.from({ length: 40 }, () => long);
    const huge = ad(long, {
      flightId: long,
      campaignId: long,
      source: long,
      sourceId: long,
      frequencyCaps: list.map((window) => ({ window, limit: 1 })),
      audience: {
        groups: list.map(() => ({
          conditions: list.map(() => ({ kind: 'basket' as const, skus: list, items: list })),
        })),
      },
    });
    const [row] = (await world([huge]).find()).rows;
    expect(row).toMatchObject({ moreCaps: 28, audience: { moreGroups: 32 } });
    expect(JSON.stringify(row).length).toBeLessThan(256 * 1024);
  });
});

it('an audience is shortened, and shows how much is missing', () => {
  const profile = { ageRange: null, gender: 'GENDER_FEMALE', groupSize: { operator: null, value: 2 } };
  expect(
    AudienceOutline.parse(
      outlineOf({
        groups: [
          {
            conditions: [
              { kind: 'demographic', profiles: Array.from({ length: 10 }, () => profile) },
              { kind: 'weather', types: ['WEATHER_TYPE_SUNNY'] },
              { kind: 'unreadable', detail: 'two members' },
            ],
          },
        ],
      }),
    ),
  ).toEqual({
    groups: [
      {
        conditions: [
          { kind: 'demographic', profiles: Array.from({ length: 8 }, () => profile), more: 2 },
          { kind: 'weather', types: ['WEATHER_TYPE_SUNNY'], more: 0 },
          { kind: 'unreadable' },
        ],
        moreConditions: 0,
      },
    ],
    moreGroups: 0,
  });
});
