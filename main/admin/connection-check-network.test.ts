import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { type DemoService, startDemoService } from '../demo-service/demo-service';
import type { Lookup } from '../egress/checked-target';
import { createEgress } from '../egress/egress';
import { forwardProxy } from '../egress/testing/forward-proxy';
import { selfSigned } from '../egress/testing/self-signed';
import { type KeyAndCertificate, testCa } from '../egress/testing/test-ca';
import { lookupOf } from '../egress/testing/watched-servers';
import { readInPlace } from '../reading/testing/read-in-place';
import { failure, type ServiceErrorCode } from '../service/service-error';
import { realHttp } from '../service/testing/local-server';
import type { Settings } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import { checkConnection } from './connection-check';

let service: DemoService;
const storeCa = testCa('The CA of a store');
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service.close());

interface Store {
  /** The user and password that the kiosk gives; the proxy asks for `kiosk:right`. */
  readonly credentials?: string;
  readonly hasProxy?: boolean;
  readonly isProxyDown?: boolean;
  readonly refuses?: number;
  readonly knowsCa?: boolean;
  /** What the service shows as its certificate. */
  readonly certificate?: () => KeyAndCertificate;
  /** The answer of the inventory service. */
  readonly inventory?: { readonly status: number; readonly body: object };
  readonly lookup?: Lookup;
  readonly account?: object;
  /** Of `ads.params`. */
  readonly params?: object;
}

/** The connection test of a kiosk whose service lies behind a store's proxy that inspects TLS. */
async function checkIn(store: Store) {
  const { inventory } = store;
  service.setFaults(
    inventory
      ? { inventory: { kind: 'status', status: inventory.status, body: JSON.stringify(inventory.body) } }
      : {},
  );
  const raw = service.settings();
  const port = Number(new URL(raw.service.baseUrl).port);
  const proxy = await forwardProxy({
    routes: { 'service.example:443': port },
    credentials: 'kiosk:right',
    inspects: store.certificate ? { ...storeCa, issue: store.certificate } : storeCa,
    ...(store.refuses === undefined ? {} : { refuses: store.refuses }),
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  if (store.isProxyDown) await proxy[Symbol.asyncDispose]();
  const hasProxy = store.hasProxy ?? true;
  const address = 'https://service.example';
  const read = readSettings(
    {
      ...raw,
      service: {
        ...raw.service,
        baseUrl: address,
        authUrl: address,
        nativeUrl: address,
        headers: { 'X-Retailer': 'acme' },
        ...store.account,
      },
      ads: { ...raw.ads, params: { ...raw.ads.params, ...store.params } },
      network: hasProxy
        ? { proxy: `http://kiosk:${store.credentials ?? 'right'}@127.0.0.1:${proxy.port}` }
        : {},
    },
    'test',
  );
  if (read.kind === 'error') throw new Error(read.message);
  const { network } = read.settings;
  const settings: Settings = {
    ...read.settings,
    network: { ...network, additionalCas: (store.knowsCa ?? true) ? [storeCa.cert] : [] },
  };
  const lookup = store.lookup ?? lookupOf({});
  const parts = { lookup, systemProxy: async () => 'DIRECT', userAgent: 'Endcap/test' };
  return checkConnection(
    settings,
    {
      httpOf: (tried) =>
        createEgress(tried, { ...parts, schedule: realHttp.schedule, clock: realHttp.clock }).http(),
      random: () => 0.5,
      log: silentLog,
      device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' },
      reading: readInPlace,
    },
    () => {},
  );
}

test('all steps succeed through a proxy that asks for a password and inspects TLS', async () => {
  service.clearRequests();
  const steps = await checkIn({});
  expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['token', true],
    ['inventory', true],
    ['ads', true],
    ['native', true],
  ]);
});

