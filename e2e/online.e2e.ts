import type { FaultsInput } from '../main/demo-service/faults';
import type { Play } from '../shared/play';
import { expect } from './expect';
import { type Kiosk, speedUpTimers } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { type SignalsCaller, signalsCaller } from './signals-caller';
import { solidImage } from './solid-image';
import {
  BLUE,
  errorCodes,
  expectOnScreen,
  GREEN,
  imageAd,
  kioskSettings,
  RED,
  serveColours,
} from './two-creatives';

// Online delivery: one request per slot with what the kiosk knows at that moment. The stored playlist (red
// and blue) fills in without a gap whenever the answer (green) is missing.

const SLOT_SECONDS = 2;
/** Answers and files that arrive later before a slot are too late for it, ms (rule 11). */
const LOAD_DEADLINE_MS = 1_000;
/** A slot that begins later than this times {@link SLOWER} counts as a gap, ms. */
const GAP_MS = 900;
/** A slot that begins late is shortened by at most this (`slot-plan.ts`), including the rounding to a frame, ms. */
const SHORTENED_MS = 100 + 10;
/**
 * Main's timers run this many times slower in tests that check for gaps. A slot that waits for a timer in
 * main is then so late that it cannot be confused with a machine that is slow for some seconds.
 */
const SLOWER = 8;
/** Distinguishes the per-slot request from the playlist's, for the fault switches. */
const PER_SLOT = 'slot=next';

let signals: SignalsCaller;

const green = imageAd('green', SLOT_SECONDS);
const FEMALE_25 = {
  targeting_groups: [
    {
      conditions: [
        { demographic: { profiles: [{ gender: 'GENDER_FEMALE', age_range: 'AGE_RANGE_25_29' }] } },
      ],
    },
  ],
};

test.beforeEach(() => {
  signals = signalsCaller(folder);
  serveColours(service, { red: RED, green: GREEN, blue: BLUE });
  service.setAds([imageAd('red', SLOT_SECONDS), imageAd('blue', SLOT_SECONDS)]);
  service.setOnlineAds([green]);
});

/**
 * Starts a kiosk whose main's timers run {@link SLOWER} times slower. The deadline of requests for a slot is
 * that much later too, so that no answer is late only because the machine was slow.
 */
async function start(): Promise<Kiosk> {
  const settings = kioskSettings(service, 60);
  const running = await launch({
    ...settings,
    native: { enabled: false, sendSensorDemographics: true, params: { dnt: '0' } },
    ads: {
      ...settings.ads,
      delivery: 'online',
      onlineParams: { ...settings.ads.onlineParams, slot: 'next' },
    },
  });
  await speedUpTimers(running, 1 / SLOWER);
  return running;
}

const slotRequests = () => service.requests().filter(({ query }) => query.slot === 'next');

/** How often nothing was found to show and the brand card was chosen. */
const cardsDecided = async () => (await signals.metric('endcap_decisions_total{result="card"}')) ?? 0;

/** Waits until the latest `slots` plays are all of this delivery. */
async function expectDelivery(running: Kiosk, delivery: Play['delivery'], slots: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const plays = (await running.plays()).slice(-slots);
        return plays.length === slots && plays.every((play) => play.delivery === delivery);
      },
      { message: `the last ${slots} slots are filled ${delivery}`, intervals: [250], timeout: 30_000 },
    )
    .toBe(true);
}

/** Every play follows the previous one without a gap, and none was cut short. */
function expectNoGaps(plays: readonly Play[]): void {
  const gaps = plays.slice(1).flatMap((play, index) => {
    const before = plays[index];
    if (!before || before.shownAt === null) return [];
    const late = play.at - (before.shownAt + SLOT_SECONDS * 1000);
    return Math.abs(late) < GAP_MS * SLOWER ? [] : [`${before.adId}, then ${play.adId} ${late} ms late`];
  });
  expect(gaps).toEqual([]);
  const settled = plays.filter(({ outcome }) => outcome !== 'reserved');
  expect(settled.filter(({ viewedMs }) => viewedMs < SLOT_SECONDS * 1000 - SHORTENED_MS)).toEqual([]);
}

