import { expect, it } from 'vitest';
import type { SendResult } from '../beacons/delivery-policy';
import { accepted, answered } from '../beacons/testing/outbox-world';
import type { Fact } from './facts';
import { reportSends } from './report-service';

it.each<[SendResult, string | null]>([
  [accepted, null],
  [answered(503), 'status-503'],
  [{ kind: 'not-sent', code: 'connection' }, 'connection'],
  [{ kind: 'unknown', code: 'timeout' }, 'timeout'],
  [{ kind: 'forbidden', code: 'fenced' }, 'fenced'],
])('a beacon with the result %j is reported as %s', async (result, code) => {
  const told: Fact[] = [];
  const send = reportSends(
    async () => result,
    (fact) => void told.push(fact),
  );
  expect(await send('https://t.example/i?key=secret')).toBe(result);
  const operation = 'beacons';
  expect(told).toMatchObject([
    code === null
      ? { kind: 'service-succeeded', operation }
      : { kind: 'service-failed', operation, problem: { code } },
  ]);
  expect(JSON.stringify(told)).not.toContain('secret');
});
