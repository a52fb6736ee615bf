import { framedBanner, mraidBanner, plainBanner } from '../main/demo-service/native-banners';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { BANNER_PAINT_DEADLINE_MS } from '../shared/stage';
import { expect } from './expect';
import { type Kiosk, shortenCards, speedUpPageTimers, speedUpTimers } from './kiosk';
import { keep, launch, service, test } from './kiosk-test';
import {
  bannerAssets,
  nativeAd,
  nativePlays,
  oneAnswerSettings,
  receivedBeacons,
  serveLoop,
} from './native-zone';
import { BRIEF, expectMorePlays, GREEN, serveColours } from './two-creatives';

// HTML banners: the markup of an ad paints, and a banner that paints nothing is never billed (rules 16, 17).

let web: WatchedServer;
/** When each file was first requested, ms since the epoch. */
let askedAt: Map<string, number>;
/** Answers the delayed request for a script. */
let answerLate: (() => void) | null;

const GROUND = 'background:#20c060;height:300px';
const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/frame': ['text/html', `<body style="margin:0"><div style="${GROUND}">`],
  '/style.css': ['text/css', '@import "/more.css"; .styled { height: 300px }'],
  '/more.css': ['text/css', '.styled { background: #20c060 }'],
  '/draw.js': ['text/javascript', `document.write('<div style="${GROUND}"></div>')`],
  '/late.js': ['text/javascript', 'draw()'],
  '/hanging': ['text/html', '<script>onmessage = () => { for (;;); }</script>'],
};

test.beforeEach(async () => {
  askedAt = new Map();
  answerLate = null;
  web = keep(
    await watchedServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const [type, body] = FILES[path] ?? ['text/plain', ''];
      if (!askedAt.has(path)) askedAt.set(path, Date.now());
      const answer = () => void response.writeHead(200, { 'content-type': type }).end(body);
      if (path === '/late.js') answerLate = answer;
      else if (path !== '/never') answer();
    }),
  );
  serveLoop(service, BRIEF);
});

const start = (cardSeconds: number): Promise<Kiosk> =>
  launch(oneAnswerSettings(service, { cardSeconds, allow: [`127.0.0.1:${web.port}`] }));
const bannerAd = (id: string, html: string, size = { w: 300, h: 250 }, assets: object[] = []) =>
  nativeAd(service, id, {
    assets: [...bannerAssets(id, html, size), ...assets],
  });
const at = (path: string) => `http://127.0.0.1:${web.port}${path}`;

test('a banner can use frames, style sheets, cookies, eval, document.write and MRAID', async () => {
  test.slow();
  const drawsWhenReady = `<div id="d"></div><script>
    const draw = () => { if (mraid.getMaxSize().width === 300) document.getElementById('d').style = '${GROUND}' };
    if (mraid.getState() === 'loading') mraid.addEventListener('ready', draw); else draw();</script>`;
  const kinds: Readonly<Record<string, string>> = {
    frame: `<iframe src="${at('/frame')}" width="300" height="250" frameborder="0"></iframe>`,
    friendly: `<iframe id="f" width="300" height="250"></iframe><script>
      const inside = document.getElementById('f').contentDocument;
      inside.open(); inside.write('<div style="${GROUND}"></div>'); inside.close();</script>`,
    sheet: `<link rel="stylesheet" href="${at('/style.css')}"><div class="styled"></div>`,
    cookie: `<script>document.cookie = 'a=1'; localStorage.b = '2';
      if (document.cookie === 'a=1' && localStorage.b === '2') document.write('<div style="${GROUND}"></div>')</script>`,
    text: `<div id="d"></div><script>eval("document.getElementById('d').style = '${GROUND}'")</script>`,
    written: `<script src="${at('/draw.js')}"></script>`,
    mraid: `<script src="mraid.js"></script>${drawsWhenReady}`,
    object: drawsWhenReady,
    viewable: `<div id="d"></div><script>
      mraid.addEventListener('viewableChange', (is) => { if (is) document.getElementById('d').style = '${GROUND}' })</script>`,
    // Its tracker never answers.
    tracked: `<div style="${GROUND}"></div><img src="${at('/never')}">`,
    demoPlain: plainBanner(service.origin),
    demoFramed: framedBanner(service.origin, at('/framed')),
    demoMraid: mraidBanner(service.origin, at('/mraid')),
  };
  service.setNativeAds(Object.entries(kinds).map(([id, html]) => bannerAd(id, html)));
  const running = await start(2);
  await shortenCards(running);
  for (const id of Object.keys(kinds))
    await expect.poll(() => receivedBeacons(service, id), { timeout: 90_000, message: id }).toEqual(['seen']);
  expect([...askedAt.keys()]).toEqual(expect.arrayContaining(['/never', '/framed', '/mraid']));
  expect(running.log()).not.toContain('a script of a banner failed');
  await expectMorePlays(running, 1);
});

