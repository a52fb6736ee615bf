import { defineConfig } from 'playwright/test';

/** Displays of the tests, one for each worker, as environments: `tools/run/test.mjs` starts them. */
const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];
// A kiosk covers its display, and xdotool types into all of it: no two journeys may share one.
Object.assign(process.env, displays[Number(process.env.TEST_PARALLEL_INDEX)]);

/** On journeys that measure time or frames, or leave the machine to no other: they run alone, after all others. */
const QUIET = /@quiet/;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  outputDir: 'test-results/e2e',
  // No bound of the product: twice what the longest journey takes where the machine has other work.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  workers: Math.max(1, displays.length),
  projects: [
    // A teardown project runs after the other one, whether that one passed or failed.
    { name: 'journeys', grepInvert: QUIET, teardown: 'quiet' },
    { name: 'quiet', grep: QUIET, workers: 1 },
  ],
});
