import { defineConfig } from 'playwright/test';

/** Displays of the tests, one for each worker, as environments: `.setup/test.mjs` starts them. */
const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];
// A kiosk covers its display, and xdotool types into all of it: no two journeys may share one.
Object.assign(process.env, displays[Number(process.env.TEST_PARALLEL_INDEX)]);

/** Journeys that measure time or frames. They run alone, after all others. */
const QUIET = [
  'stage.e2e.ts',
  'siege.e2e.ts',
  'unexpected-errors.e2e.ts',
  'wayland.e2e.ts',
  'faults/faults.e2e.ts',
  'kills/kills.e2e.ts',
].map((file) => `**/e2e/${file}`);

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  timeout: 60_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  workers: Math.max(1, displays.length),
  projects: [
    // A teardown project runs after the other one, whether that one passed or failed.
    { name: 'journeys', testMatch: '*.e2e.ts', testIgnore: QUIET, teardown: 'quiet' },
    { name: 'quiet', testMatch: QUIET, workers: 1 },
  ],
});
