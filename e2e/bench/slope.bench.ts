import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ColouredCreative, serveColoured } from '../capture/coloured-creatives';
import { type Kiosk, pageAt } from '../kiosk';
import { launch, service, test } from '../kiosk-test';
import { footprintOf } from '../process-tree';
import { until } from '../until';
import { creativesFolder } from './coloured-run';
import { report } from './report';
import { slopeOf } from './statistics';

/**
 * 2,000 slots reliably show growth of about 5 MB per 10,000 slots, or one file per hundred. 10,000 slots
 * (half an hour) show growth at the budget, and one file per two thousand. The long run, `npm run bench --
 * slope --slots 100000`, takes a night.
 */
const SLOTS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 2_000);
/** A long interval: each sample leaves data in the debugger's part of main, which would look like growth. */
const SAMPLE_MS = 15_000;
/** Samples before this are ignored, because caches and pools still fill: the status alone keeps a thousand plays. */
const SETTLED_SHARE = 0.5;
const SETTLED_PLAYS = 1_000;

/** As short as possible: one hour has the transitions of a day. */
const CREATIVES: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'image', weight: 'plain', seconds: 0.1 },
  { colour: 'leaf', kind: 'video', weight: 'plain', seconds: 0.24 },
  { colour: 'amber', kind: 'video', weight: 'plain', seconds: 0.24 },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: 0.1 },
];

interface Sample {
  readonly plays: number;
  /** Memory that is no part of a file, after a garbage collection in all processes of ours. */
  readonly ownMb: number;
  readonly ownMbByKind: Readonly<Record<string, number>>;
  /** Live data in JavaScript's heaps after it; for main, without its code. */
  readonly heapMb: Readonly<Record<'main' | 'kiosk' | 'records', number>>;
  /**
   * Bytecode and machine code that V8 makes for main. It is bounded by the amount of code, but still grows
   * after thousands of slots as V8 learns what runs often.
   */
  readonly mainCodeMb: number;
  /** Open files, sockets and pipes of main, without the tables of databases. */
  readonly handles: number;
  /** Open table files: LevelDB keeps one open per 2 MB of books, up to a limit of its own. */
  readonly tables: number;
  readonly processes: number;
}

