import { describe, expect, it } from 'vitest';
import { rawRequest, serviceForTest, standingClock } from './testing/client';

describe('the collector', () => {
  it('remembers every beacon in order, exactly as it came', async () => {
    const clock = standingClock(1000);
    const service = await serviceForTest({ clock });
    await rawRequest(service, '/collect/impression.gif?ad=a&x=%20y&n=1&n=2');
    clock.time = 2000;
    await rawRequest(service, '/collect/tracking/start?ad=a', { method: 'POST' });
    expect(service.beacons()).toEqual([
      {
        sequence: 1,
        time: 1000,
        method: 'GET',
        url: `${service.origin}/collect/impression.gif?ad=a&x=%20y&n=1&n=2`,
        path: '/collect/impression.gif',
        query: { ad: 'a', x: ' y', n: ['1', '2'] },
        fault: null,
        isReplay: false,
        userAgent: null,
        agentDiffers: false,
      },
      {
        sequence: 2,
        time: 2000,
        method: 'POST',
        url: `${service.origin}/collect/tracking/start?ad=a`,
        path: '/collect/tracking/start',
        query: { ad: 'a' },
        fault: null,
        isReplay: false,
        userAgent: null,
        agentDiffers: false,
      },
    ]);
  });

  it('flags a beacon with the same event time as a replay, unless the first was not accepted', async () => {
    const service = await serviceForTest();
    const at = (time: string) => rawRequest(service, `/collect/impression.gif?ad=a&ets=${time}`);
    service.setFaults({ collector: { kind: 'status', status: 503, times: 1 } });
    for (const time of ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z'])
      await at(time);
    await at('2026-11-20T09:00:10Z');
    // Without an event time, a second play cannot be distinguished from a replay.
    for (const _again of [1, 2]) await rawRequest(service, '/collect/impression.gif?ad=a');
    expect(service.beacons().map(({ isReplay }) => isReplay)).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it('flags a native beacon whose user agent differs from that of the ad request', async () => {
    const service = await serviceForTest();
    const headers = (agent: string) => ({ headers: { 'user-agent': agent } });
    const params = {
      apptoken: 'demo-app-token',
      zoneid: 'demo-native',
      os: 'linux',
      osver: '6',
      devicemodel: 'x',
      dnt: '1',
      al: 'm',
    };
    const answer = await rawRequest(
      service,
      `/api/v3/native?${new URLSearchParams(params)}`,
      headers('Kiosk/1'),
    );
    const [ad] = JSON.parse(answer.body.toString()).ads;
    const { pathname, search } = new URL(ad.beacons[0].data.url);
    await rawRequest(service, pathname + search, headers('Kiosk/1'));
    await rawRequest(service, pathname + search, headers('node'));
    await rawRequest(service, '/collect/native/click?instance=unknown', headers('node'));
    expect(service.beacons().map(({ userAgent, agentDiffers }) => [userAgent, agentDiffers])).toEqual([
      ['Kiosk/1', false],
      ['node', true],
      ['node', false],
    ]);
  });

  it('answers a pixel or nothing', async () => {
    const service = await serviceForTest();
    const pixel = await rawRequest(service, '/collect/a.gif');
    expect([pixel.status, pixel.headers['content-type'], pixel.body.subarray(0, 6).toString()]).toEqual([
      200,
      'image/gif',
      'GIF89a',
    ]);
    const nothing = await rawRequest(service, '/collect/a');
    expect([nothing.status, nothing.body.length]).toEqual([204, 0]);
  });

  it('continues its numbers after a clear, and names the fault that affected a beacon', async () => {
    const service = await serviceForTest();
    await rawRequest(service, '/collect/a');
    service.clearBeacons();
    service.setFaults({ collector: { kind: 'status', status: 503 } });
    await rawRequest(service, '/collect/b');
    expect(service.beacons().map(({ sequence, path, fault }) => [sequence, path, fault])).toEqual([
      [2, '/collect/b', 'status'],
    ]);
  });

  it('forgets the oldest when there are too many', async () => {
    const service = await serviceForTest({ keep: 4 });
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await rawRequest(service, `/collect/${n}`);
    expect(service.beacons().map(({ sequence }) => sequence)).toEqual([4, 5, 6, 7]);
  });
});
