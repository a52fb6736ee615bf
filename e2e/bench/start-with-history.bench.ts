import { test } from 'playwright/test';
import { near, watchDisplay } from './display-watch';
import { startEndcap } from './electron-program';
import { CREATIVE_COLOUR, kioskFolder, withNewLog } from './kiosk-folder';
import { report } from './report';
import { timeToCreative } from './start-time';
import { compared, interleaved, percentile } from './statistics';

const PAIRS = 10;

test('start with a million plays', async () => {
  const none = await kioskFolder('no-plays');
  const million = await kioskFolder('million-plays');
  for (const folder of [none, million]) await withNewLog(folder);
  const watch = await watchDisplay();
  try {
    const withPlays = () => timeToCreative(watch, () => startEndcap(million), near(CREATIVE_COLOUR));
    const without = () => timeToCreative(watch, () => startEndcap(none), near(CREATIVE_COLOUR));
    await interleaved(2, withPlays, without);
    const { a, b } = await interleaved(PAIRS, withPlays, without);
    await report({
      name: 'start with 1,000,000 plays stored (with none)',
      unit: 'ms',
      ...compared(a, b),
      budgets: [{ of: 'ratio', most: 1.1 }],
      samples: { 'with plays': a, without: b },
      details: { 'p10 ms': percentile(a, 0.1), 'p90 ms': percentile(a, 0.9) },
    });
  } finally {
    await watch.close();
  }
});