test('a frame of another site that hangs in a banner on the screen is harm, and frames that come and go are none', async () => {
  test.slow();
  const frame = (path: string) => `<div style="${GROUND}"></div><iframe id="f" src="${at(path)}"></iframe>`;
  service.setNativeAds([
    bannerAd(
      'hanging',
      `${frame('/hanging')}<script>mraid.addEventListener('viewableChange', (is) => {
        if (is) document.getElementById('f').contentWindow.postMessage('', '*') })</script>`,
    ),
    bannerAd(
      'changing',
      `${frame('/frame')}<script>
        setInterval(() => { const old = document.getElementById('f'); old.replaceWith(old.cloneNode()) }, 300)</script>`,
    ),
  ]);
  // Longer than a guest may be silent.
  const running = await start(12);
  const shown = async () => (await nativePlays(running)).filter(({ shownAt }) => shownAt !== null);
  await expect
    .poll(shown, { timeout: 120_000 })
    .toMatchObject([{ outcome: 'failed', endReason: 'error' }, { outcome: 'completed' }]);
  expect(running.log()).toContain('a guest does not answer; it is closed');
  expect(running.log().match(/a creative did harm/g)).toHaveLength(1);
});

test('an MRAID banner is viewable while its slot is shown, not before and not after', async () => {
  // A banner whose view was broken by a machine that stood still is loaded and shown again, and requests may overtake
  // each other: each message names its load and its number.
  const teller = (id: string) => `const load = Math.random().toString(36).slice(2); let number = 0;
    const tell = (word) => { new Image().src = '${at('/viewable')}?' +
      new URLSearchParams({ id: '${id}', load, number: number++, word }) };`;
  const IDS = ['one', 'two', 'three', 'four', 'five', 'six'];
  service.setNativeAds(
    IDS.map((id) =>
      bannerAd(
        id,
        `<div style="${GROUND}"></div><script>${teller(id)}
        mraid.addEventListener('ready', () => tell('ready-' + mraid.isViewable()));
        mraid.addEventListener('viewableChange', (is) => tell('change-' + is));</script>`,
      ),
    ),
  );
  const running = await start(3);
  // A banner that has painted nothing 600 ms after its load is told early. A busy machine may take longer.
  await speedUpTimers(running, 1 / 8);
  await shortenCards(running);
  /** The words of each load of a banner, joined, in the order of loading. */
  const told = (id: string) => {
    const loads = new Map<string, string[]>();
    for (const { url = '' } of web.requests) {
      const query = new URL(url, 'http://any').searchParams;
      if (query.get('id') !== id) continue;
      const words = loads.get(query.get('load') ?? '') ?? [];
      words[Number(query.get('number'))] = query.get('word') ?? '';
      loads.set(query.get('load') ?? '', words);
    }
    return [...loads.values()].map((words) => words.join());
  };
  const [first = ''] = IDS;
  let viewableAt = 0;
  await expect
    .poll(
      () => {
        if (told(first)[0]?.includes('change-true')) viewableAt ||= Date.now();
        return told(first)[0];
      },
      { intervals: [20] },
    )
    .toMatch(/^ready-false,change-true/);
  await expect.poll(() => receivedBeacons(service, first)).toEqual(['seen']);
  const shownAt = async () =>
    (await nativePlays(running)).find((play) => play.shownAt !== null)?.shownAt ?? 0;
  await expect.poll(shownAt).toBeGreaterThan(0);
  // Its markup is loaded 2.5 s before its slot.
  expect(viewableAt - (await shownAt())).toBeGreaterThan(-50);
  // The last event that each receives, once its slot is over. It may be closed before it has reported that: on a
  // machine that stands still for a second just then, it is.
  const WHOLE = 'ready-false,change-true,change-false';
  await expect.poll(() => IDS.flatMap(told)).toContain(WHOLE);
  await expect.poll(() => IDS.flatMap(told).filter((words) => !WHOLE.startsWith(words))).toEqual([]);
});

