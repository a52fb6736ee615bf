import { defineConfig } from 'playwright/test';

/** `npm run fleet-chaos` alone; the short form belongs to the end-to-end tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/chaos',
  workers: 1,
  reporter: 'list',
});
