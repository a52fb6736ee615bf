import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { DemoService } from './demo-service';
import type { NativeAd } from './native-ads';
import { rawRequest, serviceForTest } from './testing/client';
import { readVast } from './testing/read-vast';

const QUERY = {
  apptoken: 'demo-app-token',
  os: 'linux',
  osver: '6.1',
  devicemodel: 'kiosk',
  dnt: '1',
  al: 'm',
  zoneid: 'demo-zone',
};
const ALL_META = 'points,revenuemodel,campaignid,creativeid,bundleid,contentinfo';

const ask = (service: DemoService, query: Record<string, string>): Promise<Response> =>
  fetch(`${service.origin}/api/v3/native?${new URLSearchParams({ ...QUERY, ...query })}`);
const ads = async (answer: Response): Promise<NativeAd[]> => {
  const body = (await answer.json()) as { status: string; ads: NativeAd[] };
  expect(body.status).toBe('ok');
  return body.ads;
};
const types = (list: ReadonlyArray<{ type: string }>): string[] => list.map(({ type }) => type);

describe('a native answer', () => {
  it('has one ad by default, without meta', async () => {
    const [ad, ...more] = await ads(await ask(await serviceForTest(), {}));
    expect(more).toEqual([]);
    expect(ad).toMatchObject({ assetgroupid: expect.any(Number), meta: [] });
  });

  it('shows every asset, meta and beacon type of the interface', async () => {
    const service = await serviceForTest();
    const all = await ads(await ask(service, { adcount: '20', mf: ALL_META }));
    const seen = (part: 'assets' | 'meta' | 'beacons') => new Set(all.flatMap((ad) => types(ad[part])));
    expect(seen('assets')).toEqual(
      new Set([
        'icon',
        'banner',
        'title',
        'description',
        'rating',
        'cta',
        'standardbanner',
        'htmlbanner',
        'vast2',
      ]),
    );
    expect(seen('meta')).toEqual(new Set(ALL_META.split(',')));
    expect(seen('beacons')).toEqual(new Set(['impression', 'click']));
    const text = JSON.stringify(all);
    expect(text).toContain('"js":');
    for (const model of ['cpa', 'cpc', 'cpm'])
      expect(text).toContain(`"revenuemodel","data":{"text":"${model}"}`);
    expect(all.some(({ link }) => link === undefined)).toBe(true);
    expect(all.some(({ link }) => link?.startsWith('market://') === true)).toBe(true);
  });

  it('returns only the meta asked for', async () => {
    const [ad] = await ads(await ask(await serviceForTest(), { mf: 'points, contentinfo' }));
    expect(types(ad?.meta ?? [])).toEqual(['points', 'contentinfo']);
  });

  it('gives each delivery of an ad its own id in the beacons', async () => {
    const service = await serviceForTest();
    const texts = [1, 2].map(async () =>
      JSON.stringify(await ads(await ask(service, { zoneid: 'demo-vast' }))),
    );
    const instances = (await Promise.all(texts)).map((text) => new Set(text.match(/instance=[\w-]+/g)));
    expect(instances.map(({ size }) => size)).toEqual([1, 1]);
    expect(instances[0]).not.toEqual(instances[1]);
  });

  it('starts with another ad each time', async () => {
    const service = await serviceForTest();
    const first = async () => (await ads(await ask(service, {})))[0]?.assetgroupid;
    expect(await first()).not.toBe(await first());
  });

  it('names pictures, pages and a video that can be loaded', async () => {
    const service = await serviceForTest();
    const text = JSON.stringify(await ads(await ask(service, { adcount: '20', mf: ALL_META })));
    const escaped = service.origin.replaceAll('.', '\\.');
    const own = text.match(new RegExp(`${escaped}/(media|landing)/[\\w.-]+`, 'g')) ?? [];
    expect(own.length).toBeGreaterThan(8);
    for (const url of new Set(own)) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  });

  it('has a banner with a frame, a style sheet and a script that reads a cookie, and one of MRAID', async () => {
    const service = await serviceForTest();
    const html = (await ads(await ask(service, { zoneid: 'demo-html', adcount: '20' }))).flatMap(
      ({ assets }) =>
        assets.flatMap(({ type, data }) => (type === 'htmlbanner' ? [(data as { html: string }).html] : [])),
    );
    const frame = html.filter((one) => /<iframe /.test(one) && /document\.cookie/.test(one));
    const mraid = html.filter((one) => /<script src="mraid\.js">/.test(one) && /mraid\.open\(/.test(one));
    expect([frame.length, mraid.length]).toEqual([1, 1]);
    const kindOf = async (tag: RegExp) => {
      const answer = await fetch(tag.exec(frame[0] ?? '')?.[1] ?? '');
      return [answer.status, answer.headers.get('content-type'), (await answer.text()).length > 100];
    };
    expect(await kindOf(/<iframe [^>]*src="([^"]+)"/)).toEqual([200, 'text/html; charset=utf-8', true]);
    expect(await kindOf(/<link rel="stylesheet" href="([^"]+)"/)).toEqual([
      200,
      'text/css; charset=utf-8',
      true,
    ]);
    const scripts = html.flatMap((one) =>
      [...one.matchAll(/<script>(.*?)<\/script>/gs)].map(([, js]) => js ?? ''),
    );
    expect(scripts.length).toBe(2);
    for (const script of scripts) expect(() => new Script(script)).not.toThrow();
  });

  it('carries inline VAST that can be read', async () => {
    const [ad] = await ads(await ask(await serviceForTest(), { zoneid: 'demo-vast' }));
    const asset = ad?.assets.find(({ type }) => type === 'vast2')?.data as { vast2: string };
    const [inline] = readVast(asset.vast2);
    expect(inline?.media[0]?.type).toBe('video/mp4');
    expect(inline?.urls.map(({ element }) => element)).toContain('ClickThrough');
  });

  it.each(['demo-native', 'demo-html', 'demo-banner', 'demo-vast'])(
    'can be limited to one format: %s',
    async (zoneid) => {
      expect((await ads(await ask(await serviceForTest(), { zoneid }))).length).toBe(1);
    },
  );

  it('is empty for the zone without fill', async () => {
    expect(await ads(await ask(await serviceForTest(), { zoneid: 'demo-nofill' }))).toEqual([]);
  });

  it('can be replaced', async () => {
    const service = await serviceForTest();
    service.setNativeAds([{ anything: 1 }, { anything: 2 }]);
    expect(await ads(await ask(service, { adcount: '1' }))).toEqual([{ anything: 1 }]);
  });
});

