import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { type DemoService, startDemoService } from '../demo-service/demo-service';
import type { Fault } from '../demo-service/faults';
import { DEMO_REGISTRATION } from '../demo-service/kiosk-settings';
import { readSettings } from '../settings/testing/read-settings';
import { readAds } from './ads-reading/read-ads';
import { createServiceClients } from './service-clients';
import type { ServiceErrorCode } from './service-error';
import { realHttp } from './testing/local-server';
import type { AccessTokens } from './token';

// Runs the client against the embedded ad service, which implements the protocol separately,
// so an error in one of them shows.

let service: DemoService;
const opened: AccessTokens[] = [];

beforeAll(async () => {
  service = await startDemoService();
});
afterEach(() => {
  for (const tokens of opened.splice(0)) tokens.stop();
  service.setFaults({});
  service.clearRequests();
});
afterAll(() => service.close());

/** The clients as a kiosk builds them from its settings. */
function kiosk(native: object = {}) {
  const settings = service.settings();
  const own = { ...settings, native: { ...settings.native, ...native } };
  const read = readSettings(own, 'the embedded service');
  if (read.kind === 'error') throw new Error(read.message);
  const options = { http: realHttp, random: () => 0.5, log: silentLog };
  const { tokens, ads, inventory } = createServiceClients(read.settings, options);
  if (tokens === null || inventory === null) throw new Error('the embedded service asks for an account');
  opened.push(tokens);
  return { tokens, ads, inventory };
}

/** The latest ads request that the service received. */
const lastAdsRequest = () => service.requests().findLast(({ path }) => path === '/v1alpha2/ads');

test('the playlist is conditional from the second time on', async () => {
  const { ads } = kiosk();
  const first = await ads.requestPlaylist(null);
  if (first.kind !== 'document') throw new Error(`expected a document, got ${JSON.stringify(first)}`);
  expect(readAds(String(first.text))).toHaveProperty('ads');
  expect(first.validators).not.toBeNull();
  expect((await ads.requestPlaylist(first.validators)).kind).toBe('not-modified');
});

test('an ad for one slot arrives', async () => {
  const weather = { types: ['WEATHER_TYPE_SUNNY'] };
  const answer = await kiosk().ads.requestOnline({ shopper: null, cart: null, weather }, 60_000);
  expect(answer.kind).toBe('document');
});

test('ads requests name the project in a header', async () => {
  await kiosk().ads.requestPlaylist(null);
  const project = `project:${DEMO_REGISTRATION.projectId}`;
  expect(lastAdsRequest()?.headers['x-service-namespace']).toBe(project);
});

test('the request for one slot tells age and gender of a single person only with permission (rule 20)', async () => {
  const people = [{ gender: 'GENDER_FEMALE', ageRange: 'AGE_RANGE_25_29' }];
  const context = { shopper: { people, groupSize: 1 }, cart: null, weather: null };
  const sent = async (native: object) => {
    await kiosk(native).ads.requestOnline(context, 60_000);
    return lastAdsRequest()?.query;
  };
  const person = { gender: 'GENDER_FEMALE', age_range: 'AGE_RANGE_25_29' };
  const others = { ...service.settings().ads.params, group_size: '1' };
  expect(await sent({})).toEqual(others);
  expect(await sent({ sendSensorDemographics: true, params: { dnt: '1' } })).toEqual(others);
  expect(await sent({ sendSensorDemographics: true, params: { dnt: '0' } })).toEqual({
    ...others,
    ...person,
  });
});

test('tokens that the service revoked are replaced without an error', async () => {
  const { ads, inventory } = kiosk();
  expect((await inventory()).kind).toBe('response');
  service.revokeTokens();
  expect((await ads.requestPlaylist(null)).kind).toBe('document');
});

test('without a token, a request fails with what the token service says', async () => {
  service.setFaults({ token: { kind: 'status', status: 503 } });
  expect(await kiosk().ads.requestPlaylist(null)).toMatchObject({
    error: {
      code: 'server-error',
      message: expect.stringMatching(/token service at .* has an error of its own \(503\)/),
    },
  });
});

describe('every failure of the ads request has its own code, and says what happened and what to do', () => {
  test.each<[Fault, ServiceErrorCode, message: RegExp, advice: RegExp, retryAfterMs?: number]>([
    [
      { kind: 'status', status: 401 },
      'unauthorized',
      /does not accept the access token \(401\)/,
      /service\.authUrl/,
    ],
    [
      { kind: 'status', status: 403 },
      'forbidden',
      /refuses this service account \(403\)/,
      /service\.projectId/,
    ],
    [{ kind: 'status', status: 404 }, 'not-found', /has nothing at this address \(404\)/, /service\.baseUrl/],
    [
      { kind: 'status', status: 429, retryAfter: 7 },
      'rate-limited',
      /wants fewer requests \(429\)/,
      /refresh less often/,
      7_000,
    ],
    [{ kind: 'status', status: 500 }, 'server-error', /has an error of its own \(500\)/, /tell the service/],
    [
      { kind: 'status', status: 503, retryAfter: 7 },
      'server-error',
      /has an error of its own \(503\)/,
      /tell the service/,
      7_000,
    ],
    [
      { kind: 'status', status: 200, contentType: 'application/xml', body: '' },
      'empty',
      /empty answer/,
      /tried again/,
    ],
    [{ kind: 'truncate', afterBytes: 200 }, 'truncated', /broke off/, /network/],
    [{ kind: 'garbage' }, 'not-xml', /no XML/, /ads parameters/],
    [{ kind: 'html' }, 'web-page', /hidden behind a web page/, /log-in page/],
    [{ kind: 'reset' }, 'unreachable-connection', /connect/, /network/],
    [{ kind: 'oversize', bytes: 100_000_000 }, 'too-large', /more than/, /fewer ads/],
  ])('%o', async (fault, code, message, advice, retryAfterMs) => {
    const { ads, tokens } = kiosk();
    await tokens.current();
    service.setFaults({ ads: fault });
    const answer = await ads.requestPlaylist(null);
    const words = { message: expect.stringMatching(message), advice: expect.stringMatching(advice) };
    expect(answer).toMatchObject({ kind: 'error', error: { code, ...words } });
    if (answer.kind !== 'error') return;
    expect(answer.error.message).toContain(`127.0.0.1:${service.port}`);
    expect(answer.error.retryAfterMs).toBe(retryAfterMs);
  });

  test('the playlist arrives once the service is back', async () => {
    const { ads } = kiosk();
    await service.goDown();
    await untilNobodyListens(service.port);
    expect(await ads.requestPlaylist(null)).toMatchObject({ error: { code: 'unreachable-connection' } });
    await service.comeBack();
    const { ads: later } = kiosk();
    expect((await later.requestPlaylist(null)).kind).toBe('document');
  });
});