test('memory, handles and processes over many slots', async () => {
  test.setTimeout(SLOTS * 1_500 + 120_000);
  await serveColoured(service, CREATIVES, creativesFolder);
  const settings = { ...service.settings(), native: { enabled: false }, signals: { port: 0 } };
  const kiosk = await launch(settings, { args: ['--js-flags=--expose-gc', '--enable-precise-memory-info'] });
  const plays = async () => (await kiosk.status()).books?.plays ?? 0;
  await until(async () => (await plays()) > CREATIVES.length);
  const samples: Sample[] = [];
  while ((samples.at(-1)?.plays ?? 0) < SLOTS) {
    await new Promise((resume) => setTimeout(resume, SAMPLE_MS));
    samples.push({ plays: await plays(), ...(await sampleOf(kiosk)) });
  }
  await kiosk.kill();

  const from = Math.max(SLOTS * SETTLED_SHARE, Math.min(SETTLED_PLAYS, SLOTS * 0.7));
  const settled = samples.filter(({ plays }) => plays >= from);
  const [first, last] = [settled[0], settled.at(-1)];
  if (!first || !last || first === last) throw new Error('too few samples for a slope');
  const per10k = (of: (sample: Sample) => number) => {
    const { per, least, most } = slopeOf(settled.map((sample) => [sample.plays, of(sample)]));
    return { per: per * 10_000, least: least * 10_000, most: most * 10_000 };
  };
  const kinds = Object.keys(last.ownMbByKind);
  const heaps = ['main', 'kiosk', 'records'] as const;
  for (const [name, all, parts] of [
    [
      'memory',
      ({ ownMb }: Sample) => ownMb,
      kinds.map((kind) => [kind, (sample: Sample) => sample.ownMbByKind[kind] ?? 0] as const),
    ],
    [
      'what lives in the heaps of JavaScript',
      ({ heapMb }: Sample) => heapMb.main + heapMb.kiosk + heapMb.records,
      heaps.map((heap) => [heap, (sample: Sample) => sample.heapMb[heap]] as const),
    ],
  ] as const) {
    const slope = per10k(all);
    await report({
      name: `${name} per 10,000 slots, growth that is sure (95 %) over ${last.plays - first.plays}`,
      unit: 'MB',
      value: Math.max(0, slope.least),
      budgets: [{ of: 'value', most: 1 }],
      samples: {
        plays: samples.map(({ plays }) => plays),
        'all MB': samples.map(all),
        ...Object.fromEntries(parts.map(([part, of]) => [`${part} MB`, samples.map(of)])),
        'machine code of main MB': samples.map(({ mainCodeMb }) => mainCodeMb),
      },
      details: {
        'MB at first': all(first),
        'MB at last': all(last),
        'per 10,000': slope.per,
        'at most': slope.most,
        ...Object.fromEntries(parts.map(([part, of]) => [part, per10k(of).per])),
      },
    });
  }
  for (const [name, of] of [
    ['open files of main', ({ handles }: Sample) => handles],
    ['processes', ({ processes }: Sample) => processes],
  ] as const) {
    // Uses all samples: a file that is open for a moment is no growth.
    const slope = per10k(of);
    await report({
      name: `${name} per 10,000 slots, growth that is sure (95 %) over ${last.plays - first.plays}`,
      unit: 'count',
      value: Math.max(0, slope.least),
      budgets: [{ of: 'value', most: 0 }],
      samples: { [name]: samples.map(of), 'open tables of databases': samples.map(({ tables }) => tables) },
      details: {
        'at first': of(first),
        'at last': of(last),
        'per 10,000': slope.per,
        'at most': slope.most,
        'open tables of databases at last': last.tables,
      },
    });
  }
});

/** Collects garbage in main and both windows first, so that garbage does not look like growth. */
async function sampleOf(kiosk: Kiosk): Promise<Omit<Sample, 'plays'>> {
  const { pid } = kiosk;
  const inPage = () => {
    const { gc, performance } = globalThis as unknown as {
      gc: () => void;
      performance: { memory: { usedJSHeapSize: number } };
    };
    gc();
    return performance.memory.usedJSHeapSize / 1e6;
  };
  const records = await pageAt(kiosk.app, 'endcap://records/');
  const main = await kiosk.app.evaluate(() => {
    (globalThis as unknown as { gc: () => void }).gc();
    const { heapUsed, external } = process.memoryUsage();
    // Trusted spaces hold bytecode and the tables of machine code.
    const code = process
      .getBuiltinModule('node:v8')
      .getHeapSpaceStatistics()
      .filter(({ space_name }) => /code|trusted/.test(space_name))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
    return { dataMb: (heapUsed + external - code) / 1e6, codeMb: code / 1e6 };
  });
  const heapMb = {
    main: main.dataMb,
    kiosk: await kiosk.screen.evaluate(inPage),
    records: await records.evaluate(inPage),
  };
  return { ...footprintOf(pid), heapMb, mainCodeMb: main.codeMb, ...handlesOf(pid) };
}

/** Counts the targets of the main process's file descriptors. */
function handlesOf(pid: number): Pick<Sample, 'handles' | 'tables'> {
  const folder = `/proc/${pid}/fd`;
  const all = readdirSync(folder).flatMap((descriptor) => {
    try {
      return [readlinkSync(join(folder, descriptor))];
    } catch {
      return []; // Closed since the listing.
    }
  });
  const tables = all.filter((path) => /\.ldb( \(deleted\))?$/.test(path)).length;
  return { handles: all.length - tables, tables };
}
