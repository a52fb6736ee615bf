import type { Page } from 'playwright';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { dataFolder, type Kiosk, startKiosk } from '../kiosk';
import { nativeSettings, serveLoop } from '../native-zone';
import { frameGaps, late } from './frame-gaps';
import { recordsPage, until } from './kiosk-folder';
import { footprintOf } from './process-tree';
import { report } from './report';

const BEACONS = 10_000;
const CALM_MS = 10_000;
/** The whole drain takes longer, being staggered on purpose: its pace is measured over this part of it. */
const WATCH_MS = 60_000;
/** One beacon in so many ms on average, as the outbox means it. */
const NOMINAL_MS = 200;

test('a backlog after an outage', async () => {
  const folder = dataFolder();
  const service = await startDemoService();
  serveLoop(service);
  const settings = nativeSettings(service, { native: { enabled: false } });
  const drained = () => service.beacons().filter(({ query }) => query.ad === 'backlog').length;
  const memoryOf = (running: Kiosk) => footprintOf(running.app.process().pid ?? 0).pssMb;
  let kiosk = await startKiosk({ dataDir: folder.path, settings });
  try {
    await until(async () => (await kiosk.plays()).length > 2);
    const calm = await frameGaps(kiosk, CALM_MS);
    const calmMemory = memoryOf(kiosk);
    await (await recordsPage(kiosk)).evaluate(storeBeacons, {
      count: BEACONS,
      url: `${service.origin}/collect/late?ad=backlog`,
      host: service.origin,
      now: Date.now(),
    });
    await kiosk.kill();

    kiosk = await startKiosk({ dataDir: folder.path, settings });
    await until(async () => drained() > 0);
    const before = drained();
    const began = performance.now();
    const draining = await frameGaps(kiosk, WATCH_MS);
    const paceMs = (performance.now() - began) / Math.max(1, drained() - before);
    const memory = memoryOf(kiosk);
    const pending = (await kiosk.status()).beacons.pending;
    const wholeMs = paceMs * BEACONS;
    await report({
      name: 'drain of 10,000 beacons after an outage, at the pace of its first minute (as meant)',
      unit: 'ms',
      value: wholeMs,
      baseline: NOMINAL_MS * BEACONS,
      ratio: wholeMs / (NOMINAL_MS * BEACONS),
      budgets: [],
      samples: {},
      details: { 'ms a beacon': paceMs, 'still waiting': pending },
    });
    await report({
      name: 'memory with 10,000 beacons waiting (with none)',
      unit: 'MB',
      value: memory,
      baseline: calmMemory,
      ratio: memory / calmMemory,
      budgets: [],
      samples: {},
      details: {},
    });
    await report({
      name: 'frames late on the stage while 10,000 beacons are drained (before)',
      unit: 'frames',
      value: late(draining),
      baseline: late(calm),
      ratio: null,
      budgets: [{ of: 'value', most: 0 }],
      samples: { draining, calm },
      details: { 'longest ms': Math.max(...draining), 'longest before ms': Math.max(...calm) },
    });
  } finally {
    await kiosk.kill();
    await service.close();
    folder.remove();
  }
});

/** Runs in the records window: what the outbox holds after an outage of some hours. */
function storeBeacons(backlog: {
  count: number;
  url: string;
  host: string;
  now: number;
}): ReturnType<Page['evaluate']> {
  const { count, url, host, now } = backlog;
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const work = opening.result.transaction(['beacons', 'outboxSize'], 'readwrite');
      const beacons = work.objectStore('beacons');
      for (let index = 0; index < count; index += 1) {
        const eventAt = now - (count - index) * 1_000;
        beacons.add({
          id: `backlog-${index}`,
          environment: 'bench',
          policy: 'at-least-once',
          url: `${url}&n=${index}`,
          host,
          event: 'impression',
          eventAt,
          expiresAt: now + 86_400_000,
          playId: `old-play-${index >> 2}`,
          instance: null,
          position: 0,
          state: 'waiting',
          attempts: 0,
          dueAt: eventAt,
          lastError: null,
          finishedAt: null,
        });
      }
      work.objectStore('outboxSize').put({ key: 'outbox', pending: count, ended: 0 });
      work.onerror = () => failed(work.error);
      work.oncomplete = () => {
        opening.result.close();
        done(null);
      };
    };
  });
}
