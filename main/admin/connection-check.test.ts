import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ConnectionStep } from '../../shared/admin';
import { silentLog } from '../../shared/log';
import type { DemoAdInput } from '../demo-service/demo-ad';
import { type DemoService, startDemoService } from '../demo-service/demo-service';
import { readInPlace } from '../reading/testing/read-in-place';
import { realHttp } from '../service/testing/local-server';
import { readSettings } from '../settings/testing/read-settings';
import { checkConnection } from './connection-check';

let service: DemoService;
beforeAll(async () => {
  service = await startDemoService();
});
afterEach(() => {
  service.setAds(null);
  service.setFaults({});
});
afterAll(() => service.close());

/** @param fetch answers instead of the embedded service; null: nothing does */
async function check(
  change: (raw: ReturnType<DemoService['settings']>) => object = (raw) => raw,
  fetch: ((url: string) => Response) | null = null,
) {
  const read = readSettings(change(service.settings()), 'test');
  if (read.kind === 'error') throw new Error(read.message);
  const told: ConnectionStep[] = [];
  const device = { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' };
  const steps = await checkConnection(
    read.settings,
    {
      httpOf: () => (fetch ? { ...realHttp, fetch: async (url) => fetch(url) } : realHttp),
      random: () => 0.5,
      log: silentLog,
      device,
      reading: readInPlace,
    },
    (step) => told.push(step),
  );
  expect(told).toEqual(steps);
  return steps;
}
const results = (steps: readonly ConnectionStep[]) => steps.map(({ step, ok, code }) => [step, ok, code]);

it('tries token, inventory, a playlist and native, in this order', async () => {
  const steps = await check();
  expect(results(steps)).toEqual([
    ['token', true, null],
    ['inventory', true, null],
    ['ads', true, null],
    ['native', true, null],
  ]);
  expect(steps[2]?.message).toMatch(/^The playlist arrived with \d+ ads\.$/);
  expect(steps.every((step) => step.advice === null)).toBe(true);
});

it('a wrong secret is explained, and steps that need the token are not tried', async () => {
  const steps = await check((raw) => ({
    ...raw,
    service: { ...raw.service, clientSecret: 'not-the-secret' },
  }));
  expect(results(steps)).toEqual([
    ['token', false, 'wrong-secret'],
    ['inventory', false, 'not-tried'],
    ['ads', false, 'not-tried'],
    ['native', true, null],
  ]);
  expect(steps[0]?.message).toContain('does not accept the client ID and secret (401)');
  expect(steps[0]?.advice).toContain('service.clientId and the client secret');
  expect(steps[1]?.message).toContain('Not tried');
  expect(JSON.stringify(steps)).not.toContain('not-the-secret');
});

const refusing = () => Response.json({ error_description: 'nope' }, { status: 401 });
const PLAYLIST = '<VAST version="4.2"/>';
type Raw = ReturnType<DemoService['settings']>;
const withoutToken = (raw: Raw) => ({ ...raw, ads: { ...raw.ads, authentication: 'none' as const } });
const withoutNative = (raw: Raw) => ({ ...raw, native: { ...raw.native, enabled: false } });

it('says what the service says about a wrong secret', async () => {
  const steps = await check(undefined, refusing);
  expect(steps[0]?.message).toContain('“nope”');
});

it('ads that need no token are tried without one', async () => {
  const steps = await check(
    (raw) => withoutNative({ ...raw, ...withoutToken(raw) }),
    (url) => (url.includes('/oauth/') ? refusing() : new Response(PLAYLIST)),
  );
  expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['token', false],
    ['inventory', false],
    ['ads', true],
  ]);
});

it('tests no token where there is no service account', async () => {
  const steps = await check((raw) => {
    const { baseUrl, nativeUrl } = raw.service;
    return { ...withoutToken(raw), service: { baseUrl, nativeUrl } };
  });
  expect(steps.map(({ step }) => step)).toEqual(['ads', 'native']);
});

it.each([
  ['no fill', () => new Response(null, { status: 204 }), true, /no fill/],
  ['a playlist that cannot be read', () => new Response('<VAST><Ad>'), false, /cannot be read/],
] as const)('of %s says whether the connection works', async (_name, answer, ok, message) => {
  const steps = await check((raw) => withoutToken(withoutNative(raw)), answer);
  expect(steps.at(-1)).toMatchObject({ step: 'ads', ok, message: expect.stringMatching(message) });
});