/** What is wrong, the step that fails, its code, and what the advice names. */
const WRONG: ReadonlyArray<[what: string, store: Store, step: string, code: string, advice: RegExp]> = [
  ['the proxy is down', { isProxyDown: true }, 'token', 'proxy-unreachable', /network\.proxy/],
  ['the proxy wants another password', { credentials: 'wrong' }, 'token', 'proxy-auth', /user and password/],
  ['the proxy does not allow the service', { refuses: 403 }, 'token', 'proxy-refused', /runs the proxy/],
  [
    'the proxy cannot connect to the service either',
    { refuses: 503 },
    ...(['token', 'proxy-refused', /502, 503 or 504 .* the service is down/] as const),
  ],
  ['the name of the service is unknown', { hasProxy: false }, 'token', 'unreachable-name', /name|DNS/i],
  ['the CA of the proxy is unknown', { knowsCa: false }, 'token', 'unknown-ca', /network\.caFile/],
  [
    'the service signed its certificate itself',
    { certificate: selfSigned },
    ...(['token', 'unknown-ca', /network\.caFile/] as const),
  ],
  [
    'the certificate has expired',
    { certificate: () => storeCa.issue('service.example', ['200101', '211231']) },
    ...(['token', 'certificate-date', /date and time.*renew/] as const),
  ],
  [
    "the kiosk's clock is behind: the certificate is not valid yet",
    { certificate: () => storeCa.issue('service.example', ['480101', '491231']) },
    ...(['token', 'certificate-date', /date and time/] as const),
  ],
  [
    'the certificate is of another host',
    { certificate: () => storeCa.issue('other.example') },
    ...(['token', 'certificate-name', /service\.authUrl/] as const),
  ],
  ['the secret is wrong', { account: { clientSecret: 'other' } }, 'token', 'wrong-secret', /secret/],
  ['the project is another', { account: { projectId: 'other' } }, 'inventory', 'forbidden', /projectId/],
  [
    'the project is unknown to the service',
    { inventory: { status: 404, body: { code: 5, message: 'no such project', details: [] } } },
    ...(['inventory', 'wrong-project', /projectId/] as const),
  ],
  [
    'the project is no project',
    { inventory: { status: 400, body: { code: 3, message: 'bad namespace', details: [] } } },
    ...(['inventory', 'wrong-project', /projectId/] as const),
  ],
  [
    'the address is another',
    { inventory: { status: 404, body: {} } },
    ...(['inventory', 'not-found', /service\.baseUrl/] as const),
  ],
  [
    'the path is another, and a gateway answers',
    { inventory: { status: 404, body: { code: 5, message: 'Not Found', details: [] } } },
    ...(['inventory', 'not-found', /service\.baseUrl/] as const),
  ],
  [
    'the player is unknown to the service',
    { params: { playerid: 'other' } },
    ...(['ads', 'unexpected-status', /ads\.params/] as const),
  ],
  ["the retailer's key is another", { params: { key: 'other' } }, 'ads', 'forbidden', /ads\.params/],
];

test.each(WRONG)('%s: the result says so', async (_what, store, at, code, advice) => {
  const steps = await checkIn(store);
  const failed = steps.find(({ ok }) => !ok);
  expect(failed).toMatchObject({ step: at, code, advice: expect.stringMatching(advice) });
  expect(JSON.stringify(steps)).not.toMatch(/kiosk:|hunter|wrong@/);
});

test.each([
  ['token', 'service.authUrl', '/oauth/v2/token'],
  ['inventory', 'service.baseUrl', '/v1alpha/inventory/devices'],
  ['playlist', 'service.baseUrl', '/v1alpha2/ads'],
  ['native', 'service.nativeUrl', '/api/v3/native'],
] as const)(
  'the advice on a wrong address says which path the kiosk adds: %s',
  (operation, setting, path) => {
    const { advice } = failure(operation, 'not-found', { host: 'service.example' }).error;
    expect(advice).toBe(`Check ${setting}: it ends before "${path}", which the kiosk adds.`);
  },
);

test('each code has advice of its own', () => {
  const codes = [...new Set(WRONG.map(([, , , code]) => code as ServiceErrorCode))];
  const advice = codes.map((code) => failure('token', code, { host: 'service.example' }).error.advice);
  expect(new Set(advice).size).toBe(codes.length);
});
