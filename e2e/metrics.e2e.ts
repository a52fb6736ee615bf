import { expect } from './expect';
import { test } from './kiosk-test';
import { crashPage } from './pages-and-processes';
import { signalsCaller } from './signals-caller';
import { solidImage } from './solid-image';
import { expectMorePlays, fixture, imageAd, kioskSettings, RED, videoAd } from './two-creatives';

test('the metrics report what the screen showed, why ads may not play, and what was restarted', async ({
  service,
  folder,
  start,
}) => {
  service.setMedia('red.png', solidImage(RED), 'image/png');
  service.setMedia('blue.mp4', fixture('blue-2s.mp4'), 'video/mp4');
  const capped = { frequency_caps: [{ window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 0 }] };
  const never = imageAd('red');
  service.setAds([
    imageAd('red'),
    videoAd('blue', 2),
    { ...never, id: 'capped', metadata: { ...never.metadata, flight_id: 'flight-capped', ...capped } },
  ]);
  const kiosk = await start(kioskSettings(service));
  const signals = signalsCaller(folder);
  await expectMorePlays(kiosk, 4);

  const { metric } = signals;
  await expect.poll(() => metric('endcap_frames_presented_total')).toBeGreaterThan(10);
  expect(await metric('endcap_frames_dropped_total')).not.toBeNull();
  expect(await metric('endcap_stalls_total')).not.toBeNull();
  await expect.poll(() => metric('endcap_slot_overrun_seconds_count')).toBeGreaterThanOrEqual(3);
  expect(await metric('endcap_decisions_total{result="ad"}')).toBeGreaterThanOrEqual(4);
  expect(await metric('endcap_playlist_ads')).toBe(3);
  // A video that did not start while the machine stood still may not play for half a minute.
  await expect.poll(() => metric('endcap_ads{verdict="may-play"}')).toBe(2);
  expect(await metric('endcap_ads{verdict="capped"}')).toBe(1);
  // Counted once, however often caps were checked and the playlist refreshed.
  expect(await metric('endcap_caps_hit_total{window="FREQUENCY_CAP_WINDOW_FLIGHT"}')).toBe(1);
  expect(await metric('endcap_playlist_age_seconds')).not.toBeNull();
  expect(await metric('endcap_media_cache_bytes')).toBeGreaterThan(1_000);
  expect(await metric('endcap_media_cache_quota_bytes')).toBeGreaterThan(1_000);
  expect(await metric('endcap_disk_free_bytes')).toBeGreaterThan(1_000);
  expect(await metric('endcap_process_restarts_total{process="records"}')).toBe(0);

  await crashPage(kiosk, 'endcap://records/');
  await expect.poll(() => metric('endcap_process_restarts_total{process="records"}')).toBe(1);
  expect(await metric('endcap_process_restarts_total{process="kiosk"}')).toBe(0);
});
