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

/** `npm run bench -- footprint --minutes 60` takes some four hours. */
const MINUTES = Number(process.env.ENDCAP_BENCH_MINUTES ?? 2);
/** Times after the start at which memory is measured, minutes. */
const MARKS = MINUTES > 2 ? [2, MINUTES] : [MINUTES];
/** Memory is measured during this time before each mark, s. */
const MEMORY_S = 30;
/** Processor time is measured from this time after the start on, s, at least for this time, s. */
const SETTLED_S = 30;
const LEAST_PROCESSOR_S = 80;
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

for (const creatives of SETS) {
  test(`memory: ${creatives.name}`, async () => {
    test.setTimeout((2 * MINUTES + 5) * 60_000);
    const { endcap, loop } = await prepare(creatives);
    const usedBy = { endcap: await memoryOf(endcap), loop: await memoryOf(loop) };
    expectAllShown();
    const nativeBeacons = service.beacons().filter(({ path }) => path.includes('/native/')).length;
    if (creatives.withNative && nativeBeacons === 0) throw new Error('no native ad was seen');

    for (const [index, mark] of MARKS.entries()) {
      const at = ({ pssMb }: Memory) => pssMb[index] ?? Number.NaN;
      await report({
        name: `memory after ${mark} minutes, PSS of all processes (bare Electron, one looping video): ${creatives.name}`,
        unit: 'MB',
        value: at(usedBy.endcap),
        baseline: at(usedBy.loop),
        ratio: at(usedBy.endcap) / at(usedBy.loop),
        budgets: [{ of: 'ratio', most: 1.3 }],
        samples: { endcap: usedBy.endcap.pssMb, 'looping video': usedBy.loop.pssMb },
        details: {
          endcap: usedBy.endcap.byKind,
          bare: usedBy.loop.byKind,
          'beacons of native ads': nativeBeacons,
        },
      });
    }
  });
}

// A virtual machine runs at half its speed for some seconds, now and then. So the three run at the same time, each on a
// display of its own, and it hits all of them.
for (const creatives of SETS.filter(({ withNative }) => !withNative)) {
  test(`processor: ${creatives.name}`, async () => {
    test.setTimeout(10 * 60_000);
    const { endcap, loop, layers } = await prepare(creatives);
    const [ofEndcap, ofLoop, ofLayers] = await processorOf(creatives.roundSeconds, [endcap, loop, layers]);
    expectAllShown();
    for (const [of, used, most] of [
      ['two-layer page', ofLayers, 1],
      ['Electron, one looping video', ofLoop, 0.6],
    ] as const)
      await report({
        name: `processor, same creatives (bare ${of}): ${creatives.name}`,
        unit: 'cores',
        value: ofEndcap.cores,
        baseline: used.cores,
        ratio: ofEndcap.cores / used.cores,
        budgets: [{ of: 'ratio', most }],
        samples: { endcap: [ofEndcap.cores], [of]: [used.cores] },
        details: { endcap: ofEndcap.byKind, [of]: used.byKind },
      });
  });
}

type Start = (display: number) => Program;

/** Lets the kiosk store the creatives, and returns how the programs are started. */
async function prepare(creatives: Creatives) {
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
  const data = (name: string) => join(benchData, name);
  return {
    endcap: (display) =>
      startEndcap({ dataDir: folder, config: join(folder, 'config.json') }, displays()[display]),
    loop: (display) => startBare('looping-video.html', files.slice(0, 1), data('bare'), displays()[display]),
    layers: (display) => startBare('two-layers.html', files, data('bare-layers'), displays()[display]),
  } satisfies Record<string, Start>;
}

/** The environment of each display that `npm run bench` has started. */
const displays = (): Array<Record<string, string>> => JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]');

function expectAllShown(): void {
  const log = readFileSync(join(folder, 'logs/endcap.log'), 'utf8');
  if (/could not be shown/.test(log)) throw new Error('the kiosk did not show all creatives');
}

interface Memory {
  /** At each mark: the median of the samples before it, one every two seconds. */
  readonly pssMb: number[];
  readonly byKind: string;
}

async function memoryOf(start: Start): Promise<Memory> {
  const program = start(0);
  const secondsSince = stopwatch();
  try {
    const pssMb: number[] = [];
    let byKind = '';
    for (const mark of MARKS) {
      await pause(mark * 60 - MEMORY_S - secondsSince());
      const samples = [footprintOf(program.pid).pssMb];
      while (secondsSince() < mark * 60) {
        await pause(2);
        samples.push(footprintOf(program.pid).pssMb);
      }
      pssMb.push(median(samples));
      byKind = listed(footprintOf(program.pid).pssMbByKind, 0);
    }
    return { pssMb, byKind };
  } finally {
    await program.end();
  }
}

interface Processor {
  readonly cores: number;
  /** Share of each kind of process. */
  readonly byKind: string;
}

/** Measures programs that run at the same time, during whole rounds of their creatives. */
async function processorOf<const Starts extends readonly Start[]>(roundSeconds: number, starts: Starts) {
  const programs = starts.map((start, display) => start(display));
  try {
    await pause(SETTLED_S);
    const secondsSince = stopwatch();
    const before = programs.map(({ pid }) => footprintOf(pid).cpuSecondsByKind);
    await pause(Math.ceil(LEAST_PROCESSOR_S / roundSeconds) * roundSeconds);
    const after = programs.map(({ pid }) => footprintOf(pid).cpuSecondsByKind);
    const seconds = secondsSince();
    const used = after.map((byKind, index): Processor => {
      const coresByKind = Object.entries(byKind).map(
        ([kind, until]) => [kind, (until - (before[index]?.[kind] ?? 0)) / seconds] as const,
      );
      const cores = coresByKind.reduce((sum, [, each]) => sum + each, 0);
      return { cores, byKind: listed(Object.fromEntries(coresByKind), 3) };
    });
    return used as { readonly [Index in keyof Starts]: Processor };
  } finally {
    for (const program of programs) await program.end();
  }
}

const listed = (byKind: Readonly<Record<string, number>>, digits: number) =>
  Object.entries(byKind)
    .map(([kind, value]) => `${kind} ${value.toFixed(digits)}`)
    .join(' + ');

/** Returns the time since this call, s. */
function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
}

function pause(seconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, seconds * 1000));
}
