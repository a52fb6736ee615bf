import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../../main/demo-service/demo-service';
import { type ColouredCreative, makeCreative, serveColoured } from '../capture/coloured-creatives';
import { root } from '../kiosk';
import { folder, launch, service, test } from '../kiosk-test';
import { footprintOf } from '../process-tree';
import { until } from '../until';
import { creativesFolder } from './coloured-run';
import { type Program, startBare, startEndcap } from './electron-program';
import { benchData } from './kiosk-folder';
import { report } from './report';
import { median } from './statistics';

/** `npm run bench -- footprint --minutes 60` takes some six hours. */
const MINUTES = Number(process.env.ENDCAP_BENCH_MINUTES ?? 2);
/** Times after the start at which memory is measured, minutes. */
const MARKS = MINUTES > 2 ? [2, MINUTES] : [MINUTES];
/** Memory and processor time are measured before each mark, at least for this time, s. */
const LEAST_MEASURED_S = 40;
/** The bare page shows each image for the same time. */
const IMAGE_S = 4;

/** The kiosk and the bare page with two layers play these in turn; the looping page plays only the first, a video. */
interface Creatives {
  readonly name: string;
  /** Whether native ads with their beacons come in between. */
  readonly withNative: boolean;
  /** The time in which each has played once, s. A second more of a video than of an image would distort the ratio. */
  readonly roundSeconds: number;
  /** Puts them on the service, and resolves to their files. */
  serve(service: DemoService): Promise<readonly string[]>;
}

const COLOURED: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'video', weight: 'plain', seconds: 3 },
  { colour: 'leaf', kind: 'image', weight: 'plain', seconds: IMAGE_S },
  { colour: 'amber', kind: 'video', weight: 'plain', seconds: 3 },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: IMAGE_S },
];
const FILMED = [
  { name: 'solara-landscape.mp4', type: 'video/mp4', seconds: null },
  { name: 'brightside-landscape.png', type: 'image/png', seconds: IMAGE_S },
  { name: 'volt-landscape.mp4', type: 'video/mp4', seconds: null },
  { name: 'hearth-landscape.jpg', type: 'image/jpeg', seconds: IMAGE_S },
];

/** Number of slots between two native ads. */
const EVERY_SLOTS = 2;

const serveFilmed: Creatives['serve'] = async (service) => {
  service.setAds(
    FILMED.map(({ name, type, seconds }) => ({
      id: name,
      durationSeconds: seconds,
      media: [{ name, type, width: 1280, height: 720 }],
      metadata: { flight_id: name, source_id: 'cms' },
    })),
  );
  return FILMED.map(({ name }) => join(root, 'main/demo-service/creatives', name));
};

const SETS: readonly Creatives[] = [
  {
    name: 'colours, 3 s',
    withNative: false,
    roundSeconds: 14,
    async serve(service) {
      await serveColoured(service, COLOURED, creativesFolder);
      const made = COLOURED.map((creative) => makeCreative(creative, creativesFolder));
      return (await Promise.all(made)).map(({ file }) => file);
    },
  },
  { name: 'film and photographs', withNative: false, roundSeconds: 20, serve: serveFilmed },
  { name: 'film, photographs and native ads', withNative: true, roundSeconds: 20, serve: serveFilmed },
];

interface Usage {
  /** Memory at each mark. */
  readonly pssMb: number[];
  readonly cores: number;
  /** Memory of each kind of process, MB. */
  readonly byKind: string;
  /** Share of `cores` of each kind of process. */
  readonly coresByKind: string;
}

