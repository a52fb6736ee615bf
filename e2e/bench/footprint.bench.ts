import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { startKiosk } from '../kiosk';
import { type Program, root, startBare, startEndcap } from './electron-program';
import { benchData, until } from './kiosk-folder';
import { footprintOf } from './process-tree';
import { report } from './report';
import { median, pairedRatio } from './statistics';

const ROUNDS = 2;
const WARM_UP_S = 12;
const MEASURED_S = 30;
const IMAGE_S = 4;
/** Played in turn by the kiosk and by the bare page with two layers. */
const CREATIVES = [
  { name: 'solara-landscape.mp4', type: 'video/mp4', seconds: null },
  { name: 'brightside-landscape.png', type: 'image/png', seconds: IMAGE_S },
  { name: 'volt-landscape.mp4', type: 'video/mp4', seconds: null },
  { name: 'hearth-landscape.jpg', type: 'image/jpeg', seconds: IMAGE_S },
];

interface Usage {
  readonly pssMb: number;
  readonly cores: number;
  readonly byKind: string;
}

test('memory and processor', async () => {
  const dataDir = join(benchData, 'footprint');
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const service = await startDemoService();
  try {
    service.setAds(
      CREATIVES.map(({ name, type, seconds }) => ({
        id: name,
        durationSeconds: seconds,
        media: [{ name, type, width: 1280, height: 720 }],
        metadata: { flight_id: name, source_id: 'cms' },
      })),
    );
    const settings = {
      ...service.settings(),
      playback: { imageSeconds: IMAGE_S },
      native: { enabled: false },
      signals: { port: 0 },
    };
    const first = await startKiosk({ dataDir, settings });
    await until(async () => (await first.status()).media.files === CREATIVES.length);
    await first.terminate();

    const files = CREATIVES.map(({ name }) => join(root, 'main/demo-service/creatives', name));
    const bareData = join(benchData, 'bare');
    const programs: Record<'endcap' | 'loop' | 'layers', () => Program> = {
      endcap: () => startEndcap({ dataDir, config: join(dataDir, 'config.json') }),
      loop: () => startBare('looping-video.html', files.slice(0, 1), bareData),
      layers: () => startBare('two-layers.html', files, bareData),
    };
    const seen: Record<keyof typeof programs, Usage[]> = { endcap: [], loop: [], layers: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      seen.endcap.push(await usageOf(programs.endcap));
      seen.loop.push(await usageOf(programs.loop));
      seen.layers.push(await usageOf(programs.layers));
    }
    const plays = readFileSync(join(dataDir, 'logs/endcap.log'), 'utf8');
    if (/could not be shown/.test(plays)) throw new Error('the kiosk did not show all creatives');

    const memory = (kind: keyof typeof seen) => seen[kind].map(({ pssMb }) => pssMb);
    const cores = (kind: keyof typeof seen) => seen[kind].map((usage) => usage.cores);
    await report({
      name: 'memory, PSS of all processes (bare Electron, one looping video)',
      unit: 'MB',
      value: median(memory('endcap')),
      baseline: median(memory('loop')),
      ratio: pairedRatio(memory('endcap'), memory('loop')),
      budgets: [{ of: 'ratio', most: 1.3 }],
      samples: { endcap: memory('endcap'), 'looping video': memory('loop'), 'two layers': memory('layers') },
      details: {
        'two bare layers MB': median(memory('layers')),
        endcap: seen.endcap[0]?.byKind ?? '',
        bare: seen.loop[0]?.byKind ?? '',
      },
    });
    await report({
      name: 'processor, same creatives (bare two-layer page)',
      unit: 'cores',
      value: median(cores('endcap')),
      baseline: median(cores('layers')),
      ratio: pairedRatio(cores('endcap'), cores('layers')),
      budgets: [{ of: 'ratio', most: 1.15 }],
      samples: { endcap: cores('endcap'), 'two layers': cores('layers'), 'looping video': cores('loop') },
      details: { 'one looping video cores': median(cores('loop')) },
    });
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Memory is the median over the measured time, sampled every two seconds. */
async function usageOf(start: () => Program): Promise<Usage> {
  const program = start();
  try {
    await pause(WARM_UP_S);
    const before = footprintOf(program.pid);
    const startedAt = performance.now();
    const memory = [before.pssMb];
    while (performance.now() - startedAt < MEASURED_S * 1000) {
      await pause(2);
      memory.push(footprintOf(program.pid).pssMb);
    }
    const after = footprintOf(program.pid);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      pssMb: median(memory),
      cores: (after.cpuSeconds - before.cpuSeconds) / seconds,
      byKind: Object.entries(after.pssMbByKind)
        .map(([kind, mb]) => `${kind} ${Math.round(mb)}`)
        .join(' + '),
    };
  } finally {
    await program.end();
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, seconds * 1000));
}