test('the request is sent ahead with the signals, its answer plays next, and its flight is counted', async () => {
  const caps = [{ window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 2 }];
  const stored = { ...green, id: 'green-stored', metadata: { ...green.metadata, frequency_caps: caps } };
  service.setAds([imageAd('red', SLOT_SECONDS), imageAd('blue', SLOT_SECONDS), stored]);
  const unreadable = { metadata: null, errors: [`${service.origin}/collect/error?ad=bad&code=[ERRORCODE]`] };
  service.setOnlineAds([
    { ...imageAd('bad', SLOT_SECONDS), ...unreadable },
    { ...green, metadata: { ...green.metadata, audience: FEMALE_25 } },
  ]);
  const running = await start();
  // Without a shopper, the service has no ad for this moment, and the stored playlist plays.
  await expectOnScreen(running, RED, BLUE);
  expect((await running.plays()).every(({ delivery }) => delivery === 'offline')).toBe(true);

  await signals.put('shopper', {
    people: [{ gender: 'GENDER_FEMALE', ageRange: 'AGE_RANGE_25_29' }],
    ttlSeconds: 3600,
  });
  await signals.put('cart', { skus: ['4001', '4002'], items: ['Bread'], ttlSeconds: 3600 });
  await signals.put('weather', { types: ['WEATHER_TYPE_SUNNY'], temperatureCelsius: 25 });
  await Promise.all([expectOnScreen(running, GREEN), expectDelivery(running, 'online', 3)]);
  // Three slots may begin before all signals are there.
  await expect
    .poll(() => slotRequests().at(-1)?.query)
    .toMatchObject({
      age_range: 'AGE_RANGE_25_29',
      gender: 'GENDER_FEMALE',
      group_size: '1',
      sku: ['4001', '4002'],
      item: 'Bread',
      weather: ['WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS'],
    });

  const plays = await running.plays();
  /** For each online play: whether there was a request during the previous slot, before its load deadline. */
  const asked = plays.flatMap((play, index) => {
    const { shownAt = null } = plays[index - 1] ?? {};
    if (play.delivery !== 'online' || shownAt === null) return [];
    // When main learns of a slot's start late, it plans a later end than the real one.
    const until = Math.max(play.at, shownAt + SLOT_SECONDS * 1000) - LOAD_DEADLINE_MS;
    return [slotRequests().some(({ time }) => time >= shownAt - 200 && time <= until)];
  });
  expect(asked.length).toBeGreaterThan(0);
  expect(asked, 'a request while the slot before ran').not.toContain(false);
  expectNoGaps(plays);

  // Two plays of the flight are counted, both delivered online: its stored ad has reached its cap.
  await signals.remove('shopper');
  await expectDelivery(running, 'offline', 3);
  expect((await running.plays()).slice(-3).every(({ adId }) => adId === 'red' || adId === 'blue')).toBe(true);
  const impressions = () =>
    service.beacons().filter(({ path, query }) => /impression/.test(path) && query.ad === 'green').length;
  await expect.poll(impressions).toBeGreaterThanOrEqual(3);
  // Each answer's error URLs are requested once (rule 1).
  const codes = errorCodes(service, 'bad');
  expect(codes.length).toBeGreaterThanOrEqual(2);
  expect(codes.length).toBeLessThanOrEqual(slotRequests().length);
  expect(new Set(codes)).toEqual(new Set(['101']));
});

/** Each answer fails in a different way. */
const FAULTS: FaultsInput = {
  ads: [
    { kind: 'delay', delayMs: 6_000, match: PER_SLOT, times: 1 },
    { kind: 'hang', match: PER_SLOT, times: 1 },
    { kind: 'truncate', afterBytes: 300, wellFormed: true, match: PER_SLOT, times: 1 },
    { kind: 'garbage', match: PER_SLOT, times: 1 },
    // A captive portal.
    { kind: 'html', match: PER_SLOT, times: 1 },
    { kind: 'reset', match: PER_SLOT, times: 1 },
    { kind: 'status', status: 503, retryAfter: 1, match: PER_SLOT, times: 1 },
  ],
};

test('an answer that is late, empty or broken leaves no gap: the stored playlist fills the slot', async () => {
  test.slow();
  const running = await start();
  await expectDelivery(running, 'online', 2);
  const cards = await cardsDecided();
  await test.step('each slot gets another fault', async () => {
    const from = (await running.plays()).length;
    service.setFaults(FAULTS);
    const row = async () =>
      (await running.plays())
        .slice(from)
        .map(({ delivery }) => delivery)
        .join(' ');
    // A good answer in between would break the sequence.
    await expect.poll(row).toMatch(/^(online )*(offline ){7}/);
    await expectDelivery(running, 'online', 1);
  });
  await test.step('the file cannot be downloaded', async () => {
    service.setFaults({ media: { kind: 'status', status: 500, match: 'fresh' } });
    service.setMedia('fresh.png', solidImage(GREEN), 'image/png');
    service.setOnlineAds([
      { ...green, media: [{ name: 'fresh.png', type: 'image/png', width: 1280, height: 720 }] },
    ]);
    await expectDelivery(running, 'offline', 2);
    service.setFaults({});
    service.setOnlineAds([green]);
    await expectDelivery(running, 'online', 1);
  });
  await test.step('no fill', async () => {
    service.setOnlineAds([]);
    await expectDelivery(running, 'offline', 2);
    service.setOnlineAds([green]);
    await expectDelivery(running, 'online', 1);
  });
  await test.step('down and back', async () => {
    await service.goDown();
    await Promise.all([expectDelivery(running, 'offline', 3), expectOnScreen(running, RED, BLUE)]);
    await service.comeBack();
    await Promise.all([expectDelivery(running, 'online', 1), expectOnScreen(running, GREEN)]);
  });
  expectNoGaps(await running.plays());
  expect(await cardsDecided()).toBe(cards);
  expect(
    (await running.plays()).every(({ outcome }) => outcome === 'completed' || outcome === 'reserved'),
  ).toBe(true);
});
