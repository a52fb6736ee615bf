import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { creditsAfter, nextSource } from '../main/decisions/source-mix';
import type { DemoAdInput } from '../main/demo-service/demo-ad';
import type { Play } from '../shared/play';
import { expect } from './expect';
import { type Cap, capsExceeded } from './kills/cap-recount';
import { type Kiosk, type KioskOptions, letPass } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { markAsNewer } from './newer-database';
import { crashPage } from './pages-and-processes';
import { signalsCaller } from './signals-caller';
import {
  BLUE,
  BRIEF,
  clockOf,
  expectMorePlays,
  expectOnScreen,
  fixture,
  GREEN,
  imageAd,
  isColour,
  kioskSettings,
  RED,
  serveColours,
  videoAd,
} from './two-creatives';

// Checks decisions exactly, against the screen, the books and the collector. The service's first answer sets
// the kiosk's clock (rule 10); then time passes for both.

const DAY = 86_400_000;
/** Ten o'clock UTC of the first Monday that is more than a week away, so that it is after the kiosk's build date. */
const MONDAY_TEN = (() => {
  const soonest = Math.ceil(Date.now() / DAY + 7) * DAY;
  return soonest + ((8 - new Date(soonest).getUTCDay()) % 7) * DAY + 10 * 3_600_000;
})();
const MINUTE = 60_000;
/** Signals that change less than this before a slot are too late for it (rule 11). */
const LOAD_DEADLINE_MS = 1_000;

test.beforeEach(() => {
  serveColours(service, { red: RED, green: GREEN, blue: BLUE });
});

type Colour = 'red' | 'blue' | 'green';

interface AdOptions {
  readonly colour?: Colour;
  readonly seconds?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** An ad of one image, of a flight of its own; its impression is its only beacon. */
function ad(id: string, { colour = 'blue', seconds = BRIEF, metadata = {} }: AdOptions = {}): DemoAdInput {
  const whole = imageAd(id, seconds);
  const { media } = imageAd(colour);
  return { ...whole, media, metadata: { ...whole.metadata, ...metadata }, tracking: [] };
}

const audience = (...conditions: object[]) => ({ audience: { targeting_groups: [{ conditions }] } });
const cap = (window: string, limit: number): Cap => ({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit });

async function start(
  extra: { playback?: object; ads?: object } = {},
  options?: Partial<KioskOptions>,
): Promise<Kiosk> {
  const settings = kioskSettings(service);
  return launch({ ...settings, ...extra, ads: { ...settings.ads, ...extra.ads } }, options);
}

/** Sets the service's clock to this time; it goes on from there. */
function showTime(time: number): void {
  service.setFaults({ clockOffsetSeconds: (time - Date.now()) / 1000 });
}

/** Lets time pass until the clocks of service and kiosk have reached this time. */
async function passTo(running: Kiosk, time: number): Promise<void> {
  const shown = Date.now() + (service.faults().clockOffsetSeconds ?? 0) * 1000;
  if (time > shown) await letPass(running, service, time - shown);
  await expect.poll(() => clockOf(running)).toBeGreaterThanOrEqual(time - 1_000);
}

const counted = (plays: readonly Play[]) => plays.filter(({ outcome }) => outcome !== 'given-back');
const playsOf = async (running: Kiosk, adId: string) =>
  counted(await running.plays()).filter((play) => play.adId === adId);

/**
 * Waits until an ad was counted `times` times and two others have played after it; fails when it plays more
 * often.
 */
async function expectPlays(running: Kiosk, adId: string, times: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const plays = counted(await running.plays());
        const mine = plays.filter((play) => play.adId === adId).length;
        if (mine > times) return `${mine} plays`;
        return mine < times || plays.slice(-3).some((play) => play.adId === adId) ? 'fewer' : 'enough';
      },
      { message: `${adId} plays ${times} times and then rests`, intervals: [200] },
    )
    .toBe('enough');
}

const impressionsOf = (adId: string) =>
  service.beacons().filter(({ path, query }) => path === '/collect/impression.gif' && query.ad === adId)
    .length;

