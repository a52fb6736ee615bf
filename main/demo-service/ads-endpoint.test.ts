import { describe, expect, it } from 'vitest';
import type { DemoAdInput } from './demo-ad';
import { accessToken, requestAds, serviceForTest, standingClock } from './testing/client';
import { readVast } from './testing/read-vast';

const OFFLINE = [['offline', 'true']] as const;
const ids = async (answer: Response): Promise<string[]> => readVast(await answer.text()).map(({ id }) => id);
const metadataOf = async (answer: Response): Promise<Record<string, unknown>[]> =>
  readVast(await answer.text()).map(({ metadata }) => JSON.parse(metadata ?? 'null'));

const ad = (id: string, metadata?: DemoAdInput['metadata']): DemoAdInput => ({
  id,
  media: [{ name: 'hearth-landscape.jpg', type: 'image/jpeg', width: 1920, height: 1080 }],
  ...(metadata !== undefined && { metadata }),
});

describe('the offline playlist', () => {
  it('is VAST with the metadata extension, the caps and a long expiry', async () => {
    const clock = standingClock(Date.UTC(2026, 2, 3, 10, 20));
    const service = await serviceForTest({ clock });
    const answer = await requestAds(service, OFFLINE);
    expect(answer.headers.get('content-type')).toMatch(/^application\/xml/);
    const [first] = await metadataOf(answer);
    expect(first).toEqual({
      request_id: expect.stringMatching(/^req-/),
      campaign_id: 'cmp-nordhain-autumn',
      flight_id: 'flt-nordhain',
      expires_at: '2026-03-04T11:00:00Z',
      frequency_caps: [
        { limit: 90, window: 'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES' },
        { limit: 2500, window: 'FREQUENCY_CAP_WINDOW_DAY' },
      ],
      source: 'SOURCE_TYPE_AD_SERVER',
      source_id: 'adserver-nord',
    });
  });

  it('gives all its ads one request id, a new one in each response', async () => {
    const service = await serviceForTest();
    const requestIds = async () =>
      new Set((await metadataOf(await requestAds(service, OFFLINE))).map(({ request_id }) => request_id));
    const [one, two] = [await requestIds(), await requestIds()];
    expect([one.size, two.size]).toEqual([1, 1]);
    expect(one).not.toEqual(two);
  });

  it('points every beacon to the collector, with event, ad and flight in the URL', async () => {
    const service = await serviceForTest();
    const [first] = readVast(await (await requestAds(service, OFFLINE)).text());
    const seen = (first?.urls ?? []).map(({ element, event, url }) => {
      const { origin, pathname, searchParams } = new URL(url);
      return [element, event, origin, pathname, searchParams.get('ad'), searchParams.get('flight')];
    });
    const own = [service.origin] as const;
    const who = ['nordhain-pour', 'flt-nordhain'] as const;
    expect(seen).toEqual([
      ['Error', null, ...own, '/collect/error', ...who],
      ['Impression', null, ...own, '/collect/impression.gif', ...who],
      ...['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'].map((event) => [
        'Tracking',
        event,
        ...own,
        `/collect/tracking/${event}`,
        ...who,
      ]),
    ]);
  });

  it('answers 304 while nothing but the request id would differ', async () => {
    const service = await serviceForTest();
    const first = await requestAds(service, OFFLINE);
    const etag = first.headers.get('etag') ?? '';
    const again = await requestAds(service, OFFLINE, { 'If-None-Match': `"other", ${etag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    service.setAds([ad('a')]);
    expect((await requestAds(service, OFFLINE, { 'If-None-Match': etag })).status).toBe(200);
  });

  it('respects the limit and the requested sources, by kind or by id', async () => {
    const service = await serviceForTest();
    service.setAds([
      ad('a', { source: 'SOURCE_TYPE_SSP', source_id: 'ssp-1' }),
      ad('b', { source: 'SOURCE_TYPE_CMS', source_id: 'cms-1' }),
      ad('c', { source: 'SOURCE_TYPE_SSP', source_id: 'ssp-2' }),
    ]);
    expect(await ids(await requestAds(service, [...OFFLINE, ['limit', '2']]))).toEqual(['a', 'b']);
    expect(await ids(await requestAds(service, [...OFFLINE, ['source', 'SOURCE_TYPE_SSP']]))).toEqual([
      'a',
      'c',
    ]);
    const two = [...OFFLINE, ['source', 'ssp-2'], ['source', 'cms-1']] as const;
    expect(await ids(await requestAds(service, two))).toEqual(['b', 'c']);
  });

  it('is an empty VAST element when there is nothing to show', async () => {
    const service = await serviceForTest();
    service.setAds([]);
    const answer = await requestAds(service, OFFLINE);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('<VAST version="4.2"/>');
  });

  it('sets expiry by the shifted clock, so that a kiosk with that time can play the ads', async () => {
    const service = await serviceForTest({ clock: standingClock(Date.UTC(2026, 2, 3, 10, 20)) });
    service.setFaults({ clockOffsetSeconds: 48 * 3600 });
    const [first] = await metadataOf(await requestAds(service, OFFLINE));
    expect(first?.expires_at).toBe('2026-03-06T11:00:00Z');
  });
});

describe('configured metadata', () => {
  it.each<[string, DemoAdInput['metadata'], string | null | RegExp]>([
    [
      'an object is sent with the request id',
      { flight_id: 'f', later: [1] },
      /^\{"request_id":"req-[\w-]+","flight_id":"f","later":\[1\]\}$/,
    ],
    ['a request id of its own wins', { request_id: 7 }, '{"request_id":7}'],
    ['text is sent verbatim, even with the end of a CDATA section in it', '{"a":"]]>"', '{"a":"]]>"'],
    ['null sends no extension', null, null],
    ['left out, it is a request id alone', undefined, /^\{"request_id":"req-[\w-]+"\}$/],
  ])('%s', async (_, metadata, expected) => {
    const service = await serviceForTest();
    service.setAds([ad('a', metadata)]);
    const [read] = readVast(await (await requestAds(service, OFFLINE)).text());
    if (expected instanceof RegExp) expect(read?.metadata).toMatch(expected);
    else expect(read?.metadata).toBe(expected);
  });

  it('carries the other fields of an ad: pod, clicks, wrapper, progress, own beacons, special characters', async () => {
    const service = await serviceForTest();
    service.setAds([
      {
        id: '"<&>\'',
        sequence: 2,
        durationSeconds: 3661.25,
        media: [{ url: 'https://cdn.example/a?b=1&c=2', type: 'video/mp4', bitrate: 500 }],
        impressions: [],
        errors: [],
        tracking: [{ event: 'progress', offset: '25%', url: 'https://t.example/p' }],
        clickThrough: 'https://shop.example/',
        clickTracking: ['https://t.example/c'],
      },
      { id: 'w', wrapper: 'https://other.example/vast?x=1&y=2' },
    ]);
    const [first, second] = readVast(await (await requestAds(service, OFFLINE)).text());
    expect(first).toMatchObject({ id: '"<&>\'', sequence: '2', duration: '01:01:01.250' });
    expect(first?.media).toEqual([
      { delivery: 'progressive', type: 'video/mp4', bitrate: '500', url: 'https://cdn.example/a?b=1&c=2' },
    ]);
    expect(first?.urls).toEqual([
      { element: 'Tracking', event: 'progress', url: 'https://t.example/p' },
      { element: 'ClickThrough', event: null, url: 'https://shop.example/' },
      { element: 'ClickTracking', event: null, url: 'https://t.example/c' },
    ]);
    expect(second?.urls.at(-1)).toEqual({
      element: 'VASTAdTagURI',
      event: null,
      url: 'https://other.example/vast?x=1&y=2',
    });
  });
});

describe('an online answer', () => {
  it('is one ad without caps that expires within a minute', async () => {
    const service = await serviceForTest({ clock: standingClock(Date.UTC(2026, 2, 3, 10, 20)) });
    const metadata = await metadataOf(await requestAds(service, []));
    expect(metadata).toHaveLength(1);
    expect(metadata[0]).toMatchObject({ expires_at: '2026-03-03T10:21:00Z' });
    expect(metadata[0]).not.toHaveProperty('frequency_caps');
  });

  it.each(['2026-03-03T10:20:10Z', 'soon', 7])('keeps an expiry of %s', async (expires_at) => {
    const service = await serviceForTest({ clock: standingClock(Date.UTC(2026, 2, 3, 10, 20)) });
    service.setOnlineAds([ad('dated', { expires_at })]);
    expect(await metadataOf(await requestAds(service, []))).toMatchObject([{ expires_at }]);
  });

  it('prefers targeted ads that match and never contains one that does not match', async () => {
    const service = await serviceForTest();
    const many = ['limit', '20'] as const;
    const plain = await ids(await requestAds(service, [many]));
    expect(plain.sort()).toEqual(['brightside-mint', 'kiosko-cold-brew', 'nordhain-pour', 'nordhain-price']);
    expect(await ids(await requestAds(service, [['weather', 'WEATHER_TYPE_SNOW']]))).toEqual(['hearth-soup']);
    expect(await ids(await requestAds(service, [['item', 'Basil']]))).toEqual(['papperi-basket']);
    expect(await ids(await requestAds(service, [['age_range', 'AGE_RANGE_21_24']]))).toEqual(['volt-spark']);
    expect(await ids(await requestAds(service, [['group_size', '2']]))).toEqual(['pip-and-pocket-family']);
  });

  it('can come from a list of its own', async () => {
    const service = await serviceForTest();
    service.setOnlineAds([ad('online-only')]);
    expect(await ids(await requestAds(service, []))).toEqual(['online-only']);
    expect(await ids(await requestAds(service, OFFLINE))).toContain('nordhain-pour');
    service.setOnlineAds([]);
    expect(await (await requestAds(service, [])).text()).toBe('<VAST version="4.2"/>');
  });
});

describe('access', () => {
  const query = 'playerid=demo-player-1&key=demo-retailer&offline=true';
  it.each([
    ['no player', 'key=demo-retailer', 400, 3],
    ['no key', 'playerid=demo-player-1', 400, 3],
    ['an unknown player', 'playerid=x&key=demo-retailer', 404, 5],
    ['a wrong key', 'playerid=demo-player-1&key=x', 403, 7],
    ['a limit of nothing', `${query}&limit=0`, 400, 3],
  ])('refuses %s', async (_, search, status, code) => {
    const service = await serviceForTest({ adsAuthentication: 'none' });
    const answer = await fetch(`${service.origin}/v1alpha2/ads?${search}`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ code, message: expect.any(String), details: [] });
  });

  it('requires a token unless configured otherwise, and the right project if one is given', async () => {
    const strict = await serviceForTest();
    const url = (service: { origin: string }) => `${service.origin}/v1alpha2/ads?${query}`;
    expect((await fetch(url(strict))).status).toBe(401);
    const Authorization = `Bearer ${await accessToken(strict)}`;
    expect((await fetch(url(strict), { headers: { Authorization } })).status).toBe(200);
    const foreign = { Authorization, 'X-Service-Namespace': 'project:other' };
    expect((await fetch(url(strict), { headers: foreign })).status).toBe(403);
    const open = await serviceForTest({ adsAuthentication: 'none' });
    expect((await fetch(url(open))).status).toBe(200);
  });
});
