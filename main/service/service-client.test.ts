import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { type DemoService, startDemoService } from '../demo-service/demo-service';
import type { Fault } from '../demo-service/faults';
import { type Settings, serviceAccount } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import { createAdsClient } from './ads';
import { readAds } from './ads-reading/read-ads';
import { callInventory } from './service-clients';
import type { ServiceErrorCode } from './service-error';
import { realHttp } from './testing/local-server';
import { type AccessTokens, createAccessTokens } from './token';

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

function kiosk() {
  const read = readSettings(service.settings(), 'the embedded service');
  if (read.kind === 'error') throw new Error(read.message);
  const settings: Settings = read.settings;
  const account = serviceAccount(settings);
  if (account === null) throw new Error('the embedded service asks for an account');
  const tokens = createAccessTokens({ account, http: realHttp, random: () => 0.5, log: silentLog });
  opened.push(tokens);
  const { baseUrl } = settings.service;
  const { namespaceHeader } = settings.ads;
  const projectHeader = { [namespaceHeader]: `project:${account.projectId}` };
  const ads = createAdsClient({
    http: realHttp,
    baseUrl,
    tokens,
    projectHeader,
    ...settings.ads,
    sendDemographics: false,
  });
  const inventory = () => callInventory(realHttp, tokens, baseUrl, projectHeader);
  return { tokens, ads, inventory };
}

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

test('tokens that the service revoked are replaced without an error', async () => {
  const { ads, inventory } = kiosk();
  expect((await inventory()).kind).toBe('response');
  service.revokeTokens();
  expect((await ads.requestPlaylist(null)).kind).toBe('document');
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