/** The collector has one impression for every play that showed a frame. */
async function expectImpressions(running: Kiosk, adId: string): Promise<void> {
  await expect
    .poll(async () => {
      const plays = await playsOf(running, adId);
      const shown = plays.filter(({ outcome, shownAt }) => shownAt !== null || outcome === 'reserved').length;
      const heard = impressionsOf(adId);
      return shown > 0 && heard === shown ? 'one each' : `${heard} impressions of ${shown} plays`;
    })
    .toBe('one each');
}

/** Looks at the display again and again for as long as a brief ad is shown. `judge` throws at a wrong colour. */
async function watchScreen(running: Kiosk, judge: (seen: readonly number[]) => void): Promise<void> {
  let looks = 0;
  const look = async () => {
    judge(await running.colour());
    looks += 1;
    return looks;
  };
  await expect.poll(look, { intervals: [BRIEF * 200] }).toBe(6);
}

/** For as long as a brief ad is shown, the display has only these colours. */
const expectOnlyOnScreen = (running: Kiosk, ...colours: ReadonlyArray<typeof RED>) =>
  watchScreen(running, (seen) => expect(colours.some((colour) => isColour(colour, seen))).toBe(true));

test('a flight with two caps plays as often as both allow, minute by minute and day by day; an ad does not play from its expiry on, even if it is still in the playlist', async () => {
  const caps = [cap('MINUTE', 2), cap('DAY', 5)];
  // It plays rarely, so it must be on the screen long enough to be seen, even while the machine stands still.
  const capped = ad('red', { colour: 'red', seconds: 3, metadata: { frequency_caps: caps } });
  const expiresAt = MONDAY_TEN + 30 * MINUTE;
  const expires_at = new Date(expiresAt).toISOString().replace('.000', '');
  service.setAds([capped, ad('blue'), ad('green', { colour: 'green', metadata: { expires_at } })]);
  showTime(MONDAY_TEN);
  const running = await start();
  await expectOnScreen(running, RED, BLUE, GREEN);
  await expectPlays(running, 'red', 2);
  await expectOnlyOnScreen(running, BLUE, GREEN);

  await Promise.all([expectOnScreen(running, RED), passTo(running, MONDAY_TEN + 1.5 * MINUTE)]);
  await expectPlays(running, 'red', 4);
  await passTo(running, MONDAY_TEN + 3 * MINUTE);
  await expectPlays(running, 'red', 5);
  await passTo(running, expiresAt + 1_500);
  await expectRest(running, 'green');
  await expectOnlyOnScreen(running, BLUE);
  expect((await playsOf(running, 'green')).every(({ at }) => at <= expiresAt)).toBe(true);
  expect((await running.playlists())[0]?.ads.map(({ id }) => id)).toEqual(['red', 'blue', 'green']);
  // The minute's cap allows it again, the day's does not.
  await passTo(running, MONDAY_TEN + 13.9 * 60 * MINUTE);
  await expectMorePlays(running, 3);
  await expectPlays(running, 'red', 5);
  await expectOnlyOnScreen(running, BLUE);

  const tuesday = MONDAY_TEN + 14 * 60 * MINUTE;
  await Promise.all([expectOnScreen(running, RED), passTo(running, tuesday)]);
  await expectPlays(running, 'red', 7);

  const times = (await playsOf(running, 'red')).map(({ at }) => at);
  expect(capsExceeded(times, caps)).toEqual([]);
  expect(times.filter((at) => at >= tuesday)).toHaveLength(2);
  expect(running.log()).not.toContain('"isJump":true');
  await expectImpressions(running, 'red');
});

