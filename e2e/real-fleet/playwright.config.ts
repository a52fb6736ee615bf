import { defineConfig } from 'playwright/test';

/** `npm run fleet -- --real N` alone. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/real-fleet',
  workers: 1,
  reporter: 'list',
});
