import { expect, test } from 'playwright/test';
import {
  type DemoService,
  type DemoServiceOptions,
  startDemoService,
} from '../main/demo-service/demo-service';
import type { FaultsInput } from '../main/demo-service/faults';
import { dataFolder, type Kiosk, type KioskStatus, startKiosk } from './kiosk';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  imageAd,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

// The service misbehaves while a stored playlist plays: every fault has its words in the
// status and the log, the screen keeps what it has, nothing stored is lost, and it passes.

let service: DemoService;
let folder: ReturnType<typeof dataFolder>;
let kiosk: Kiosk | null = null;

async function serve(options: DemoServiceOptions = {}): Promise<void> {
  service = await startDemoService(options);
  serveTwoCreatives(service);
}

test.beforeEach(() => {
  folder = dataFolder();
});

test.afterEach(async () => {
  await kiosk?.end();
  kiosk = null;
  await service.close();
  folder.remove();
});

/** A kiosk on the test's data folder; it replaces the one before, which has to have ended. */
async function start(settings: object = kioskSettings(service)): Promise<Kiosk> {
  kiosk = await startKiosk({ dataDir: folder.path, settings });
  return kiosk;
}

/** A kiosk whose stored playlist has been on the screen once. */
async function playing(settings?: object): Promise<Kiosk> {
  const running = await start(settings);
  await expect
    .poll(async () => new Set((await running.plays()).map(({ adId }) => adId)), { intervals: [200] })
    .toEqual(new Set(['red', 'blue']));
  return running;
}

type Operation = 'token' | 'inventory' | 'ads' | 'media';

/** The error that an operation ended with, once it has this code. */
async function errorOf(running: Kiosk, operation: Operation, code: string) {
  let error: KioskStatus['service'][string]['lastError'] = null;
  await expect
    .poll(
      async () => {
        const found = (await running.status()).service[operation];
        error = found?.lastError ?? null;
        return found?.failing === true ? error?.code : 'no failure';
      },
      { message: `the status of ${operation}`, intervals: [150] },
    )
    .toBe(code);
  return error as unknown as { code: string; message: string; advice: string };
}

/** What is stored stays as it is while the screen shows all of it and plays are recorded. */
async function expectToGoOnFromStore(running: Kiosk): Promise<void> {
  const stored = await running.playlists();
  expect(stored[0]?.ads.map(({ id }) => id)).toEqual(['red', 'blue']);
  await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)]);
  expect(await running.playlists()).toEqual(stored);
  expect((await running.status()).state).toBe('playing-from-store');
}

/** The service is well again: the kiosk finds out by itself. */
async function expectRecovery(running: Kiosk): Promise<void> {
  await expect
    .poll(
      async () => {
        const { state, service: operations } = await running.status();
        const failing = Object.keys(operations).filter((name) => operations[name]?.failing);
        return { state, failing };
      },
      { intervals: [250] },
    )
    .toEqual({ state: 'playing', failing: [] });
}

const BILLION_LAUGHS = `<?xml version="1.0"?>
<!DOCTYPE VAST [
  <!ENTITY lol "lol">
${Array.from({ length: 9 }, (_, n) => `  <!ENTITY lol${n + 1} "${`&lol${n || ''};`.repeat(10)}">`).join('\n')}
]>
<VAST version="4.2"><Ad id="&lol9;"><InLine><AdTitle>&lol9;</AdTitle></InLine></Ad></VAST>`;

const xml = (body: string): FaultsInput => ({
  ads: { kind: 'status', status: 200, contentType: 'application/xml', body },
});
const status = (code: number): FaultsInput => ({ ads: { kind: 'status', status: code } });

/** What comes instead of the playlist, the code it gets, and words of its message and its advice. */
const ANSWERS: ReadonlyArray<
  readonly [name: string, faults: FaultsInput, code: string, message: RegExp, advice: RegExp]
> = [
  ['401', status(401), 'unauthorized', /does not accept the access token \(401\)/, /service\.authUrl/],
  ['403', status(403), 'forbidden', /refuses this service account \(403\)/, /service\.projectId/],
  ['404', status(404), 'not-found', /has nothing at this address \(404\)/, /service\.baseUrl/],
  ['429', status(429), 'rate-limited', /wants fewer requests \(429\)/, /refresh less often/],
  ['500', status(500), 'server-error', /has a fault of its own \(500\)/, /tell the service/],
  ['HTML instead of XML', { ads: { kind: 'html' } }, 'web-page', /hidden behind a web page/, /log-in page/],
  [
    'XML that breaks off',
    { ads: { kind: 'truncate', afterBytes: 700 } },
    'truncated',
    /broke off/,
    /network/,
  ],
  [
    'truncated XML whose length is right',
    { ads: { kind: 'truncate', afterBytes: 700, wellFormed: true } },
    'malformed',
    /cannot be read/,
    /stored before stays in use/,
  ],
  ['a billion laughs', xml(BILLION_LAUGHS), 'malformed', /cannot be read/, /stored before stays in use/],
  ['100 MB', { ads: { kind: 'oversize', bytes: 100_000_000 } }, 'too-large', /more than/, /fewer ads/],
  ['bytes without meaning', { ads: { kind: 'garbage' } }, 'not-xml', /no XML/, /ads parameters/],
  ['nothing at all', xml(''), 'empty', /empty answer/, /tried again/],
  ['a document of something else', xml('<rss/>'), 'malformed', /cannot be read/, /stored before/],
  ['a connection that is reset', { ads: { kind: 'reset' } }, 'unreachable-connection', /connect/, /network/],
];

for (const [name, faults, code, message, advice] of ANSWERS) {
  test(`${name} in place of the playlist is ${code}, and the stored playlist plays on`, async () => {
    await serve();
    const running = await playing();
    // Without the fault the answer would be a new playlist, not a 304.
    service.setAds([imageAd('red'), imageAd('blue'), imageAd('red', 2)]);
    service.setFaults(faults);
    const error = await errorOf(running, 'ads', code);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`127.0.0.1:${service.port}`);
    expect(error.advice).toMatch(advice);
    await expectToGoOnFromStore(running);
    expect(running.log()).toContain(`"code":"${code}"`);
    expect(running.log()).toContain(JSON.stringify(error.message).slice(1, -1));
    service.setFaults({});
    await expectRecovery(running);
  });
}
