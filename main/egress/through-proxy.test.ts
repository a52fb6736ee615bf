import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { listening, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { type Schedule, timers } from '../schedule';
import { networkCode } from '../service/service-error';
import { readProxy } from '../settings/proxy-address';
import { createAdFetch } from './ad-fetch';
import type { Lookup } from './checked-target';
import { createServiceFetch } from './egress';
import { createEgressPolicy, type EgressPurpose } from './egress-policy';
import { startEgressProxy } from './egress-proxy';
import { createOpenConnection } from './open-connection';
import { createProxies } from './proxies';
import { SendError } from './send-error';
import { FENCED_CASES } from './testing/fenced-cases';
import { type ForwardProxy, forwardProxy } from './testing/forward-proxy';
import { sendRawRequest } from './testing/raw-request';
import { testCa } from './testing/test-ca';
import { lookupOf, watchedServer } from './testing/watched-servers';

const PASSWORD = 'p@ss:w%rd';
const WITH_PASSWORD = `kiosk:${encodeURIComponent(PASSWORD)}@`;

function owned<T extends AsyncDisposable>(thing: T): T {
  onTestFinished(() => thing[Symbol.asyncDispose]());
  return thing;
}
const aProxy = async (options: Parameters<typeof forwardProxy>[0]) => owned(await forwardProxy(options));
const aServer = async (listener?: Parameters<typeof watchedServer>[0]) =>
  owned(await watchedServer(listener));

/** A server of `ads.example` whose certificate this CA has issued. */
async function aTlsServer(ca = testCa('The CA of a service')) {
  const server = createTlsServer(ca.issue('ads.example'), (_request, response) => response.end('over TLS'));
  return { ca, port: owned(await listening(server)).port };
}

interface Way {
  readonly proxy?: string;
  readonly noProxy?: readonly string[];
  readonly system?: (url: string) => Promise<string>;
  readonly cas?: readonly string[];
  readonly lookup?: Lookup;
  readonly allow?: readonly string[];
  readonly schedule?: Schedule;
}
const NO_DNS = lookupOf({});
/** No name resolves here by default, as in a store where only the proxy can use the internet's DNS. */
const proxiesOf = ({ proxy, noProxy = [], system, lookup = NO_DNS }: Way) => {
  const read = proxy === undefined ? null : readProxy(proxy);
  if (proxy !== undefined && read === null) throw new Error(`${proxy} is no proxy`);
  const unasked = async () => Promise.reject(new Error('the system was not to be asked'));
  return createProxies({ proxy: read, noProxy, lookup, resolveSystem: system ?? unasked });
};
const common = (way: Way) => ({
  schedule: way.schedule ?? timers,
  openConnection: createOpenConnection(way.cas ?? []),
});
const serviceFetch = (way: Way) =>
  createServiceFetch({ ...common(way), lookup: way.lookup ?? NO_DNS, proxies: proxiesOf(way) });
function fenceOf(way: Way) {
  const unchecked: string[] = [];
  const lookup = way.lookup ?? NO_DNS;
  const egressPolicy = createEgressPolicy({
    serviceUrls: [],
    allowPrivateHosts: way.allow ?? [],
    lookup,
    behindProxy: { proxies: proxiesOf(way), lookup, onUnchecked: (name) => unchecked.push(name) },
  });
  return { egressPolicy, unchecked };
}
const adFetch = (way: Way, purpose: EgressPurpose = 'beacon') =>
  createAdFetch({ ...common(way), egressPolicy: fenceOf(way).egressPolicy, purpose });

const at = ({ port }: { port: number }, credentials = '') => `http://${credentials}127.0.0.1:${port}`;
const text = async (response: Promise<Response>) => (await response).text();
async function errorOf(response: Promise<Response>): Promise<SendError> {
  const error = await response.then(
    ({ status }) => new Error(`expected an error, got the status ${status}`),
    (error: unknown) => error,
  );
  if (!(error instanceof SendError)) throw error;
  return error;
}

describe("the service's own requests", () => {
  test('over https go through a tunnel to the host name, without a look-up here', async () => {
    const { ca, port } = await aTlsServer();
    const proxy = await aProxy({ routes: { 'ads.example:443': port } });
    const lookup = lookupOf({});
    const fetch = serviceFetch({ proxy: at(proxy), cas: [ca.cert], lookup });
    expect(await text(fetch('https://ads.example/v1', { method: 'POST', body: 'x' }))).toBe('over TLS');
    expect(proxy.asked).toEqual(['CONNECT ads.example:443']);
    expect(lookup.asked).toEqual([]);
  });

  test('over http are forwarded by the proxy, without a tunnel', async () => {
    const server = await aServer();
    const proxy = await aProxy({ routes: { 'ads.example:80': server.port } });
    expect(await text(serviceFetch({ proxy: at(proxy) })('http://ads.example/v1?q=1', {}))).toBe('here');
    expect(proxy.asked).toEqual(['GET http://ads.example/v1?q=1']);
    expect(server.requests[0]?.headers).toMatchObject({ host: 'ads.example' });
    expect(server.requests[0]?.url).toBe('/v1?q=1');
  });

  test.each(['http', 'https'])('over %s send user and password to the proxy only', async (scheme) => {
    const server = await aServer();
    const tls = await aTlsServer();
    const routes = { 'ads.example:80': server.port, 'ads.example:443': tls.port };
    const proxy = await aProxy({ routes, credentials: `kiosk:${PASSWORD}` });
    const right = serviceFetch({ proxy: at(proxy, WITH_PASSWORD), cas: [tls.ca.cert] });
    expect((await right(`${scheme}://ads.example/`, {})).status).toBe(200);
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty('proxy-authorization');

    for (const credentials of ['', 'kiosk:hunter2@']) {
      const wrong = serviceFetch({ proxy: at(proxy, credentials), cas: [tls.ca.cert] });
      const error = await errorOf(wrong(`${scheme}://ads.example/`, {}));
      expect(error).toMatchObject({ code: 'proxy-auth', left: 'no' });
      expect(networkCode(error, 'playlist').code).toBe('proxy-auth');
      expect(`${error.message} ${networkCode(error, 'playlist').detail}`).not.toMatch(/hunter2|kiosk/);
    }
  });

  test.each(['http', 'https'])('over %s report an unreachable proxy', async (scheme) => {
    const gone = await forwardProxy({ routes: {} });
    await gone[Symbol.asyncDispose]();
    await untilNobodyListens(gone.port);
    const error = await errorOf(serviceFetch({ proxy: at(gone) })(`${scheme}://ads.example/`, {}));
    expect(error).toMatchObject({ code: 'proxy-unreachable', left: 'no' });
    expect(networkCode(error, 'playlist').code).toBe('proxy-unreachable');
  });

  test('say when the name of the proxy is not known', async () => {
    const error = await errorOf(
      serviceFetch({ proxy: 'http://proxy.store:3128' })('http://ads.example/', {}),
    );
    expect(error).toMatchObject({ code: 'proxy-unreachable', left: 'no' });
    expect(error.message).toContain('http://proxy.store:3128');
  });

  test('report a proxy that refuses the host or does not answer', async () => {
    const closed = await aProxy({ routes: {}, refuses: 403 });
    const refused = await errorOf(serviceFetch({ proxy: at(closed) })('https://ads.example/', {}));
    expect(refused).toMatchObject({ code: 'proxy-refused', left: 'no' });
    expect(refused.message).toContain('403');
    await expect.poll(closed.openConnections).toBe(0);
    // As tinyproxy answers a wrong password.
    const unauthorized = await aProxy({ routes: {}, refuses: 401 });
    const wrong = await errorOf(serviceFetch({ proxy: at(unauthorized) })('https://ads.example/', {}));
    expect(wrong).toMatchObject({ code: 'proxy-auth', left: 'no' });

    const silent = owned(await listening(createTcpServer((socket) => socket.resume())));
    const hurried: Schedule = (ms, run) => timers(ms / 200, run);
    const late = serviceFetch({ proxy: at(silent), schedule: hurried })('https://ads.example/', {});
    expect(await errorOf(late)).toMatchObject({ code: 'timeout', left: 'no' });
  });

  test('through a proxy that inspects TLS report unknown-ca without its CA', async () => {
    const server = await aServer();
    const inspects = testCa('The CA of a store');
    const proxy = await aProxy({ routes: { 'ads.example:443': server.port }, inspects });
    const error = await errorOf(serviceFetch({ proxy: at(proxy) })('https://ads.example/', {}));
    expect(error.code).toBe('tls');
    expect(networkCode(error, 'playlist').code).toBe('unknown-ca');
    expect(server.requests).toEqual([]);
    const trusting = serviceFetch({ proxy: at(proxy), cas: [testCa('Another').cert, inspects.cert] });
    expect(await text(trusting('https://ads.example/', {}))).toBe('here');
  });

  test('to this machine and to hosts without proxy go directly', async () => {
    const server = await aServer();
    const proxy = await aProxy({ routes: {} });
    const lookup = lookupOf({ 'direct.example': ['127.0.0.1'], 'a.store.example': ['127.0.0.1'] });
    const noProxy = ['direct.example', '.store.example'];
    const fetch = serviceFetch({ proxy: at(proxy), lookup, noProxy });
    for (const host of ['127.0.0.1', '[::1]', 'direct.example', 'a.store.example'])
      expect(await text(fetch(`http://${host}:${server.port}/`, {}))).toBe('here');
    expect(proxy.asked).toEqual([]);
  });

  test('use the proxy that the system names', async () => {
    const server = await aServer();
    const proxy = await aProxy({ routes: { 'ads.example:80': server.port } });
    const told: string[] = [];
    const says = (words: string) =>
      serviceFetch({
        proxy: 'system',
        lookup: lookupOf({ 'direct.example': ['127.0.0.1'] }),
        async system(url) {
          told.push(url);
          return words;
        },
      });
    const proxied = says(`SOCKS5 127.0.0.1:1; PROXY 127.0.0.1:${proxy.port}; DIRECT`);
    expect(await text(proxied('http://ads.example/secret?key=1', {}))).toBe('here');
    expect(told).toEqual(['http://ads.example/']);
    expect(await text(says('DIRECT')(`http://direct.example:${server.port}/`, {}))).toBe('here');
    expect(proxy.asked).toHaveLength(1);
    const unknown = await errorOf(says('SOCKS5 127.0.0.1:1')('http://ads.example/', {}));
    expect(unknown).toMatchObject({ code: 'proxy-unreachable', left: 'no' });
  });

  test.each(['[::1]:80', '[::1]'])('use port 80 of the proxy %s that the system names', async (where) => {
    const lookup = lookupOf({});
    const resolveSystem = async () => `PROXY ${where}`;
    const proxies = createProxies({ proxy: 'system', noProxy: [], lookup, resolveSystem });
    const chosen = await proxies(new URL('http://ads.example/'));
    expect(chosen).toMatchObject({ hostname: '::1', port: 80 });
  });
});

describe('addresses in ads, behind a proxy', () => {
  const names = Object.fromEntries(
    FENCED_CASES.flatMap(({ host, addresses }) =>
      addresses ? [[URL.parse(`http://${host}`)?.hostname ?? host, addresses]] : [],
    ),
  );
  /** A proxy with these routes would connect to any host. */
  const everywhere = (port: number) =>
    new Proxy<Record<string, number>>({}, { get: () => port }) as Readonly<Record<string, number>>;

  test.each(FENCED_CASES)('never lead to $host ($what), by name or redirect', async ({ host }) => {
    const redirecting = await aServer((_request, response) => {
      // Written as bytes: a header holds Latin-1.
      const location = Buffer.from(`http://${host}/`, 'utf8').toString('latin1');
      response.writeHead(302, { location }).end();
    });
    const proxy = await aProxy({ routes: everywhere(redirecting.port) });
    const way: Way = {
      proxy: at(proxy),
      lookup: lookupOf({ ...names, 'public.example': ['1.1.1.1'] }),
    };
    expect((await errorOf(adFetch(way)(`http://${host}/`))).code).not.toMatch(/^proxy/);
    expect((await errorOf(adFetch(way)(`https://${host}/`))).code).not.toMatch(/^proxy/);
    expect(proxy.asked).toEqual([]);
    await errorOf(adFetch(way)('http://public.example/'));
    expect(proxy.asked).toEqual(['GET http://public.example/']);
  });

  test('go to the proxy and are counted if no DNS answers here, except local names', async () => {
    const server = await aServer();
    const proxy = await aProxy({ routes: everywhere(server.port) });
    const { egressPolicy, unchecked } = fenceOf({ proxy: at(proxy) });
    const fetch = createAdFetch({ ...common({}), egressPolicy, purpose: 'media' });
    expect(await text(fetch('http://cdn.example/a.mp4'))).toBe('here');
    expect(unchecked).toEqual(['cdn.example']);
    const domains = [
      'localhost.localdomain',
      'localhost6.localdomain6',
      'tv.local',
      'x.internal.',
      'nas.home.arpa',
    ];
    for (const host of ['router', ...domains, '10.0.0.1', '[fd00::1]'])
      expect((await errorOf(fetch(`http://${host}/`))).code).toBe('fenced');
    expect((await errorOf(fetch('http://cdn.example:22/'))).code).toBe('fenced');
    expect(proxy.asked).toEqual(['GET http://cdn.example/a.mp4']);
  });

  test('reach a host named by the operator through the proxy too', async () => {
    const server = await aServer();
    const proxy = await aProxy({ routes: { '10.1.2.3:80': server.port } });
    expect(await text(adFetch({ proxy: at(proxy), allow: ['10.1.2.3'] })('http://10.1.2.3/'))).toBe('here');
  });
});

describe('pages, behind a proxy', () => {
  async function page(proxy: ForwardProxy, credentials = '') {
    const way: Way = { proxy: at(proxy, credentials) };
    const { egressPolicy } = fenceOf(way);
    const own = await startEgressProxy({ egressPolicy, purpose: 'guest', schedule: timers, log: silentLog });
    onTestFinished(() => own.close());
    return own.port;
  }

  test('use the proxy for http and tunnels, with its password', async () => {
    const server = await aServer();
    const routes = { 'web.example:80': server.port, 'web.example:443': server.port };
    const proxy = await aProxy({ routes, credentials: `kiosk:${PASSWORD}` });
    const port = await page(proxy, WITH_PASSWORD);
    const end = 'Host: web.example\r\nConnection: close\r\n\r\n';
    expect(await sendRawRequest(port, `GET http://web.example/a?b HTTP/1.1\r\n${end}`)).toMatch(
      /200 OK[\s\S]*here/,
    );
    const tunnelled = `CONNECT web.example:443 HTTP/1.1\r\nHost: web.example:443\r\n\r\nGET /c HTTP/1.1\r\n${end}`;
    expect(await sendRawRequest(port, tunnelled)).toMatch(/200 Connection established[\s\S]*here/);
    expect(proxy.asked).toEqual(['GET http://web.example/a?b', 'CONNECT web.example:443']);
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  test('are never asked for the password of the proxy', async () => {
    const proxy = await aProxy({ routes: {}, credentials: 'kiosk:other' });
    const port = await page(proxy, WITH_PASSWORD);
    for (const line of ['GET http://web.example/', 'CONNECT web.example:443']) {
      const answer = await sendRawRequest(
        port,
        `${line} HTTP/1.1\r\nHost: web.example\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 502 /);
      expect(answer.toLowerCase()).not.toContain('proxy-authenticate');
    }
    expect(proxy.asked).toHaveLength(2);
  });

  test('are kept from private addresses', async () => {
    const proxy = await aProxy({ routes: {} });
    const port = await page(proxy);
    for (const line of ['GET http://10.0.0.1/', 'CONNECT 192.168.1.1:443'])
      expect(await sendRawRequest(port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 403 /,
      );
    expect(proxy.asked).toEqual([]);
  });
});
