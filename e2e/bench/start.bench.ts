import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { near, watchDisplay } from './display-watch';
import { startBare, startEndcap } from './electron-program';
import { benchData, CREATIVE, CREATIVE_COLOUR, kioskFolder, withNewLog } from './kiosk-folder';
import { report } from './report';
import { timeToCreative } from './start-time';
import { compared, interleaved, percentile } from './statistics';

/** Start times vary by about 4 %, so this many pairs give the ratio with an accuracy of 1 %. */
const PAIRS = 40;

test('start to the first creative frame', async () => {
  const folder = await kioskFolder('no-plays');
  await withNewLog(folder);
  const bareData = join(benchData, 'bare');
  mkdirSync(bareData, { recursive: true });
  const watch = await watchDisplay();
  try {
    const endcap = () => timeToCreative(watch, () => startEndcap(folder), near(CREATIVE_COLOUR));
    const bare = () =>
      timeToCreative(
        watch,
        () => startBare('looping-video.html', [CREATIVE], bareData),
        near(CREATIVE_COLOUR),
      );
    // Warms up the caches of disk and code.
    await interleaved(2, endcap, bare);
    const { a, b } = await interleaved(PAIRS, endcap, bare);
    await report({
      name: 'start to first creative frame (bare Electron, same file)',
      unit: 'ms',
      ...compared(a, b),
      budgets: [{ of: 'ratio', most: 1.5 }],
      samples: { endcap: a, bare: b },
      details: {
        'p10 ms': percentile(a, 0.1),
        'p90 ms': percentile(a, 0.9),
      },
    });
  } finally {
    await watch.close();
  }
});
