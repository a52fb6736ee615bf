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
      },
      {
        sequence: 2,
        time: 2000,
        method: 'POST',
        url: `${service.origin}/collect/tracking/start?ad=a`,
        path: '/collect/tracking/start',
        query: { ad: 'a' },
        fault: null,
      },
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

  it('goes on counting after a clear, and says which beacons a fault spoilt', async () => {
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
