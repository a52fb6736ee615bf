import { defineConfig } from 'playwright/test';

/** `npm run siege` alone; the short form belongs to the end-to-end tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  // Not where the siege keeps its own results: this folder is emptied.
  outputDir: '../../test-results/siege-run',
  workers: 1,
  reporter: 'list',
});
