import { expect } from './expect';
import { type Kiosk, logOf, speedUpTimers } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { askRecords, openRecordsPort } from './records-port';
import { solidImage } from './solid-image';
import { spawnKiosk } from './spawned-kiosk';
import {
  BLUE,
  errorCodes,
  expectMorePlays,
  expectOnScreen,
  fixture,
  imageAd,
  kioskSettings,
  RED,
  videoAd,
} from './two-creatives';

function serveBoth(): void {
  service.setMedia('red.png', solidImage(RED), 'image/png');
  service.setMedia('blue.mp4', fixture('blue-2s.mp4'), 'video/mp4');
  service.setAds([imageAd('red', 2), videoAd('blue', 2), ...unplayable()]);
}

/** Ads that cannot be played: no metadata, no file that a kiosk plays, a wrapper of nothing. */
function unplayable() {
  const errors = (ad: string) => [`${service.origin}/collect/error?ad=${ad}&code=[ERRORCODE]`];
  const script = { name: 'script.js', type: 'application/javascript', width: 1280, height: 720 };
  const wrapper = `${service.origin}/media/gone.xml?of=[DEVICEUA]&size=[PLAYERSIZE]`;
  return [
    { ...imageAd('bad'), metadata: null, errors: errors('bad') },
    { ...imageAd('script'), media: [script], errors: errors('script') },
    { id: 'gone', wrapper, metadata: {}, errors: errors('gone') },
  ];
}

/** One answer: a second one would report its errors again. */
const settings = () => kioskSettings(service, 600);
const eventsOf = (ad: string) =>
  service
    .beacons()
    .filter((beacon) => beacon.query.ad === ad)
    .map((beacon) => /([a-z]+)(\.gif)?$/i.exec(beacon.path)?.[1]);