test('a wrong day in an answer of the service, corrected by the next, frees no cap', async () => {
  test.slow();
  const caps = [cap('DAY', 2)];
  service.setAds([ad('red', { colour: 'red', metadata: { frequency_caps: caps } }), ad('blue')]);
  showTime(MONDAY_TEN);
  const running = await start();
  await expectPlays(running, 'red', 2);
  const jumps = () => running.log().split('"isJump":true').length - 1;
  const asked = () => running.log().split('a second answer is requested').length - 1;
  for (const [index, days] of [1, -1].entries()) {
    const { clockOffsetSeconds = 0 } = service.faults();
    const before = await clockOf(running);
    const askedBefore = asked();
    service.setFaults({ clockOffsetSeconds: clockOffsetSeconds + days * 86_400 });
    await expect.poll(asked).toBeGreaterThan(askedBefore);
    // One answer is not enough, nor a second one that comes at once with the same time.
    await expectMorePlays(running, 1);
    expect((await clockOf(running)) - before).toBeLessThan(60_000);
    // Repeats with another minute when an answer was on its way during the first.
    await expect(async () => {
      await letPass(running, service, MINUTE);
      await expect.poll(jumps, { timeout: 3_000 }).toBe(index + 1);
    }).toPass({ intervals: [0], timeout: 60_000 });
    expect(Math.abs((await clockOf(running)) - before - days * DAY)).toBeLessThan(20 * MINUTE);
    await expectMorePlays(running, 2);
  }
  const plays = counted(await running.plays());
  expect(plays.filter(({ adId }) => adId === 'red')).toHaveLength(2);
  // Plays that were stamped with the wrong day were shifted back.
  expect(plays.every(({ at }) => at >= MONDAY_TEN - MINUTE && at < MONDAY_TEN + 120 * MINUTE)).toBe(true);
  await running.kill();
  const again = await start();
  await expectMorePlays(again, 3);
  expect(await playsOf(again, 'red')).toHaveLength(2);
  await expectOnlyOnScreen(again, BLUE);
});

test('caps and the source mix continue after a restart', async () => {
  const caps = [cap('FLIGHT', 2)];
  // All use one file, so that they become eligible at the same moment.
  service.setAds([
    ad('capped', { seconds: 0.3, metadata: { frequency_caps: caps, source_id: 'b' } }),
    ad('free', { seconds: 0.3, metadata: { source_id: 'b' } }),
    ad('other', { seconds: 0.3, metadata: { source_id: 'a' } }),
  ]);
  const settings = { ads: { sourceWeights: { a: 5, b: 3 } } };
  const first = await start(settings);
  await expectMorePlays(first, 5);
  expect(await first.terminate()).toBe(0);
  const running = await start(settings);
  await expectMorePlays(running, 7);
  const plays = counted(await running.plays());
  expect(plays.filter(({ adId }) => adId === 'capped')).toHaveLength(2);
  expect(plays.map(({ sourceId }) => sourceId)).toEqual(
    mixedWithoutRestart(['b', 'a'], [3 / 8, 5 / 8], plays.length),
  );
  expect(plays.some(({ outcome }) => outcome === 'unknown')).toBe(false);
});

/** The source of each of `slots` slots when every source can always play (rule 9). */
function mixedWithoutRestart(sources: readonly string[], shares: readonly number[], slots: number): string[] {
  const contenders = sources.map((_, index) => index);
  let credits: ArrayLike<number> = sources.map(() => 0);
  return Array.from({ length: slots }, () => {
    const source = nextSource({ contenders, shares, credits });
    credits = creditsAfter({ contenders, shares, credits }, source);
    return sources[source] ?? '';
  });
}