it('a playlist of which the kiosk rejects every ad is an error, not no fill', async () => {
  const steps = await check((raw) => ({ ...raw, ads: { ...raw.ads, metadataExtension: 'other' } }));
  const { message, ...step } = steps.find((each) => each.step === 'ads') ?? {};
  expect(step).toMatchObject({ ok: false, code: 'malformed', ads: null });
  expect(message).toMatch(
    /\(none of its (\d+) ads can be played here; expired: 0, rejected: \1, the first: metadata-missing, no metadata extension\)\.$/,
  );
});

const PICTURE = { url: 'https://cdn.example/a.png', type: 'image/png' };
const STREAM = { url: 'https://cdn.example/a.m3u8', type: 'application/x-mpegURL' };
const good: DemoAdInput = { id: 'good', media: [PICTURE] };
const stream: DemoAdInput = { id: 'stream', media: [STREAM] };
const endsIn = (ms: number): DemoAdInput => ({
  id: 'dated',
  media: [PICTURE],
  metadata: { expires_at: new Date(Date.now() + ms).toISOString() },
});
const HOUR_MS = 3_600_000;

it.each([
  ['only files that the kiosk cannot show', [stream, stream], '2 ads can be played here; expired: 0'],
  ['only expired ads', [endsIn(-HOUR_MS)], '1 ads can be played here; expired: 1'],
] as const)(
  'a playlist with %s is the error that the kiosk makes of it, not a success',
  async (_name, ads, why) => {
    service.setAds(ads);
    const { message, ...step } = (await check()).find((each) => each.step === 'ads') ?? {};
    expect(step).toMatchObject({ ok: false, code: 'malformed', ads: null });
    expect(message).toContain(`(none of its ${why}, rejected: 0).`);
  },
);

it('a playlist with too many ads gets the advice that the status gives: to ask for fewer', async () => {
  service.setAds(Array.from({ length: 10_001 }, (_, index) => ({ ...good, id: String(index) })));
  expect((await check())[2]).toMatchObject({
    ok: false,
    code: 'too-large',
    advice: expect.stringContaining('fewer ads'),
  });
});

it('counts the ads of a playlist that can be played here; one behind a wrapper may be', async () => {
  service.setAds([good, stream, endsIn(-HOUR_MS), { id: 'wrapped', wrapper: 'https://ads.example/vast' }]);
  expect((await check())[2]).toMatchObject({ step: 'ads', ok: true, ads: 2 });
});

it('an ad is expired by the time that the service tells with the playlist: the kiosk goes by it', async () => {
  service.setAds([endsIn(HOUR_MS)]);
  service.setFaults({ clockOffsetSeconds: 2 * 3_600 });
  expect((await check())[2]).toMatchObject({ ok: false, message: expect.stringContaining('expired: 1') });
});

it('counts one native ad', async () => {
  const ad = { assets: [{ type: 'title', data: { text: 'x' } }] };
  const steps = await check(undefined, (url) =>
    url.includes('/native') ? Response.json({ status: 'ok', ads: [ad] }) : refusing(),
  );
  expect(steps.at(-1)?.message).toBe('The native answer arrived with one ad.');
});

const nativeAnswer = (...ads: readonly object[]) =>
  check(undefined, (url) => (url.includes('/native') ? Response.json({ status: 'ok', ads }) : refusing()));
const vast2 = (content: string) => ({
  assets: [{ type: 'vast2', data: { vast2: `<VAST version="3.0"><Ad>${content}</Ad></VAST>` } }],
});
const RATING = { assets: [{ type: 'rating', data: { number: 4 } }] };

it('native ads of which none can be used are an error, not no fill', async () => {
  expect((await nativeAnswer(RATING, vast2('<InLine/>'))).at(-1)).toMatchObject({
    step: 'native',
    ok: false,
    code: 'malformed',
    ads: null,
    message: expect.stringMatching(/\(none of its 2 ads can be used: ad 1: nothing to show; ad 2: .*\)\.$/),
  });
});

it('a native ad whose wrapper may lead to a video counts', async () => {
  const wrapped = vast2('<Wrapper><VASTAdTagURI>https://ads.example/vast</VASTAdTagURI></Wrapper>');
  expect((await nativeAnswer(RATING, wrapped)).at(-1)).toMatchObject({ step: 'native', ok: true, ads: 1 });
});

it('leaves out native where native ads are off', async () => {
  const steps = await check((raw) => ({ ...raw, native: { ...raw.native, enabled: false } }));
  expect(steps.map(({ step }) => step)).toEqual(['token', 'inventory', 'ads']);
});

it('leaves nothing running behind', async () => {
  await check();
  service.clearRequests();
  await check((raw) => ({ ...raw, native: { ...raw.native, enabled: false } }));
  expect(service.requests().map(({ path }) => path.split('?')[0])).toEqual([
    '/oauth/v2/token',
    '/v1alpha/inventory/devices',
    '/v1alpha2/ads',
  ]);
});
