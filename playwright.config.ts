import { defineConfig } from 'playwright/test';

/** Environment variables of the display of each worker. `tools/run/test.ts` starts the displays. */
const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];
// A kiosk covers its display, and xdotool types into whatever is on it: two journeys must not share one.
Object.assign(process.env, displays[Number(process.env.TEST_PARALLEL_INDEX)]);

/** Tag of journeys that measure time or frames, or need the whole machine. They run alone, after all others. */
const QUIET = /@quiet/;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  outputDir: 'test-results/e2e',
  // Not a requirement on the product: four times the longest journey's time on a busy machine. Steps have limits of
  // their own, whose sum is often more.
  timeout: 240_000,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  workers: Math.max(1, displays.length),
  projects: [
    // `quiet` is the teardown project because that runs last, even after failures.
    { name: 'journeys', grepInvert: QUIET, teardown: 'quiet' },
    { name: 'quiet', grep: QUIET, workers: 1 },
  ],
});