for (const creatives of SETS) {
  test(`memory and processor: ${creatives.name}`, async () => {
    test.setTimeout((3 * MINUTES + 5) * 60_000);
    const files = await creatives.serve(service);
    const base = service.settings();
    const settings = {
      ...base,
      playback: { imageSeconds: IMAGE_S },
      native: creatives.withNative ? { ...base.native, everySlots: EVERY_SLOTS } : { enabled: false },
      signals: { port: 0 },
    };
    const first = await launch(settings);
    await until(async () => (await first.status()).media.files >= files.length);
    await first.terminate();

    const bareData = join(benchData, 'bare');
    const measure = (start: () => Program) => usageOf(creatives.roundSeconds, start);
    const endcap = await measure(() => startEndcap({ dataDir: folder, config: join(folder, 'config.json') }));
    const loop = await measure(() => startBare('looping-video.html', files.slice(0, 1), bareData));
    const layers = await measure(() => startBare('two-layers.html', files, bareData));
    const plays = readFileSync(join(folder, 'logs/endcap.log'), 'utf8');
    if (/could not be shown/.test(plays)) throw new Error('the kiosk did not show all creatives');
    const nativeBeacons = service.beacons().filter(({ path }) => path.includes('/native/')).length;
    if (creatives.withNative && nativeBeacons === 0) throw new Error('no native ad was seen');

    for (const [index, mark] of MARKS.entries()) {
      const at = ({ pssMb }: Usage) => pssMb[index] ?? Number.NaN;
      await report({
        name: `memory after ${mark} minutes, PSS of all processes (bare Electron, one looping video): ${creatives.name}`,
        unit: 'MB',
        value: at(endcap),
        baseline: at(loop),
        ratio: at(endcap) / at(loop),
        budgets: [{ of: 'ratio', most: 1.3 }],
        samples: { endcap: endcap.pssMb, 'looping video': loop.pssMb, 'two layers': layers.pssMb },
        details: {
          'two bare layers MB': at(layers),
          endcap: endcap.byKind,
          bare: loop.byKind,
          'two bare layers': layers.byKind,
          'beacons of native ads': nativeBeacons,
        },
      });
    }
    if (creatives.withNative) return;
    for (const [of, { cores, coresByKind }, most] of [
      ['two-layer page', layers, 1],
      ['Electron, one looping video', loop, 0.6],
    ] as const)
      await report({
        name: `processor, same creatives (bare ${of}): ${creatives.name}`,
        unit: 'cores',
        value: endcap.cores,
        baseline: cores,
        ratio: endcap.cores / cores,
        budgets: [{ of: 'ratio', most }],
        samples: { endcap: [endcap.cores], [of]: [cores] },
        details: { endcap: endcap.coresByKind, [of]: coresByKind },
      });
  });
}

/**
 * Measures a program during whole rounds of its creatives. Memory at a mark is the median of the samples before
 * it, one every two seconds.
 */
async function usageOf(roundSeconds: number, start: () => Program): Promise<Usage> {
  const measuredSeconds = Math.ceil(LEAST_MEASURED_S / roundSeconds) * roundSeconds;
  const program = start();
  const startedAt = performance.now();
  const secondsSince = (then: number) => (performance.now() - then) / 1000;
  try {
    const pssMb: number[] = [];
    let cores = Number.NaN;
    let byKind = '';
    let coresByKind = '';
    for (const mark of MARKS) {
      await pause(mark * 60 - measuredSeconds - secondsSince(startedAt));
      const before = footprintOf(program.pid);
      const measuredFrom = performance.now();
      const memory = [before.pssMb];
      while (secondsSince(measuredFrom) < measuredSeconds) {
        await pause(Math.min(2, measuredSeconds - secondsSince(measuredFrom)));
        memory.push(footprintOf(program.pid).pssMb);
      }
      const after = footprintOf(program.pid);
      const seconds = secondsSince(measuredFrom);
      pssMb.push(median(memory));
      cores = (after.cpuSeconds - before.cpuSeconds) / seconds;
      coresByKind = Object.entries(after.cpuSecondsByKind)
        .map(
          ([kind, used]) => `${kind} ${((used - (before.cpuSecondsByKind[kind] ?? 0)) / seconds).toFixed(3)}`,
        )
        .join(' + ');
      byKind = Object.entries(after.pssMbByKind)
        .map(([kind, mb]) => `${kind} ${Math.round(mb)}`)
        .join(' + ');
    }
    return { pssMb, cores, byKind, coresByKind };
  } finally {
    await program.end();
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, seconds * 1000));
}
