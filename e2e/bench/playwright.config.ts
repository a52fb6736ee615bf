import { defineConfig } from 'playwright/test';

/** One file per benchmark; `npm run bench -- NAME` runs the files whose names contain NAME. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.bench.ts',
  outputDir: '../../test-results/bench',
  // One at a time: each needs the whole machine.
  workers: 1,
  timeout: 10 * 60_000,
  reporter: './rows-reporter.ts',
});
