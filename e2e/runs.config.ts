import { defineConfig } from 'playwright/test';

/**
 * For the long runs in folders of e2e; `npm run kills` and the like name theirs. Short runs are among the e2e
 * tests.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.run.ts',
  // Not the folder of the siege's own results, because Playwright empties this one.
  outputDir: '../test-results/runs',
  workers: 1,
  reporter: 'list',
});