test('a banner that stays blank is replaced by its picture, or its ad is not billed', async () => {
  test.slow();
  serveColours(service, { green: GREEN });
  const picture = { type: 'banner', data: { url: `${service.origin}/media/green.png`, w: 1280, h: 720 } };
  service.setNativeAds([
    bannerAd('white', '<body style="background:white"><p style="color:white">nothing</p>'),
    bannerAd('looping', '<script>for (;;);</script>'),
    bannerAd('replaced', '<div></div>', { w: 300, h: 250 }, [picture]),
  ]);
  const running = await start(3);
  // A blank banner is given up 15 s after its load; timers run five times as fast.
  await Promise.all([
    speedUpTimers(running, 5, { limits: false }),
    // Loading a picture keeps its time.
    speedUpPageTimers(running.screen, 5, BANNER_PAINT_DEADLINE_MS),
    shortenCards(running),
  ]);
  await expect.poll(() => receivedBeacons(service, 'replaced'), { timeout: 90_000 }).toEqual(['seen']);
  await expect.poll(() => running.log().includes('the banner painted nothing')).toBe(true);
  await expectMorePlays(running, 3);
  for (const ad of ['white', 'looping']) expect(receivedBeacons(service, ad), ad).toEqual([]);
  // The picture alone was shown, and the slots of the loop were never held up. A slow machine may break its view, and
  // then it is shown again.
  const shown = (await nativePlays(running)).filter(({ shownAt }) => shownAt !== null);
  expect(shown.map(({ mediaUrl }) => mediaUrl)).toEqual(shown.map(() => picture.data.url));
  expect(shown.filter(({ outcome }) => outcome === 'completed').length).toBeLessThanOrEqual(2);
});

/** An ad of a banner that closes itself. */
const closingAd = (id: string, script: string) =>
  bannerAd(id, `<img src="${at(`/${id}`)}"><div style="${GROUND}"></div><script>${script}</script>`);
const CLOSES_BEFORE =
  'onload = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => close(), 50)));';
const CLOSES_MEANWHILE = `mraid.addEventListener('viewableChange', (is) => is && close());`;

test('a banner that closes itself is never billed, neither before its slot nor while it is shown, and is not shown again', async () => {
  test.slow();
  // Its markup is loaded 2.5 s before its slot.
  serveLoop(service, 3);
  service.setNativeAds([closingAd('before', CLOSES_BEFORE), closingAd('meanwhile', CLOSES_MEANWHILE)]);
  const running = await start(3);
  // A banner that has painted nothing 600 ms after its load is told early. A busy machine may take longer.
  await speedUpTimers(running, 1 / 8);
  await expect
    .poll(() => running.log())
    .toMatch(/its page or banner broke before its first frame|it is closed/);
  const shown = async () => (await nativePlays(running)).filter(({ shownAt }) => shownAt !== null);
  await expect.poll(async () => (await shown()).length).toBe(1);
  await expectMorePlays(running, 3);
  expect(receivedBeacons(service, 'before')).toEqual([]);
  expect(receivedBeacons(service, 'meanwhile')).toEqual([]);
  expect(await shown()).toMatchObject([{ outcome: 'failed', endReason: 'error' }]);
});

