import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { captureDisplay } from '../capture/capture-display';
import { type ColouredCreative, paletteOf, serveColoured } from '../capture/coloured-creatives';
import { driftMs, overrunsInFrames, readTransitions } from '../capture/transitions';
import { startKiosk } from '../kiosk';
import { startBare, startEndcap } from './electron-program';
import { benchData, until } from './kiosk-folder';
import { percentile } from './statistics';

void startBare;
void driftMs;
void startEndcap;
const N = Number(process.env.PROBE_N ?? 20);
const SECONDS = Number(process.env.PROBE_S ?? 2);
const list = (weight: 'plain' | 'heavy'): ColouredCreative[] => [
  { colour: 'crimson', kind: 'image', weight, seconds: SECONDS },
  { colour: 'cobalt', kind: 'image', weight, seconds: SECONDS },
  { colour: 'leaf', kind: 'video', weight, seconds: SECONDS },
  { colour: 'amber', kind: 'video', weight, seconds: SECONDS },
];
for (const weight of (process.env.PROBE_W ?? 'plain').split(',') as Array<'plain' | 'heavy'>) {
  test(`probe ${weight}`, async () => {
    const creatives = list(weight);
    const dataDir = join(benchData, 'transitions');
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { recursive: true });
    const service = await startDemoService();
    await serveColoured(service, creatives, join(benchData, 'creatives'));
    const capture = await captureDisplay(paletteOf(creatives));
    const settings = { ...service.settings(), native: { enabled: false }, signals: { port: 0 } };
    const kiosk = await startKiosk({ dataDir, settings });
    kiosk.screen.on('console', (m) => console.log('CONSOLE', m.text())); kiosk.screen.on('pageerror', (e) => console.log('PAGEERROR', e.stack));
    try {
      await until(
        async () =>
          readTransitions(capture.frames, { shortestSlotMs: SECONDS * 1000 }).transitions.length >= N,
        600_000,
      );
    } finally {
      await capture.stop();
      const plays = await kiosk.plays();
      await kiosk.kill();
      await service.close();
      const report = readTransitions(capture.frames, { shortestSlotMs: SECONDS * 1000 });
      const over = overrunsInFrames(report.slots, () => SECONDS * 1000, 60);
      console.log(
        weight,
        'frames',
        report.frames,
        'gap',
        report.longestGapMs.toFixed(1),
        'transitions',
        report.transitions.length,
        'bad',
        report.badFrames,
        'hit',
        report.transitionsHit,
        'drift',
        driftMs(report.slots, () => SECONDS * 1000).toFixed(1),
      );
      console.log('over', over.join(' '));
      console.log('p50', percentile(over, 0.5), 'p99', percentile(over, 0.99));
      for (const t of report.transitions) if (Object.keys(t.bad).length) console.log(JSON.stringify(t));
      const first = capture.frames.findIndex((f) => f.label.kind !== 'black');
      const firstCreative = capture.frames.findIndex((f) => f.label.kind === 'creative');
      const start: Record<string, number> = {};
      for (const f of capture.frames.slice(0, firstCreative)) {
        const k = f.label.kind === 'foreign' ? `foreign ${f.label.colour}` : f.label.kind;
        start[k] = (start[k] ?? 0) + 1;
      }
      console.log('start', first, firstCreative, JSON.stringify(start));
      console.log(
        plays
          .slice(0, 12)
          .map((p) => `${p.adId} ${p.outcome} ${p.viewedMs} ${p.presentedFrames}/${p.droppedFrames}`)
          .join('\n'),
      );
    }
  });
}
