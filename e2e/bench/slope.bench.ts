import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { askKiosk } from '../ask-kiosk';
import { type ColouredCreative, serveColoured } from '../capture/coloured-creatives';
import { folder, keep, service, test } from '../kiosk-test';
import { footprintOf } from '../process-tree';
import { spawnKiosk } from '../spawned-kiosk';
import { until } from '../until';
import { creativesFolder } from './coloured-run';
import { report } from './report';
import { slopeOf } from './statistics';

/**
 * 2,000 slots reliably show growth of about 5 MB per 10,000 slots, or one file per hundred, but main's process still
 * fills its caches until about 9,000: of the beacons that ended 20,000 are kept. 20,000 slots (70 minutes) show growth
 * at the budget, and one file per two thousand. The long run, `npm run bench -- slope --slots 100000`, takes a night.
 */
const SLOTS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 2_000);
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
  const heapsFile = join(folder, 'heaps.jsonl');
  // No debugger may be connected: it keeps what pages load, which would look like growth.
  const kiosk = spawnKiosk(folder, settings, {
    requiredScript: join(__dirname, 'programs', 'look-at-heaps.cjs'),
    args: ['--js-flags=--expose-gc', '--enable-precise-memory-info'],
    env: { ENDCAP_BENCH_HEAPS: heapsFile },
  });
  keep({ [Symbol.asyncDispose]: kiosk.killTree });
  const samples: Sample[] = [];
  let seen = 0;
  while ((samples.at(-1)?.plays ?? 0) < SLOTS) {
    await until(
      async () => {
        const looks = existsSync(heapsFile) ? readFileSync(heapsFile, 'utf8').trimEnd().split('\n') : [];
        if (looks.length <= seen) return false;
        const { books } = await (await askKiosk(folder, '/v1/status')).json();
        const look = JSON.parse(looks.at(-1) ?? '{}');
        samples.push({ plays: books.plays, ...look, ...footprintOf(kiosk.pid), ...handlesOf(kiosk.pid) });
        seen = looks.length;
        return true;
      },
      60_000,
      'a look at the heaps',
    );
  }

  const from = Math.max(SLOTS * SETTLED_SHARE, Math.min(SETTLED_PLAYS, SLOTS * 0.7));
  const settled = samples.filter(({ plays }) => plays >= from);
  const [first, last] = [settled[0], settled.at(-1)];
  if (!first || !last || first === last) throw new Error('too few samples for a slope');
  const per10k = (of: (sample: Sample) => number) => {
    const { per, least, most } = slopeOf(settled.map((sample) => [sample.plays, of(sample)]));
    return { per: per * 10_000, least: least * 10_000, most: most * 10_000 };
  };
  type Of = (sample: Sample) => number;
  const row = (
    name: string,
    unit: 'MB' | 'count',
    most: number,
    of: Of,
    parts: Readonly<Record<string, Of>>,
  ) => {
    const slope = per10k(of);
    const samplesOf = Object.entries({ plays: ({ plays }: Sample) => plays, [name]: of, ...parts });
    return report({
      name: `${name} per 10,000 slots, growth that is sure (95 %) over ${last.plays - first.plays}`,
      unit,
      value: Math.max(0, slope.least),
      budgets: [{ of: 'value', most }],
      samples: Object.fromEntries(samplesOf.map(([what, one]) => [what, samples.map(one)])),
      details: {
        'at first': of(first),
        'at last': of(last),
        'per 10,000': slope.per,
        'at most': slope.most,
        ...Object.fromEntries(Object.entries(parts).map(([part, one]) => [part, per10k(one).per])),
      },
    });
  };
  const kinds = Object.keys(last.ownMbByKind);
  await row(
    'memory',
    'MB',
    1,
    ({ ownMb }) => ownMb,
    Object.fromEntries(kinds.map((kind) => [kind, ({ ownMbByKind }) => ownMbByKind[kind] ?? 0])),
  );
  await row(
    'what lives in the heaps of JavaScript',
    'MB',
    1,
    ({ heapMb }) => heapMb.main + heapMb.kiosk + heapMb.records,
    {
      main: ({ heapMb }) => heapMb.main,
      kiosk: ({ heapMb }) => heapMb.kiosk,
      records: ({ heapMb }) => heapMb.records,
      'machine code of main': ({ mainCodeMb }) => mainCodeMb,
    },
  );
  await row('open files of main', 'count', 0, ({ handles }) => handles, {
    'open tables of databases': ({ tables }) => tables,
  });
  await row('processes', 'count', 0, ({ processes }) => processes, {});
});

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
