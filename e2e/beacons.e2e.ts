import type { Beacon } from '../main/demo-service/collector';
import type { Play } from '../shared/play';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, speedUpTimers } from './kiosk';
import { launch, service, test } from './kiosk-test';
import { BRIEF, expectMorePlays, imageAd, kioskSettings, serveTwoCreatives } from './two-creatives';

test.beforeEach(() => {
  serveTwoCreatives(service, BRIEF);
});

async function start(eventTimeParam: string | null = null): Promise<Kiosk> {
  const settings = kioskSettings(service, 60);
  return launch({ ...settings, ads: { ...settings.ads, eventTimeParam } });
}

/** Adds the time of the event to impressions, so that each URL is unique. */
function stampImpressions(): void {
  const stamped = (id: string) => ({
    ...imageAd(id, BRIEF),
    impressions: [`${service.origin}/collect/impression.gif?ad=${id}&ets=[TIMESTAMP]`],
  });
  service.setAds([stamped('red'), stamped('blue')]);
}

const eventTime = ({ query }: Beacon) => Date.parse(String(query.ets));
const impressions = () => service.beacons().filter(({ path }) => path.endsWith('/impression.gif'));
const accepted = () => impressions().filter(({ fault }) => fault === null);
/** The plays whose impression has not arrived. */
function missing(plays: readonly Play[]): readonly Play[] {
  const arrived = new Set(impressions().map(eventTime));
  return plays.filter(({ shownAt }) => shownAt === null || !arrived.has(shownAt));
}
const urlsOf = (beacons: readonly Beacon[]) => beacons.map(({ url }) => url);
const expectNoneTwice = (beacons: readonly Beacon[]) =>
  expect(new Set(urlsOf(beacons)).size).toBe(beacons.length);

test('a collector that is gone gets every impression once after it is back, oldest first, with the time of the event', async () => {
  const running = await start('ets');
  // A beacon that has no answer within its limit is sent again; a slow machine needs all of that time.
  await speedUpTimers(running, 4, { limits: false });
  await expectMorePlays(running, 1);
  const goingAt = Date.now();
  await service.goDown();
  const downAt = Date.now();
  // The first of these plays had begun before the outage.
  await expectMorePlays(running, 4);
  const upAt = Date.now();
  const played = (await running.plays()).filter(
    ({ outcome, shownAt }) => outcome === 'completed' && shownAt !== null && shownAt < upAt,
  );
  await service.comeBack();
  // Skips the pause before the collector is tried again.
  await advanceMonotonicClock(running, 60_000);

  await expect.poll(() => missing(played)).toEqual([]);
  const late = accepted().filter((beacon) => eventTime(beacon) > downAt && eventTime(beacon) < upAt);
  expect(late.length).toBeGreaterThanOrEqual(3);
  for (const beacon of late) expect(beacon.time).toBeGreaterThanOrEqual(upAt);
  expect(late.map(eventTime)).toEqual(late.map(eventTime).sort((a, b) => a - b));
  // When an answer was cut off, it is unknown whether the beacon arrived: it is sent again, and counted
  // once (rule 15).
  const cutOff = urlsOf(accepted().filter(({ time }) => time > goingAt - 1_000 && time <= downAt));
  expectNoneTwice(accepted().filter(({ url }) => !cutOff.includes(url)));
});

test('beacons stored in an outage are sent once each, even after a kill -9 and a restart; one that had no answer is not repeated', async () => {
  stampImpressions();
  service.setFaults({ collector: { kind: 'hang', match: 'impression', times: 1 } });
  const first = await start();
  await speedUpTimers(first, 4);
  // Until the time limit has passed.
  await expect.poll(async () => (await first.status()).beacons.unknown).toBeGreaterThanOrEqual(1);
  // Afterwards answers have their whole time again.
  await speedUpTimers(first, 1 / 4);
  await expectMorePlays(first, 1);
  await service.goDown();
  await expectMorePlays(first, 3);
  const played = (await first.plays()).filter(({ outcome }) => outcome === 'completed');
  // Beacons that the outage or the kill cut off may have arrived: they are recorded as unknown, and not
  // repeated.
  const { unknown: cutOff = 0 } = (await first.status()).beacons;
  await first.kill();
  await service.comeBack();

  const second = await start();
  const unexplained = async () =>
    missing(played).length - cutOff - ((await second.status()).beacons.unknown ?? Number.NaN);
  // The one without an answer arrived, and is unknown too.
  await expect.poll(unexplained).toBeLessThan(0);
  expect(impressions().filter(({ fault }) => fault === 'hang')).toHaveLength(1);
  expectNoneTwice(impressions());
});
