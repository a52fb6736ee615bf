import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'playwright/test';
import { FRAMES_PER_SECOND } from '../capture/capture-display';
import type { ColouredCreative } from '../capture/coloured-creatives';
import { driftMs, overrunsInFrames } from '../capture/transitions';
import { captureEndcap } from './coloured-run';
import { footprintOf } from './process-tree';
import { report } from './report';
import { median, percentile } from './statistics';

/** ENDCAP_BENCH_SLOTS shortens a trial run. */
const SLOTS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 2_000);
const SECONDS = 0.5;
const SAMPLE_MS = 5_000;

const CREATIVES: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'image', weight: 'plain', seconds: SECONDS },
  { colour: 'leaf', kind: 'video', weight: 'plain', seconds: SECONDS },
  { colour: 'amber', kind: 'video', weight: 'plain', seconds: SECONDS },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: SECONDS },
];

interface Sample {
  readonly at: number;
  readonly pssMb: number;
  readonly handles: number;
  readonly processes: number;
}

test('many slots', async () => {
  test.setTimeout(SLOTS * 1_500 + 120_000);
  const samples: Sample[] = [];
  const run = { creatives: CREATIVES, transitions: SLOTS, shortestSlotMs: SECONDS * 1000 };
  const { report: seen } = await captureEndcap(run, ({ pid }) => {
    const timer = setInterval(() => {
      const { pssMb } = footprintOf(pid);
      samples.push({ at: performance.now(), pssMb, handles: handlesOf(pid), processes: processesOf(pid) });
    }, SAMPLE_MS);
    return () => clearInterval(timer);
  });

  const nominalMs = () => SECONDS * 1000;
  const over = overrunsInFrames(seen.slots, nominalMs, FRAMES_PER_SECOND);
  const drift = driftMs(seen.slots, nominalMs);
  await report({
    name: `drift over ${seen.slots.length} slots`,
    unit: 'ms',
    value: Math.abs(drift),
    baseline: null,
    ratio: null,
    budgets: [{ of: 'value', most: 1000 / FRAMES_PER_SECOND }],
    samples: { overruns: over },
    details: {
      'bad frames': seen.badFrames,
      'p50 frames': median(over),
      'p99 frames': percentile(over, 0.99),
      'longest gap in the capture ms': seen.longestGapMs,
    },
  });

  // The first quarter fills caches and pools.
  const settled = samples.slice(Math.floor(samples.length / 4));
  const first = settled[0];
  const last = settled.at(-1);
  if (!first || !last || first === last) throw new Error('too few samples for a slope');
  const slotsBetween = (last.at - first.at) / (SECONDS * 1000);
  await report({
    name: `memory per 10,000 slots, slope over ${Math.round(slotsBetween)}`,
    unit: 'MB',
    value: slopePerMs(settled.map(({ at, pssMb }) => [at, pssMb])) * SECONDS * 1000 * 10_000,
    baseline: null,
    ratio: null,
    budgets: [{ of: 'value', most: 1 }],
    samples: {
      pssMb: samples.map(({ pssMb }) => pssMb),
      handles: samples.map(({ handles }) => handles),
      processes: samples.map(({ processes }) => processes),
    },
    details: {
      'handles at first': first.handles,
      'handles at last': last.handles,
      'processes at first': first.processes,
      'processes at last': last.processes,
      'MB at first': first.pssMb,
      'MB at last': last.pssMb,
    },
  });
});

/** Least squares. */
function slopePerMs(points: ReadonlyArray<readonly [at: number, value: number]>): number {
  const meanOf = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanAt, meanValue] = [meanOf(0), meanOf(1)];
  const above = points.reduce((sum, [at, value]) => sum + (at - meanAt) * (value - meanValue), 0);
  const below = points.reduce((sum, [at]) => sum + (at - meanAt) ** 2, 0);
  return above / below;
}

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