test('a detected shopper gets the matching ads from the next slot on, least recently played first', async () => {
  const woman = audience({
    demographic: { profiles: [{ gender: 'GENDER_FEMALE', age_range: 'AGE_RANGE_25_29' }] },
  });
  service.setAds([
    ad('blue', { seconds: 2 }),
    ad('first', { colour: 'red', metadata: woman }),
    ad('second', { colour: 'green', metadata: woman }),
  ]);
  const running = await start();
  const signals = signalsCaller(folder);
  await expectOnScreen(running, BLUE);
  await expect.poll(async () => (await running.status()).media.files).toBe(3);
  await expectMorePlays(running, 1);
  const [before] = (await running.plays()).slice(-1);

  const people = [{ gender: 'GENDER_FEMALE', ageRange: 'AGE_RANGE_25_29' }];
  await signals.put('shopper', { people, ttlSeconds: 3600 });
  const heardAt = Date.parse((await signals.status()).clock.now);
  await expectOnScreen(running, RED, GREEN);
  await expect
    .poll(async () => (await playsOf(running, 'blue')).some(({ at }) => at > heardAt + 2_000))
    .toBe(true);

  const plays = counted(await running.plays());
  const ofNow = plays.slice(plays.findIndex(({ id }) => id === before?.id));
  const turn = ofNow.findIndex(({ adId }) => adId !== 'blue');
  // The ads before were either playing already or within the load deadline, where they can no longer change.
  // The planned time decides: when main is slow at the end of a slot, the next slot begins later than
  // planned.
  for (const [index, late] of ofNow.slice(1, turn).entries()) {
    const planned = (ofNow[index]?.shownAt ?? Number.NaN) + 2_000;
    expect(Math.min(late.at, planned) - LOAD_DEADLINE_MS).toBeLessThanOrEqual(heardAt);
  }
  expect(ofNow.slice(turn, turn + 4).map(({ adId }) => adId)).toEqual(
    ['first', 'second', 'blue', 'first'].slice(0, ofNow.length - turn),
  );

  await signals.remove('shopper');
  await expectRest(running, 'first');
  await expectImpressions(running, 'second');
});

test('ads for a cart, the weather or a group stop when the cart is emptied, the weather changes or the signal has expired', async () => {
  const group_size = { operator: 'COUNT_COMPARISON_OPERATOR_GREATER_THAN_OR_EQUAL', value: 3 };
  service.setAds([
    ad('blue'),
    ad('bread', { colour: 'red', metadata: audience({ device: { basket: { items: ['Bread'] } } }) }),
    ad('rain', { colour: 'green', metadata: audience({ store: { weather_types: ['WEATHER_TYPE_RAINY'] } }) }),
    ad('group', { colour: 'red', metadata: audience({ demographic: { profiles: [{ group_size }] } }) }),
  ]);
  const running = await start();
  const signals = signalsCaller(folder);
  await expectOnScreen(running, BLUE);
  await expectMorePlays(running, 2);
  await expectOnlyOnScreen(running, BLUE);

  await signals.put('cart', { items: [' bread '], ttlSeconds: 3600 });
  await expectOnScreen(running, RED);
  await signals.put('cart', { items: [], skus: [] });
  await expectRest(running, 'bread');

  await signals.put('weather', { types: ['WEATHER_TYPE_RAINY'] });
  await expectOnScreen(running, GREEN);
  await signals.put('weather', { types: ['WEATHER_TYPE_SUNNY'] });
  await expectRest(running, 'rain');
  await expectOnlyOnScreen(running, BLUE);

  // Sends the signal again if it expired before the display was checked.
  const isSteered = async () => {
    if ((await signals.status()).signals.shopper === null)
      await signals.put('shopper', { people: [], groupSize: 4, ttlSeconds: 4 });
    return isColour(RED, await running.colour());
  };
  await expect.poll(isSteered, { intervals: [70, 130, 110] }).toBe(true);
  await expect.poll(async () => (await signals.status()).signals.shopper, { intervals: [100] }).toBeNull();
  await expectRest(running, 'group');
  await expectOnlyOnScreen(running, BLUE);
  for (const id of ['bread', 'rain']) await expectImpressions(running, id);
});

/** The ad does not play any more after the slots that were already decided. */
async function expectRest(running: Kiosk, adId: string): Promise<void> {
  const now = await clockOf(running);
  await expect
    .poll(async () => counted(await running.plays()).filter(({ at }) => at > now + LOAD_DEADLINE_MS).length)
    .toBeGreaterThan(3);
  const late = (await playsOf(running, adId)).filter(({ at }) => at > now + LOAD_DEADLINE_MS);
  expect(late).toEqual([]);
}