test('main survives many banners that close themselves', async () => {
  test.slow();
  const ids = Array.from({ length: 8 }, (_, index) => `closing-${index}`);
  service.setNativeAds(
    ids.map((id, index) => closingAd(id, index % 2 === 0 ? CLOSES_MEANWHILE : CLOSES_BEFORE)),
  );
  const running = await start(2);
  for (const id of ids)
    await expect.poll(() => askedAt.has(`/${id}`), { timeout: 60_000, message: id }).toBe(true);
  await expectMorePlays(running, 2);
  expect(ids.flatMap((id) => receivedBeacons(service, id))).toEqual([]);
});

test('a banner that draws late gives its slot to the next ad, is loaded once, and is shown after it has drawn', async () => {
  test.slow();
  service.setNativeAds([
    bannerAd(
      'late',
      `<div id="d"></div><script>function draw() { document.getElementById('d').style = '${GROUND}' }</script>
       <script src="${at('/late.js')}"></script>`,
    ),
  ]);
  // A machine that stands still interrupts the view: the card lasts long enough for another whole second of it.
  const running = await start(5);
  // A banner is given up 15 s after its load, in main and in the page: that time is not tested here.
  await Promise.all([
    speedUpTimers(running, 1 / 4),
    speedUpPageTimers(running.screen, 1 / 4, BANNER_PAINT_DEADLINE_MS),
  ]);
  await expect.poll(() => answerLate !== null).toBe(true);
  // The kiosk does not wait: other ads are shown while it cannot paint.
  const others = async () =>
    (await running.plays()).filter(
      ({ delivery, shownAt }) => delivery !== 'native' && (shownAt ?? 0) > (askedAt.get('/late.js') ?? 0),
    ).length;
  await expect.poll(others).toBeGreaterThanOrEqual(4);
  expect(receivedBeacons(service, 'late')).toEqual([]);
  answerLate?.();
  await expect.poll(() => receivedBeacons(service, 'late')).toEqual(['seen']);
  expect(web.requests.filter(({ url }) => url === '/late.js').length).toBe(1);
  const [play, ...more] = await nativePlays(running);
  expect([play?.outcome === 'given-back', more]).toEqual([false, []]);
  await expectMorePlays(running, 1);
});

test('a banner without a size has the usual one, and the card is white behind one without a background', async () => {
  service.setNativeAds([
    bannerAd('sizeless', '<div style="width:300px;height:200px;background:#20c060"></div>', { w: 0, h: 0 }),
    bannerAd('bare', '<body style="margin:0"><div style="width:300px;height:60px;background:#20c060"></div>'),
  ]);
  // Long enough to check the card after its confirmation.
  const running = await start(5);
  const boxOf = async (selector: string) => {
    const box = await running.screen.locator(`.layer[data-place="front"] ${selector}`).boundingBox();
    if (box === null) throw new Error('no banner is on the screen');
    return box;
  };
  await expect.poll(() => receivedBeacons(service, 'sizeless'), { intervals: [50] }).toEqual(['seen']);
  const [guest, frame] = await Promise.all([boxOf('webview'), boxOf('.native-frame')]);
  expect(frame.width / frame.height).toBeCloseTo(1200 / 627, 1);
  expect(guest.width / guest.height).toBeCloseTo(1200 / 627, 1);
  expect(guest.height / frame.height).toBeGreaterThan(0.95);

  await expect.poll(() => receivedBeacons(service, 'bare'), { intervals: [50] }).toEqual(['seen']);
  const { x, y, width, height } = await boxOf('webview');
  const colourAt = (down: number) =>
    running.colour({ across: (x + width / 2) / 1280, down: (y + height * down) / 720 });
  await expect.poll(() => colourAt(0.1)).toEqual([32, 192, 96]);
  await expect.poll(() => colourAt(0.8)).toEqual([255, 255, 255]);
});
