import { createSocket } from 'node:dgram';
import type { Page } from 'playwright';
import { test } from 'playwright/test';
import { createEgressPolicy } from '../main/egress/egress-policy';
import { type EgressProxy, startEgressProxy } from '../main/egress/egress-proxy';
import { lookupOf, type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { timers } from '../main/schedule';
import { silentLog } from '../shared/log';
import { type ElectronProgram, startProgram } from './electron-program';
import { expect } from './expect';

/** Attempts of a hostile page to reach an address; each ends by itself. */
const ATTEMPTS = [
  'fetch',
  'img',
  'script',
  'frame',
  'beacon',
  'form',
  'websocket',
  'events',
  'worker',
  'prefetch',
  'video',
] as const;

/** Only the fenced page tries to reach it, at every loopback address; it must never be reached. */
let forbidden: Target;
/** The same, tried by the page outside the egress policy, which shows that the attempts work. */
let open: Target;
/** Serves the page, and may be reached. Redirects to `?to=`. */
let allowed: WatchedServer;
let proxy: EgressProxy;
let program: ElectronProgram;
let fenced: Page;
let unfenced: Page;

test.beforeAll(async () => {
  [forbidden, open] = await Promise.all([target(), target()]);
  allowed = await watchedServer((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (to !== null) response.writeHead(302, { location: to }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>');
  });
  const egressPolicy = createEgressPolicy({
    serviceUrls: [`http://127.0.0.1:${forbidden.web.port}`],
    allowPrivateHosts: [`127.0.0.1:${allowed.port}`],
    lookup: lookupOf({ 'lan.example': ['127.0.0.1'], 'mixed.example': ['1.1.1.1', '::1'] }),
  });
  proxy = await startEgressProxy({ egressPolicy, purpose: 'guest', schedule: timers, log: silentLog });
  const address = `http://127.0.0.1:${allowed.port}/page`;
  program = await startProgram('fenced-window.ts', String(proxy.port), address);
  const page = async (partition: string) => {
    const find = () => program.electron.windows().find((window) => window.url().endsWith(`?${partition}`));
    await expect.poll(() => find() !== undefined).toBe(true);
    const found = find();
    if (!found) throw new Error(`there is no ${partition} window`);
    await found.waitForLoadState();
    return found;
  };
  fenced = await page('fenced');
  unfenced = await page('unfenced');
});

test.afterAll(async () => {
  await program.close();
  await proxy.close();
  await forbidden.close();
  await open.close();
  await allowed[Symbol.asyncDispose]();
});

/**
 * Makes a page try `kind` against `http://HOST…`; resolves when the page knows the outcome.
 * @param silentAfterMs without an outcome by then it is `silent`
 */
function attempt(
  page: Page,
  kind: (typeof ATTEMPTS)[number],
  url: string,
  silentAfterMs = 5_000,
): Promise<string> {
  return page.evaluate(
    ([what, target, silentMs]) =>
      new Promise<string>((done) => {
        setTimeout(() => done('silent'), Number(silentMs));
        const element = (name: string, prepare: (made: HTMLElement) => void) => {
          const made = document.createElement(name);
          made.onload = () => done('loaded');
          made.onerror = () => done('failed');
          prepare(made);
          document.body.append(made);
        };
        switch (what) {
          case 'fetch':
          case 'beacon':
            // The outcome of a beacon is not reported, so the next request in the queue shows it.
            if (what === 'beacon') navigator.sendBeacon(target, 'x');
            fetch(target, { mode: 'no-cors', cache: 'no-store' }).then(
              () => done('answered'),
              () => done('failed'),
            );
            break;
          case 'img':
          case 'script':
          case 'video':
            element(what, (made) => made.setAttribute('src', `${target}?${Math.random()}`));
            break;
          case 'prefetch':
            element('link', (made) => {
              made.setAttribute('rel', 'prefetch');
              made.setAttribute('href', `${target}?${Math.random()}`);
            });
            break;
          case 'frame':
            element('iframe', (made) => made.setAttribute('src', target));
            break;
          case 'form': {
            const frame = document.createElement('iframe');
            frame.name = `frame${Math.random()}`;
            document.body.append(frame);
            frame.onload = () => done('loaded');
            const form = document.createElement('form');
            form.method = 'post';
            form.action = target;
            form.target = frame.name;
            document.body.append(form);
            form.submit();
            break;
          }
          case 'websocket': {
            const socket = new WebSocket(target.replace('http', 'ws'));
            socket.onopen = () => done('open');
            socket.onerror = () => done('failed');
            break;
          }
          case 'events': {
            const source = new EventSource(target);
            source.onopen = () => done('open');
            source.onerror = () => {
              source.close();
              done('failed');
            };
            break;
          }
          case 'worker': {
            const code = `fetch(${JSON.stringify(target)}, { mode: 'no-cors' }).then(() => postMessage('answered'), () => postMessage('failed'))`;
            const worker = new Worker(URL.createObjectURL(new Blob([code])));
            worker.onmessage = ({ data }) => done(data);
            break;
          }
        }
      }),
    [kind, url, String(silentAfterMs)] as const,
  );
}

test.afterEach(() => {
  expect([forbidden.web.connections(), forbidden.datagrams()]).toEqual([0, 0]);
});

test('a page outside the fence succeeds with every attempt, so the attempts are real', async () => {
  const arrived = (path: string) => open.web.requests.some(({ url }) => url?.startsWith(path));
  for (const kind of ATTEMPTS) {
    void attempt(unfenced, kind, `http://127.0.0.1:${open.web.port}/${kind}`);
    await expect.poll(() => arrived(`/${kind}`), kind).toBe(true);
  }
});

test('a fenced page reaches nothing on this machine, whatever element, protocol or spelling it uses', async () => {
  const { port } = forbidden.web;
  for (const kind of ATTEMPTS) await attempt(fenced, kind, `http://127.0.0.1:${port}/${kind}`);
  const spellings = [
    'localhost',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.',
    'user@127.0.0.1',
    'lan.example',
    'mixed.example',
    'sub.localhost',
  ];
  for (const host of spellings) {
    for (const scheme of ['http', 'https']) {
      await attempt(fenced, 'fetch', `${scheme}://${host}:${port}/`);
      await attempt(fenced, 'img', `${scheme}://${host}:${port}/`);
    }
    await attempt(fenced, 'websocket', `http://${host}:${port}/`);
  }
});

test('a fenced page reaches nothing through a redirect of an allowed host', async () => {
  const redirect = (to: string) => `http://127.0.0.1:${allowed.port}/?to=${encodeURIComponent(to)}`;
  const last = `http://localhost:${forbidden.web.port}/`;
  for (const kind of ['fetch', 'img', 'frame', 'script'] as const) {
    await attempt(fenced, kind, redirect(last));
    await attempt(fenced, kind, redirect(redirect(last)));
  }
  // An attempt is silent after five seconds, and its requests may come later on a slow machine.
  await expect
    .poll(() => allowed.requests.filter(({ url }) => url?.includes('to=')).length)
    .toBeGreaterThanOrEqual(12);
});

test('an allowed host is reached', async () => {
  const before = allowed.requests.length;
  expect(await attempt(fenced, 'fetch', `http://127.0.0.1:${allowed.port}/hello`, 30_000)).toBe('answered');
  expect(allowed.requests.slice(before).map((request) => request.url)).toEqual(['/hello']);
});

test('WebTransport reaches nothing', async () => {
  const connect = (page: Page, port: number) =>
    page.evaluate(
      (url) =>
        new WebTransport(url).ready.then(
          () => 'open',
          () => 'failed',
        ),
      `https://127.0.0.1:${port}/`,
    );
  expect(await connect(fenced, forbidden.udpPort)).toBe('failed');
  const before = open.datagrams();
  connect(unfenced, open.udpPort).catch(() => {});
  await expect.poll(open.datagrams).toBeGreaterThan(before);
});

test('WebRTC reaches nothing over UDP or TCP', async () => {
  const gather = (page: Page, port: number) =>
    page.evaluate(
      (target) =>
        new Promise<string[]>((done) => {
          const found: string[] = [];
          const connection = new RTCPeerConnection({
            iceServers: [
              { urls: [`stun:127.0.0.1:${target}`, `stun:[::1]:${target}`] },
              {
                urls: [`turn:127.0.0.1:${target}?transport=udp`, `turn:127.0.0.1:${target}?transport=tcp`],
                username: 'u',
                credential: 'c',
              },
            ],
          });
          connection.createDataChannel('x');
          connection.onicecandidate = ({ candidate }) => {
            if (candidate === null) done(found);
            else found.push(candidate.candidate);
          };
          void connection.createOffer().then((offer) => connection.setLocalDescription(offer));
          setTimeout(() => done(found), 12_000);
        }),
      port,
    );
  expect(await gather(fenced, forbidden.udpPort)).toEqual([]);
  expect(await gather(fenced, forbidden.web.port)).toEqual([]);
  // Outside the egress policy both arrive: STUN and TURN over UDP at one port, TURN over TCP at the other.
  const [sent, connected] = [open.datagrams(), open.web.connections()];
  for (const port of [open.udpPort, open.web.port]) gather(unfenced, port).catch(() => {});
  await expect.poll(open.datagrams).toBeGreaterThan(sent);
  await expect.poll(open.web.connections).toBeGreaterThan(connected);
});

test('without the proxy no connection is possible', async () => {
  const before = allowed.connections();
  const { port } = proxy;
  await proxy.close();
  expect(await attempt(fenced, 'fetch', `http://127.0.0.1:${allowed.port}/late`, 30_000)).toBe('failed');
  expect(await attempt(fenced, 'fetch', `http://127.0.0.1:${port}/`, 30_000)).toBe('failed');
  expect(allowed.connections()).toBe(before);
});

interface Target {
  readonly web: WatchedServer;
  readonly udpPort: number;
  datagrams(): number;
  close(): Promise<void>;
}

/** A web server and a UDP socket on every loopback address that count requests and datagrams. */
async function target(): Promise<Target> {
  let arrived = 0;
  const socket = createSocket('udp6', () => {
    arrived += 1;
  });
  await new Promise<void>((done) => socket.bind(0, '::', done));
  const web = await watchedServer((_request, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('reached');
  });
  return {
    web,
    udpPort: socket.address().port,
    datagrams: () => arrived,
    async close() {
      socket.close();
      await web[Symbol.asyncDispose]();
    },
  };
}