test('while the store is closed nothing is reserved and the brand card is shown; it opens by itself', async () => {
  // One ad lasts longer than the interval at which opening hours are checked, so the store closes during it.
  service.setAds([ad('red', { colour: 'red', seconds: 1.5 }), ad('blue', { seconds: 12 })]);
  showTime(MONDAY_TEN);
  // Berlin is one hour or two ahead of UTC: closed from 20:00 to 05:00 UTC at least, open from 06:00 to 19:00.
  const openHours = { timeZone: 'Europe/Berlin', 'mon-sun': '07:00-21:00' };
  const running = await start(
    { playback: { openHours } },
    { requiredScript: join(__dirname, 'look-often.cjs') },
  );
  await expectOnScreen(running, RED);
  await expectOnScreen(running, BLUE);

  await passTo(running, MONDAY_TEN + 10 * 60 * MINUTE);
  await expect.poll(async () => (await running.status()).state).toBe('held');
  expect((await running.status()).sentence).toContain('the store is closed');
  // A play that was already reserved for the next slot is voided.
  const lastPlay = async () => counted(await running.plays()).at(-1);
  await expect.poll(async () => (await lastPlay())?.outcome).toBe('interrupted');
  const last = await lastPlay();
  expect(last?.endReason).toBe('closed');
  await expect.poll(async () => (await running.status()).now?.kind).toBe('card');
  const isAd = (seen: readonly number[]) => [RED, BLUE].some((colour) => isColour(colour, seen));
  // The status names the card as soon as the stage was told to show it, which is before it is drawn.
  await expect.poll(async () => isAd(await running.colour())).toBe(false);
  await watchScreen(running, (seen) => {
    expect(isAd(seen)).toBe(false);
    expect(seen).not.toEqual([0, 0, 0]);
  });
  expect((await lastPlay())?.id).toBe(last?.id);

  await passTo(running, MONDAY_TEN + 20.5 * 60 * MINUTE);
  await expectOnScreen(running, RED, BLUE);
  const hours = (await running.plays()).map(({ at }) => new Date(at).getUTCHours());
  expect(hours.every((hour) => hour >= 6 && hour < 20)).toBe(true);
});

for (const [what, end, loses] of [
  ['is gone after a kill', 'kill', wipeDatabase],
  // As after a roll-back of an update (docs/install.md): an older Chromium deletes what a newer one wrote.
  ['a newer Electron wrote', 'orderly', async () => markAsNewer(folder)],
] as const) {
  test(`a database that ${what} is restored: the loss is reported in numbers, and caps hold`, async () => {
    const caps = [cap('FLIGHT', 3)];
    service.setAds([
      ad('red', { colour: 'red', seconds: 0.5, metadata: { frequency_caps: caps } }),
      ad('blue'),
    ]);
    const first = await start();
    await expectPlays(first, 'red', 3);
    const countedAt = performance.now();
    const stored = await first.plays();
    const plays = stored.length;
    // A reservation is journalled only after the database has it: a kill in between would lose its number.
    await expect.poll(() => isJournalled(stored.at(-1)?.id ?? '')).toBe(true);
    if (end === 'kill') await first.kill();
    else expect(await first.terminate()).toBe(0);
    /** The most plays that can have begun since they were counted. */
    const since = Math.ceil((performance.now() - countedAt) / (BRIEF * 1000)) + 2;
    await loses();

    const second = await start();
    await expectOnScreen(second, BLUE);
    await expectMorePlays(second, 4);
    await expectOnlyOnScreen(second, BLUE);
    expect(await playsOf(second, 'red')).toEqual([]);
    const { books } = await signalsCaller(folder).status();
    expect(books?.lost.plays).toBeGreaterThanOrEqual(plays);
    expect(books?.lost.plays).toBeLessThanOrEqual(plays + since);
    expect(books?.lost.restoredFlights).toBe(2);
    expect(books?.restoredFrom).not.toBeNull();
    await expect.poll(() => second.log()).toContain('the stored books had lost data');
  });
}

/** Whether snapshot or journal include the play; both leave out none before it. */
const isJournalled = (id: string) =>
  ['books.json', 'books.json.journal'].some((name) => {
    try {
      return readFileSync(join(folder, name), 'utf8').includes(id);
    } catch {
      // The journal is removed whenever a snapshot was written.
      return false;
    }
  });

