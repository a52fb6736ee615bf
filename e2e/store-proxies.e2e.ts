import { execFileSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forwardProxy } from '../main/egress/testing/forward-proxy';
import { testCa } from '../main/egress/testing/test-ca';
import { watchedServer } from '../main/egress/testing/watched-servers';
import { trustInChromium } from '../main/shell/chromium-cas';
import { expect } from './expect';
import { folder, launch, service, test } from './kiosk-test';
import { enterLink } from './link-visit';
import { impressionScript, impressionUrl, nativeAd, nativeSettings } from './native-zone';
import { startTinyproxy } from './tinyproxy';
import { expectOnScreen, imageAd, RED, serveColours } from './two-creatives';

// A real kiosk in a store whose only way out is Debian's tinyproxy with a password, followed by a proxy that
// decrypts all TLS with its own CA. No name below has a DNS entry, so a request that bypasses the proxies
// reaches nothing.

const CREDENTIALS = 'kiosk:s3cret-of-store';
const HOSTS = {
  ads: 'ads.store-test.example',
  auth: 'auth.store-test.example',
  native: 'native.store-test.example',
  media: 'media.store-test.example',
  beacon: 'beacon.store-test.example',
  guest: 'guest.store-test.example',
  shop: 'shop.store-test.example',
};
const url = (host: keyof typeof HOSTS, path: string) => `https://${HOSTS[host]}${path}`;

test('everything of a kiosk goes through the store’s proxies: token, ads, media, beacons, guests, linked pages', async () => {
  test.slow();
  await using shopServer = await watchedServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>shop</title><script>fetch("/script-ran")</script>');
  });
  const ca = testCa('The CA of a store');
  await using inspecting = await forwardProxy({
    routes: Object.fromEntries(
      Object.values(HOSTS).map((host) => [
        `${host}:443`,
        host === HOSTS.shop ? shopServer.port : service.port,
      ]),
    ),
    inspects: ca,
  });
  const tinyproxy = await startTinyproxy({ folder, credentials: CREDENTIALS, upstream: inspecting.port });
  try {
    await writeFile(join(folder, 'store-ca.pem'), ca.cert);
    serveColours(service, { red: RED });
    service.setAds([
      {
        ...imageAd('red'),
        media: [{ url: url('media', '/media/red.png'), type: 'image/png', width: 1280, height: 720 }],
        impressions: [url('beacon', '/collect/impression')],
        tracking: [],
        errors: [],
      },
    ]);
    const shop = nativeAd(service, 'shop', {
      link: url('shop', '/'),
      beacons: [
        impressionUrl(url('beacon', '/collect/native')),
        impressionScript(`new Image().src = '${url('guest', '/collect/script')}'`),
      ],
    });
    service.setNativeAds([shop]);
    const settings = nativeSettings(service, { cardSeconds: 6 });
    const kiosk = await launch(
      {
        ...settings,
        service: {
          ...settings.service,
          baseUrl: url('ads', ''),
          authUrl: url('auth', ''),
          nativeUrl: url('native', ''),
          headers: { 'X-Retailer': 'grocer' },
        },
        network: { proxy: `http://${CREDENTIALS}@127.0.0.1:${tinyproxy.port}`, caFile: 'store-ca.pem' },
      },
      // Chromium's trusted CAs are in the home folder.
      { env: { HOME: folder } },
    );
    const asked = () => service.requests().map(({ headers, path }) => `${headers.host}${path}`);
    const arrives = (host: keyof typeof HOSTS, path: string) =>
      expect.poll(asked).toContain(HOSTS[host] + path);

    await expectOnScreen(kiosk, RED);
    await arrives('beacon', '/collect/impression');
    await arrives('beacon', '/collect/native');
    await arrives('guest', '/collect/script');
    // The page is only shown, and its script only runs, where Chromium trusts the CA.
    await enterLink(kiosk, () => shopServer.requests.some(({ url }) => url === '/script-ran'));

    for (const [host, path] of [
      ['auth', '/oauth/v2/token'],
      ['ads', '/v1alpha2/ads'],
      ['ads', '/v1alpha/inventory/devices'],
      ['native', '/api/v3/native'],
      ['media', '/media/red.png'],
    ] as const)
      expect(asked()).toContain(HOSTS[host] + path);
    const own = [HOSTS.ads, HOSTS.auth, HOSTS.native];
    // Only requests to the service itself carry the header.
    for (const { headers } of [...service.requests(), ...shopServer.requests])
      expect([headers.host, headers['x-retailer']]).toEqual([
        headers.host,
        own.includes(headers.host ?? '') ? 'grocer' : undefined,
      ]);
    // No request used the service's own address, which would bypass the proxies.
    expect(service.requests().map(({ headers }) => headers.host)).not.toContain(new URL(service.origin).host);
    for (const host of Object.values(HOSTS)) {
      expect(inspecting.asked).toContain(`CONNECT ${host}:443`);
      expect(tinyproxy.log()).toContain(`CONNECT ${host}:443`);
    }
    expect(kiosk.log() + JSON.stringify(await kiosk.status())).not.toContain('s3cret-of-store');
  } finally {
    tinyproxy.stop();
  }
});

test('Chromium’s database gets each CA once, and loses those that were removed from the file', async () => {
  const list = () =>
    execFileSync('certutil', ['-d', `sql:${join(folder, '.pki/nssdb')}`, '-L'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('Endcap'));
  const [one, two] = [testCa('One').cert, testCa('Two').cert];

  expect(await trustInChromium([], { home: folder })).toEqual({ kind: 'done' });
  await expect(stat(join(folder, '.pki'))).rejects.toMatchObject({ code: 'ENOENT' });

  expect(await trustInChromium([one, two], { home: folder })).toEqual({ kind: 'done' });
  expect(await trustInChromium([one, two], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(2);
  for (const line of list()) expect(line).toMatch(/\sC,,\s*$/);

  expect(await trustInChromium([two], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(1);
  expect(await trustInChromium([], { home: folder })).toEqual({ kind: 'done' });
  expect(list()).toHaveLength(0);

  const missing = { home: folder, certutil: join(folder, 'nothing-here') };
  expect(await trustInChromium([one], missing)).toEqual({ kind: 'no-certutil' });
});
