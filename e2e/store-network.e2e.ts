import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forwardProxy } from '../main/egress/testing/forward-proxy';
import { testCa } from '../main/egress/testing/test-ca';
import { expect } from './expect';
import { advanceMonotonicClock, speedUpPageTimers, speedUpTimers } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import {
  bannerAssets,
  impressionUrl,
  nativeAd,
  nativeSettings,
  receivedBeacons,
  serveLoop,
} from './native-zone';
import { signalsCaller } from './signals-caller';
import { BRIEF } from './two-creatives';

// A real kiosk in a store's network, with the system's proxy and one that inspects TLS, for main and
// Chromium.

/** A name without a DNS entry: only the proxy can reach it. */
const HOST = 'service.example';
const at = (path: string) => `https://${HOST}${path}`;

/** Without a desktop, the environment variables define the system's proxy, which Chromium reads itself. */
const NO_DESKTOP = {
  XDG_CURRENT_DESKTOP: '',
  DESKTOP_SESSION: '',
  http_proxy: '',
  https_proxy: '',
  all_proxy: '',
  no_proxy: '',
  HTTP_PROXY: '',
  HTTPS_PROXY: '',
  ALL_PROXY: '',
  NO_PROXY: '',
};

// Where Chromium trusts the CA: store-proxies.e2e.ts, whose proxy is named by the settings.
test("everything goes through the system's proxy, which inspects TLS; a banner whose frame does not trust its CA stays blank, and is never billed", async () => {
  serveLoop(service, BRIEF);
  service.setMedia('ground.html', Buffer.from('<body style="margin:0;background:#20c060">'), 'text/html');
  // The background of the banner is a frame from the web; without the frame it is blank and not billed.
  const frame = `<iframe src="${at('/media/ground.html')}" width="300" height="250"></iframe>`;
  service.setNativeAds([
    nativeAd(service, 'framed', {
      assets: bannerAssets('framed', frame, { w: 300, h: 250 }),
      beacons: [impressionUrl(at('/collect/seen?ad=framed'))],
    }),
  ]);
  const ca = testCa('The CA of a store');
  const caFile = join(folder, 'store-ca.pem');
  writeFileSync(caFile, ca.cert);
  await using proxy = await forwardProxy({ routes: { [`${HOST}:443`]: service.port }, inspects: ca });
  // No card may come before the timers are set.
  service.setFaults({ native: { kind: 'status', status: 500 } });
  const settings = nativeSettings(service);
  // Chromium stores trusted CAs per user, so HOME is a folder of the test.
  const home = join(folder, 'home');
  mkdirSync(home);
  // Only main trusts the CA: the tool that adds it to Chromium is not in the PATH.
  const https_proxy = `http://127.0.0.1:${proxy.port}`;
  const kiosk = await launch(
    {
      ...settings,
      service: { ...settings.service, baseUrl: at(''), authUrl: at(''), nativeUrl: at('') },
      network: { ...settings.network, proxy: 'system', caFile },
    },
    { env: { ...NO_DESKTOP, HOME: home, https_proxy, PATH: '/nonexistent' } },
  );
  // A blank banner is given up 15 s after its load; timers run five times as fast.
  await Promise.all([speedUpTimers(kiosk, 5), speedUpPageTimers(kiosk.screen, 5)]);
  service.setFaults({});
  // Skips the pause after the error; a signal makes main check whether it is over.
  await advanceMonotonicClock(kiosk, 60_000);
  await kiosk.status();
  await signalsCaller(folder).put('weather', { types: ['WEATHER_TYPE_SUNNY'] });
  await expect.poll(() => kiosk.log()).toContain('the banner painted nothing');
  // The frame's request came to the proxy too; Chromium's own log says that its certificate is not trusted (-202).
  await expect.poll(kiosk.output).toMatch(/handshake failed.* net_error -202/);
  expect(receivedBeacons(service, 'framed')).toEqual([]);
  expect(service.requests().map(({ path }) => path)).not.toContain('/media/ground.html');
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${HOST}:443`]));
  expect((await kiosk.status()).egress).toMatchObject({ additionalCas: 1 });
});
