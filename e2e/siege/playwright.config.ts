import { defineConfig } from 'playwright/test';

/** For `npm run siege`; a short run is one of the e2e tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  // Not the folder of the siege's own results, because Playwright empties this one.
  outputDir: '../../test-results/siege-run',
  workers: 1,
  reporter: 'list',
});
