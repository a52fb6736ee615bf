import { expect, it } from 'vitest';
import type { SendResult } from '../beacons/delivery-policy';
import { accepted, answered } from '../beacons/testing/outbox-world';
import type { Fact } from './facts';
import { reportMedia, reportSends } from './report-service';
import { exampleRead, exampleStatus } from './testing/example-status';

it.each<[SendResult, string | null]>([
  [accepted, null],
  [answered(200), null],
  [answered(299), null],
  [answered(300), 'status-300'],
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

it('a creative that its server does not send is an error of the media, until one is sent; a house creative is neither', () => {
  const told: Fact[] = [];
  const report = reportMedia((fact) => void told.push(fact));
  const url = 'https://cdn.example/a.mp4?key=secret';
  report('house:a.png?1&2&3', { url, code: 'not-media', detail: '' });
  report(url, { url, code: 'status', detail: 'expected status 200, got 500' });
  const { media } = exampleRead(0);
  const statusWith = (...problems: string[]) => exampleStatus(0, told, { media: { ...media, problems } });
  expect(statusWith('a').service.media).toMatchObject({
    failing: true,
    lastError: {
      code: 'status',
      message: 'https://cdn.example/a.mp4?… could not be fetched: expected status 200, got 500.',
      advice: 'Check the media server; it is tried again.',
    },
  });
  // The ad was taken down.
  expect(statusWith().service.media.failing).toBe(false);
  report(url, null);
  expect(statusWith('b').service.media.failing).toBe(false);
  expect(told).toHaveLength(2);
});
