import type { ServerResponse } from 'node:http';
import { watchedServer } from '../main/egress/testing/watched-servers';
import { SegmentReceiver } from '../main/fleet/testing/segment-receiver';
import { expect } from './expect';
import { folder, keep, launch, service, test } from './kiosk-test';
import { signalsCaller } from './signals-caller';
import { kioskSettings, serveTwoCreatives } from './two-creatives';

// Rules 27 and 28: proof of play leaves the kiosk, signed and without gaps, whatever crashes on the way.

test('proof of play survives a kill during a segment that the receiver has accepted', async () => {
  const received = new SegmentReceiver();
  /** The first request, which gets no answer. */
  let held: ServerResponse | null = null;
  const server = keep(
    await watchedServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer);
      } catch {
        return; // The kiosk was killed, or the test is over.
      }
      const segment = received.read(Buffer.concat(chunks));
      const { kiosk, epoch, first, last } = segment.manifest;
      expect(request.url).toBe(`/${kiosk}/${epoch}/${first}-${last}`);
      received.take(segment);
      if (held === null) held = response;
      else response.end();
    }),
  );
  const url = `http://127.0.0.1:${server.port}/{kiosk}/{epoch}/{first}-{last}`;
  serveTwoCreatives(service);
  const settings = {
    ...kioskSettings(service),
    store: { storeId: 'store-17', labels: { aisle: '4' } },
    proof: { url, everySeconds: 1, maxRows: 3 },
  };
  const first = await launch(settings);
  // The receiver has stored the segment, but the kiosk has no answer.
  await expect.poll(() => held).not.toBeNull();
  // Its rows, and some that are not made yet.
  await expect.poll(async () => (await first.plays()).length).toBeGreaterThan(5);
  await first.kill();
  expect(received.bodies).toBe(1);

  // Meanwhile the kiosk was moved.
  const movedAt = Date.now();
  const second = await launch({ ...settings, store: { ...settings.store, storeId: 'store-18' } });
  await expect.poll(() => received.repeats, { message: 'the same bytes again' }).toBe(1);
  await expect.poll(() => received.manifests.size).toBeGreaterThanOrEqual(3);
  const settled = (await second.plays()).filter(({ outcome }) => outcome !== 'reserved');
  await expect.poll(() => settled.filter(({ id }) => !received.plays().has(id))).toEqual([]);
  expect(received.gaps()).toEqual([]);
  const counted = received.plays();
  for (const { id, at, outcome, viewedMs } of settled) {
    expect(counted.get(id)).toMatchObject({
      outcome,
      viewedMs: Math.round(viewedMs),
      at: new Date(at).toISOString(),
      // A play that was cut off may have been planned for a moment after the kill.
      storeId: at < movedAt || outcome === 'unknown' ? 'store-17' : 'store-18',
      labels: '{"aisle":"4"}',
    });
  }

  const signals = signalsCaller(folder);
  const status = await (await signals.get('/v1/status')).json();
  expect(status.proof).toMatchObject({ lastSentAt: expect.any(String), setAside: 0, lastError: null });
  expect([...received.manifests.values()][0]?.kiosk).toBe(status.kiosk.id);
  const metrics = await (await signals.get('/metrics')).text();
  expect(metrics).toMatch(/^endcap_proof_segments_total\{result="delivered"\} [1-9]/m);
  expect(metrics).toMatch(/^endcap_proof_plays_waiting \d+$/m);
});
