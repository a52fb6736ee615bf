import { defineConfig } from 'playwright/test';

/** `npm run faults` alone; the short form belongs to the end-to-end tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/faults',
  workers: 1,
  reporter: 'list',
});
