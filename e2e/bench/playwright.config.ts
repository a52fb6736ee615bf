import { defineConfig } from 'playwright/test';

/** One file a benchmark: `npm run bench -- NAME` runs those whose file name holds NAME. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.bench.ts',
  outputDir: '../../test-results/bench',
  // One after the other: each wants the whole machine.
  workers: 1,
  timeout: 10 * 60_000,
  reporter: './rows-reporter.ts',
});
