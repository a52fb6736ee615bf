import { expect, it } from 'vitest';
import type { SendResult } from '../beacons/delivery-policy';
import { accepted, answered } from '../beacons/testing/outbox-world';
import { reportSends } from './report-service';

it.each<[SendResult, string | null]>([
  [accepted, null],
  [answered(503), 'status-503'],
  [{ kind: 'not-sent', code: 'connection' }, 'connection'],
  [{ kind: 'unknown', code: 'timeout' }, 'timeout'],
  [{ kind: 'forbidden', code: 'fenced' }, 'fenced'],
])('a beacon that came to %j is told to the status and the metrics as %s', async (result, code) => {
  const told: unknown[] = [];
  const failed: string[] = [];
  const send = reportSends(async () => result, {
    board: { tell: (news) => void told.push(news) },
    metrics: { serviceFailed: (_operation, why) => void failed.push(why) },
  });
  expect(await send('https://t.example/i?key=secret')).toBe(result);
  expect(failed).toEqual(code === null ? [] : [code]);
  const kind = code === null ? 'service-succeeded' : 'service-failed';
  expect(told).toMatchObject([{ kind, operation: 'beacons' }]);
  expect(JSON.stringify(told)).not.toContain('secret');
});