test.describe('on one kiosk', () => {
  let running: Kiosk;

  shareWorld(async () => {
    serveBoth();
    running = await launch(settings());
  });

  test('both creatives are on the screen, in the books and at the collector', async () => {
    for (const colour of [RED, BLUE]) await expectOnScreen(running, colour);

    // The file that arrives first plays first, and alone until the other one is there.
    const completed = async () => (await running.plays()).filter((play) => play.outcome === 'completed');
    // A video that stood still with the machine comes again after half a minute.
    await expect.poll(async () => new Set((await completed()).map(({ adId }) => adId)).size).toBe(2);
    const plays = await completed();
    for (const ad of ['red', 'blue']) {
      expect(plays.find(({ adId }) => adId === ad)).toMatchObject({ flightId: `flight-${ad}` });
      await expect.poll(() => eventsOf(ad)).toContain('complete');
      // A video that stood still with the machine reports an error, and comes again.
      const stoodStill = (await running.plays()).some(
        ({ adId, endReason }) => adId === ad && /^(?:start-timeout|stalled)$/.test(endReason ?? ''),
      );
      const events = eventsOf(ad).filter((event) => !(stoodStill && event === 'error'));
      const order = ['impression', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];
      // The next play of the same ad may report its first events before this one's last.
      expect([...new Set(events)]).toEqual(order);
    }
  });

  test('error URLs of rejected ads and failed wrappers are requested once per answer, with their codes', async () => {
    const codes = () => ['bad', 'script', 'gone'].map((ad) => errorCodes(service, ad));
    await expect.poll(codes).toEqual([['101'], ['403'], ['301']]);
    const wrapped = service.requests().find(({ path }) => path === '/media/gone.xml');
    const size = expect.stringMatching(/^\d+,\d+$/);
    expect(wrapped?.query).toEqual({ of: wrapped?.headers['user-agent'], size });
    const rejected = async () => (await running.status()).playlist?.rejected;
    const detail = expect.stringMatching(/\w+ \w+/);
    await expect.poll(rejected).toContainEqual({ id: 'bad', code: 'metadata-missing', detail });
    expect(running.log()).toMatch(/an ad was rejected .*"ad":"bad","code":"metadata-missing"/);
    await expectMorePlays(running, 2);
    expect(codes()).toEqual([['101'], ['403'], ['301']]);
  });

  test('after a restart it plays from the stored playlist, with the service gone', async () => {
    await expect.poll(async () => (await running.plays()).some((play) => play.adId === 'blue')).toBe(true);
    expect(await running.terminate()).toBe(0);
    const ended = Date.now();
    const before = service.beacons().length;
    await service.goDown();

    running = await launch(settings());
    for (const colour of [BLUE, RED]) await expectOnScreen(running, colour);
    const said = async () => {
      const { state, service: operations } = await running.status();
      return [state, operations.token?.lastError?.code];
    };
    await expect.poll(said).toEqual(['playing-from-store', 'unreachable-connection']);
    const plays = await running.plays();
    expect(plays.every((play) => play.outcome !== 'unknown')).toBe(true);
    expect(service.beacons().length).toBe(before);
    // The log file opens after the first picture, but its first line has the time of the start.
    const pageLoaded = await running.screen.evaluate(
      () =>
        performance.timeOrigin + (performance.getEntriesByType('navigation')[0]?.toJSON().loadEventEnd ?? 0),
    );
    const starts = (running.log().match(/^\S+(?= info Endcap starts)/gm) ?? []).map((time) =>
      Date.parse(time),
    );
    expect(starts).toHaveLength(2);
    expect(starts[1]).toBeGreaterThanOrEqual(ended);
    expect(starts[1]).toBeLessThan(pageLoaded);
  });

  test('the database refuses a play that is already in the books, and stores nothing of it', async () => {
    await expect.poll(async () => (await running.plays()).length).toBeGreaterThan(0);
    const [recorded] = await running.plays();
    if (!recorded) throw new Error('there is no play');
    await openRecordsPort(running);
    const environment = 'elsewhere';
    const reserve = (id: string, credit: number) =>
      askRecords(running, 'reservePlay', {
        play: { ...recorded, id, environment, outcome: 'reserved' },
        flight: null,
        recency: null,
        sourceMix: { credits: [{ sourceId: 'cms', credit }] },
      });
    expect(await reserve('one', 1)).toMatchObject({ ok: true });
    expect(await reserve('one', 2)).toMatchObject({ ok: false });
    expect(await reserve('two', 3)).toMatchObject({ ok: true });
    expect(await reserve(recorded.id, 4)).toMatchObject({ ok: false });
    const books = await askRecords(running, 'openBooks', { environment, stillOpen: ['one', 'two'] });
    expect(books).toMatchObject({
      ok: true,
      output: { playCount: 2, sourceMix: { credits: [{ sourceId: 'cms', credit: 3 }] } },
    });
  });
});

test('SIGTERM settles what is playing as interrupted, without complete, and exits 0', async () => {
  serveBoth();
  // Long enough to be interrupted.
  service.setAds([imageAd('red', 30)]);
  const first = await launch(settings());
  await expect.poll(async () => (await first.status()).now?.adId).toBe('red');
  // Main waits only some seconds for the stage to answer, and then settles the play for another reason.
  await speedUpTimers(first, 1 / 8);
  expect(await first.terminate()).toBe(0);
  expect(eventsOf('red')).not.toContain('complete');

  const kiosk = await launch(settings());
  const plays = await kiosk.plays();
  expect(plays[0]).toMatchObject({ adId: 'red', outcome: 'interrupted', endReason: 'shut-down' });
  expect(plays[0]?.viewedMs).toBeLessThan(30_000);
});

test('SIGTERM ends it at once even during the start', async () => {
  serveBoth();
  const started = spawnKiosk(folder, settings(), { args: ['--ozone-platform=x11'] });
  try {
    // The windows exist and wait for something to show.
    await expect.poll(() => logOf(folder), { intervals: [5] }).toContain('the books are open');
    expect(await started.stop(20_000), started.output()).toBe(0);
  } finally {
    await started.killTree();
  }
});