/** Retries, because a process that is still ending may write to the folder. */
async function wipeDatabase(): Promise<void> {
  const wiped = () => {
    rmSync(join(folder, 'IndexedDB'), { recursive: true, force: true, maxRetries: 3 });
    return !readdirSync(folder).includes('IndexedDB');
  };
  await expect.poll(wiped).toBe(true);
}

test('plays, metrics and health report what happened, and nothing is lost when the records window crashes', async () => {
  service.setMedia('clip.mp4', fixture('green-900ms.mp4'), 'video/mp4');
  const ssp = { source: 'SOURCE_TYPE_SSP' };
  service.setAds([
    ad('red', { colour: 'red', metadata: { frequency_caps: [cap('FLIGHT', 2)] } }),
    ad('blue', { metadata: { ...ssp, frequency_caps: [cap('FLIGHT', 6)] } }),
    ad('never', { metadata: { frequency_caps: [cap('FLIGHT', 0)] } }),
    { ...videoAd('clip', 0.9), metadata: { ...ssp, flight_id: 'flight-clip', source_id: 'cms' } },
  ]);
  const running = await start();
  const signals = signalsCaller(folder);
  const { metric } = signals;
  await expectPlays(running, 'red', 2);

  const told = (await signals.plays()).slice(0, 3);
  const before = await running.plays();
  expect(told).toMatchObject(before.slice(0, 3).map(({ id, adId, flightId }) => ({ id, adId, flightId })));
  const played = (outcome: string, source: string) => async () =>
    (await metric(`endcap_plays_total{outcome="${outcome}",source="SOURCE_TYPE_${source}"}`)) ?? 0;
  await expect.poll(played('completed', 'CMS')).toBe(2);
  await expect.poll(played('completed', 'SSP')).toBeGreaterThan(1);
  expect(await played('failed', 'CMS')()).toBe(0);
  await expect.poll(() => metric('endcap_frames_presented_total')).toBeGreaterThan(10);
  await expect.poll(() => metric('endcap_slot_overrun_seconds_count')).toBeGreaterThanOrEqual(3);
  for (const name of ['frames_dropped_total', 'stalls_total', 'playlist_age_seconds'])
    expect(await metric(`endcap_${name}`), name).not.toBeNull();
  for (const name of ['media_cache_bytes', 'media_cache_quota_bytes', 'disk_free_bytes'])
    expect(await metric(`endcap_${name}`), name).toBeGreaterThan(1_000);
  expect(await metric('endcap_decisions_total{result="ad"}')).toBeGreaterThanOrEqual(4);
  expect(await metric('endcap_playlist_ads')).toBe(4);
  await expect.poll(async () => (await signals.get('/healthz')).status).toBe(200);
  expect((await (await signals.get('/healthz')).json()) as object).toMatchObject({
    status: 'ok',
    checks: { window: 'answering', records: 'answering' },
  });

  const restarts = (name: string) => metric(`endcap_process_restarts_total{process="${name}"}`);
  expect(await restarts('records')).toBe(0);
  await crashPage(running, 'endcap://records/');
  await expect.poll(running.log).toContain('the records window ended');
  await expect.poll(() => restarts('records')).toBe(1);
  expect(await restarts('kiosk')).toBe(0);
  await expectMorePlays(running, 2);
  await expectPlays(running, 'blue', 6);
  await expectPlays(running, 'red', 2);
  const after = await running.plays();
  expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await signals.status()).books?.lost).toMatchObject({ plays: 0, correctedFlights: 0 });
  await expectImpressions(running, 'blue');
  // A video that did not start while the machine stood still may not play for half a minute.
  await expect.poll(() => metric('endcap_ads{verdict="may-play"}')).toBe(1);
  expect(await metric('endcap_ads{verdict="capped"}')).toBe(3);
  // Each counted once, however often caps were checked and the playlist refreshed.
  expect(await metric('endcap_caps_hit_total{window="FREQUENCY_CAP_WINDOW_FLIGHT"}')).toBe(3);
});
