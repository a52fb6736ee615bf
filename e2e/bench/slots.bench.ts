import { test } from 'playwright/test';
import { FRAMES_PER_SECOND } from '../capture/capture-display';
import type { ColouredCreative } from '../capture/coloured-creatives';
import { overrunsInFrames } from '../capture/transitions';
import { captureEndcap } from './coloured-run';
import { report } from './report';
import { median, percentile, slopeOf } from './statistics';

/** `npm run bench -- slots --slots 100` is a trial run. */
const SLOTS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 1_000);
const SECONDS = 0.5;

const CREATIVES: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'image', weight: 'plain', seconds: SECONDS },
  { colour: 'leaf', kind: 'video', weight: 'plain', seconds: SECONDS },
  { colour: 'amber', kind: 'video', weight: 'plain', seconds: SECONDS },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: SECONDS },
];

test('many slots', async () => {
  test.setTimeout(SLOTS * 1_500 + 120_000);
  const { report: seen } = await captureEndcap({
    creatives: CREATIVES,
    transitions: SLOTS,
    shortestSlotMs: SECONDS * 1000,
  });

  const nominalMs = () => SECONDS * 1000;
  const over = overrunsInFrames(seen.slots, nominalMs, FRAMES_PER_SECOND);
  // A slope over all slots: with only the first and last one, a frame more or less would change the result.
  const lateMs = seen.slots.map(({ from }, index) => [index, from - index * nominalMs()] as const);
  const drift = slopeOf(lateMs).per * seen.slots.length;
  await report({
    name: `drift over ${seen.slots.length} slots`,
    unit: 'ms',
    value: Math.abs(drift),
    budgets: [{ of: 'value', most: 1000 / FRAMES_PER_SECOND }],
    samples: { overruns: over },
    details: {
      'bad frames': seen.badFrames,
      'p50 frames': median(over),
      'p99 frames': percentile(over, 0.99),
      'longest gap in the capture ms': seen.longestGapMs,
    },
  });
});
