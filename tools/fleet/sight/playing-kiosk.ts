import { createServer } from 'node:http';
import type { Fact } from '../../../main/status/facts';
import { createMetrics } from '../../../main/status/metrics';
import { exampleStatus } from '../../../main/status/testing/example-status';
import { examplePlay } from '../../../renderer/records/testing/example-play';
import type { Play } from '../../../shared/play';
import { listening } from '../loopback-ports';

export type PlayingKiosk = Awaited<ReturnType<typeof startPlayingKiosk>>;

const settled = (outcome: Play['outcome']): Fact => ({
  kind: 'settled',
  play: examplePlay({ outcome, droppedFrames: 2, stalls: 1 }),
  drawn: [],
});
const problem = { code: 'unauthorized', message: '', advice: null };
/** At least one fact for each counter. */
const FACTS: readonly Fact[] = [
  ...[settled('completed'), settled('interrupted'), settled('failed')],
  ...(['offline', 'online', 'native', 'house', 'card', 'held'] as const).map(
    (next): Fact => ({ kind: 'decided', next }),
  ),
  { kind: 'chosen', tookMs: 0.4 },
  { kind: 'cap-hit', window: 'FREQUENCY_CAP_WINDOW_HOUR', ads: 2 },
  { kind: 'left-screen', overrunMs: 12 },
  { kind: 'service-failed', operation: 'ads', problem },
  { kind: 'request-answered', route: '/metrics', status: 200 },
  { kind: 'segment-tried', result: 'delivered' },
];

/**
 * A server of `/metrics` of a playing kiosk. The product's own code makes the metrics.
 *
 * @param token bearer token that a scrape needs
 */
export async function startPlayingKiosk(token: string) {
  const metrics = createMetrics();
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    for (const fact of FACTS) metrics.count(fact);
    const now = Date.now();
    const proof = { waiting: 3, oldestAt: now - 60_000, lastSentAt: null, setAside: 0, lastError: null };
    const told: Fact[] = [...FACTS, { kind: 'section', name: 'proof', value: proof }];
    const more = { token: { ageMs: 5_000, expiresAt: null, expiresInMs: null }, playlistAt: now - 61_000 };
    const status = exampleStatus(now, told, more);
    void metrics.scrape(status).then((text) => {
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  return { port, close };
}
