import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { type ColouredCreative, serveColoured } from '../capture/coloured-creatives';
import { signalsCaller } from '../signals-caller';
import { creativesFolder } from './coloured-run';
import { startEndcap } from './electron-program';
import { benchData, until } from './kiosk-folder';
import { footprintOf } from './process-tree';
import { report } from './report';
import { slopeOf } from './statistics';

/** `npm run bench -- slope --slots 100000` is the long run, of a night. */
const SLOTS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 2_000);
const SAMPLE_MS = 5_000;
/** What fills caches and pools is no growth. */
const SETTLED_SHARE = 0.4;

/** As short as they can be: a day of transitions in an hour. */
const CREATIVES: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'image', weight: 'plain', seconds: 0.2 },
  { colour: 'leaf', kind: 'video', weight: 'plain', seconds: 0.4 },
  { colour: 'amber', kind: 'video', weight: 'plain', seconds: 0.4 },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: 0.2 },
];

interface Sample {
  readonly plays: number;
  readonly pssMb: number;
  readonly pssMbByKind: Readonly<Record<string, number>>;
  readonly handles: number;
  readonly processes: number;
}

test('memory, handles and processes over many slots', async () => {
  test.setTimeout(SLOTS * 1_500 + 120_000);
  const dataDir = join(benchData, 'slope');
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const service = await startDemoService();
  const samples: Sample[] = [];
  try {
    await serveColoured(service, CREATIVES, creativesFolder);
    const config = join(dataDir, 'config.json');
    const settings = { ...service.settings(), native: { enabled: false }, signals: { port: 0 } };
    writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
    const program = startEndcap({ dataDir, config });
    try {
      const kiosk = signalsCaller(dataDir);
      const plays = async () => (await kiosk.status()).books?.plays ?? 0;
      await until(async () => (await plays()) > CREATIVES.length);
      while ((samples.at(-1)?.plays ?? 0) < SLOTS) {
        await new Promise((resume) => setTimeout(resume, SAMPLE_MS));
        const { pssMb, pssMbByKind } = footprintOf(program.pid);
        const { pid } = program;
        samples.push({
          plays: await plays(),
          pssMb,
          pssMbByKind,
          handles: handlesOf(pid),
          processes: processesOf(pid),
        });
      }
    } finally {
      await program.end();
    }
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }

  const settled = samples.slice(Math.floor(samples.length * SETTLED_SHARE));
  const [first, last] = [settled[0], settled.at(-1)];
  if (!first || !last || first === last) throw new Error('too few samples for a slope');
  const per10k = (of: (sample: Sample) => number) =>
    slopeOf(settled.map((sample) => [sample.plays, of(sample)])) * 10_000;
  const kinds = Object.keys(last.pssMbByKind);
  await report({
    name: `memory per 10,000 slots, slope over ${last.plays - first.plays}`,
    unit: 'MB',
    value: per10k(({ pssMb }) => pssMb),
    baseline: null,
    ratio: null,
    budgets: [{ of: 'value', most: 1 }],
    samples: {
      plays: samples.map(({ plays }) => plays),
      'all MB': samples.map(({ pssMb }) => pssMb),
      ...Object.fromEntries(
        kinds.map((kind) => [`${kind} MB`, samples.map(({ pssMbByKind }) => pssMbByKind[kind] ?? 0)]),
      ),
    },
    details: {
      'MB at first': first.pssMb,
      'MB at last': last.pssMb,
      ...Object.fromEntries(kinds.map((kind) => [kind, per10k(({ pssMbByKind }) => pssMbByKind[kind] ?? 0)])),
    },
  });
  for (const [name, of] of [
    ['open files of main', ({ handles }: Sample) => handles],
    ['processes', ({ processes }: Sample) => processes],
  ] as const) {
    await report({
      name: `${name}: growth over ${last.plays - first.plays} slots`,
      unit: 'count',
      // The least of each half: a file that is open for a moment is no growth.
      value: least(settled.slice(settled.length >> 1), of) - least(settled.slice(0, settled.length >> 1), of),
      baseline: null,
      ratio: null,
      budgets: [{ of: 'value', most: 0 }],
      samples: { [name]: samples.map(of) },
      details: { 'at first': of(first), 'at last': of(last) },
    });
  }
});

const least = (samples: readonly Sample[], of: (sample: Sample) => number) => Math.min(...samples.map(of));

/** Open files, sockets and pipes of the main process. */
const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** Processes of the group that the kiosk leads. */
function processesOf(pid: number): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === pid;
    } catch {
      // It ended between the listing and the reading.
      return false;
    }
  }).length;
}
