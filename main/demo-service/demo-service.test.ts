import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort, listening, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { metadataObject } from './demo-ad';
import { demoPlaylist } from './demo-playlist';
import { ownFolder, readMediaFolder } from './media-endpoint';
import { onlineContext, servesOnline } from './online-choice';
import { rawRequest, serviceForTest } from './testing/client';

describe('the port', () => {
  it('is the requested one, or a free one when that is in use', async () => {
    await using taken = await listening(net.createServer());
    const service = await serviceForTest({ port: taken.port });
    expect(service.port).not.toBe(taken.port);
    expect((await rawRequest(service, '/control/faults')).status).toBe(200);
    const wanted = service.port;
    await service.close();
    await untilNobodyListens(wanted);
    expect((await serviceForTest({ port: wanted })).port).toBe(wanted);
  });

  it('is a free one also where the system does not give the requested one', async () => {
    expect((await serviceForTest({ port: 99_999 })).port).toBeLessThan(65_536);
  });

  it('is the requested one or none, if it is required', async () => {
    const port = await freePort();
    expect((await serviceForTest({ port, requiresPort: true })).port).toBe(port);
    await expect(serviceForTest({ port, requiresPort: true })).rejects.toThrow(
      `port ${port} is taken: end the program that listens on it, or choose another port`,
    );
  });

  it('refuses connections while the service is down, and is the same afterwards', async () => {
    const service = await serviceForTest();
    const idle = net.connect(service.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const closed = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => {});
    await rawRequest(service, '/collect/before');
    await service.goDown();
    await closed;
    await untilNobodyListens(service.port);
    await expect(rawRequest(service, '/collect/x')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await service.goDown();
    await service.comeBack();
    await service.comeBack();
    await rawRequest(service, '/collect/after');
    expect(service.beacons().map(({ path }) => path)).toEqual(['/collect/before', '/collect/after']);
  });

  it('is on loopback only', async () => {
    const service = await serviceForTest();
    expect(service.origin).toBe(`http://127.0.0.1:${service.port}`);
  });
});

describe('the settings', () => {
  it('point everything at the service and let its private address through', async () => {
    const service = await serviceForTest({ clientId: 'me', adsAuthentication: 'none' });
    const settings = service.settings();
    expect(settings.service).toMatchObject({
      baseUrl: service.origin,
      authUrl: service.origin,
      nativeUrl: service.origin,
      clientId: 'me',
    });
    expect(settings.ads.authentication).toBe('none');
    expect(settings.network.allowPrivateHosts).toEqual([`127.0.0.1:${service.port}`]);
  });
});

describe('the demo playlist', () => {
  const now = Date.UTC(2026, 10, 20, 12, 30);
  const playlist = demoPlaylist(now, now);
  const metadata = playlist.map(metadataObject);

  it('comes from three sources and six flights', () => {
    expect(new Set(metadata.map(({ source }) => source))).toEqual(
      new Set(['SOURCE_TYPE_AD_SERVER', 'SOURCE_TYPE_SSP', 'SOURCE_TYPE_CMS']),
    );
    expect(new Set(metadata.map(({ source_id }) => source_id)).size).toBe(3);
    expect(new Set(metadata.flatMap(({ flight_id }) => flight_id ?? [])).size).toBe(6);
  });

  it('offers every creative in both orientations, and has every file', () => {
    const files = readMediaFolder(ownFolder('creatives'));
    for (const { media } of playlist) {
      expect(media.map(({ width = 0, height = 0 }) => width > height)).toEqual([true, false]);
      for (const { name, type } of media) expect(files.get(name ?? '')?.type).toBe(type);
    }
  });

  it('always has untargeted ads from each source, at least one without caps', () => {
    const everybody = playlist.filter((ad) => servesOnline(ad, onlineContext(new URLSearchParams()), now));
    expect(new Set(everybody.map((ad) => metadataObject(ad).source_id)).size).toBe(3);
    expect(everybody.some((ad) => metadataObject(ad).frequency_caps === undefined)).toBe(true);
  });

  it('has one expired ad and one that expires soon', () => {
    const expiries = metadata.flatMap(({ expires_at }) =>
      typeof expires_at === 'string' ? [(Date.parse(expires_at) - now) / 60_000] : [],
    );
    expect(expiries.filter((minutes) => minutes < 0)).toHaveLength(1);
    expect(expiries.filter((minutes) => minutes === 15)).toHaveLength(1);
    expect(expiries.filter((minutes) => minutes >= 24 * 60)).toHaveLength(expiries.length - 2);
  });

  it('exercises every kind of targeting and several windows', () => {
    const text = JSON.stringify(metadata);
    for (const kind of ['"demographic"', '"basket"', '"weather_types"', '"group_size"'])
      expect(text).toContain(kind);
    const windows = new Set(text.match(/FREQUENCY_CAP_WINDOW_\w+/g));
    expect(windows.size).toBe(6);
  });

  it('is at most 6 MB of creatives', () => {
    const bytes = [...readMediaFolder(ownFolder('creatives')).values()].map(({ body }) => body.length);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(6_000_000);
  });
});

describe('unknown paths', () => {
  it('are not found', async () => {
    const service = await serviceForTest();
    for (const path of ['/', '//', '//v2/ads', '/v2/ads'])
      expect((await rawRequest(service, path)).status, path).toBe(404);
  });
});
