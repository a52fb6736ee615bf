import { defineConfig } from 'playwright/test';

/** For `npm run fleet -- --real N`. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/real-fleet',
  workers: 1,
  reporter: 'list',
});