describe('a native request', () => {
  it.each([...Object.keys(QUERY)])('needs %s', async (name) => {
    const answer = await ask(await serviceForTest(), { [name]: '' });
    expect(await answer.json()).toEqual({ status: 'error', error_message: `Missing parameter ${name}` });
  });

  it.each<[string, Record<string, string>]>([
    ['Invalid app token', { apptoken: 'other' }],
    ['Invalid zone', { zoneid: 'other' }],
    ['dnt must be 0 or 1', { dnt: 'yes' }],
    ['al must be s, m or l', { al: 'xl' }],
    ['Missing parameter gid', { os: 'Android' }],
    ['Missing parameter idfa', { os: 'ios' }],
    ['Missing parameter ip', { srvi: '1', ua: 'x' }],
    ['Missing parameter ua', { srvi: '1', ip: '192.0.2.1' }],
    ['coppa must be 0 or 1', { coppa: '2' }],
    ['gender must be male, female or other', { gender: 'm' }],
    ['adcount must be 1 to 20', { adcount: '0' }],
    ['adcount must be 1 to 20', { adcount: '21' }],
  ])('is refused: %s', async (message, query) => {
    const answer = await ask(await serviceForTest(), query);
    expect(await answer.json()).toEqual({ status: 'error', error_message: message });
  });
});

describe('a click-through', () => {
  it('ends on a page after two redirects', async () => {
    const service = await serviceForTest();
    const first = await rawRequest(service, '/go/nordhain');
    expect([first.status, first.headers.location]).toEqual([302, `${service.origin}/go/nordhain/2`]);
    const second = await rawRequest(service, '/go/nordhain/2');
    expect([second.status, second.headers.location]).toEqual([302, `${service.origin}/landing/nordhain`]);
    expect((await rawRequest(service, '/landing/nordhain')).body.toString()).toContain('Nordhain');
    expect((await rawRequest(service, '/landing/nowhere')).status).toBe(404);
  });
});
