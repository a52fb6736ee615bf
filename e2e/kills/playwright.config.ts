import { defineConfig } from 'playwright/test';

/** For `npm run kills`; a short run is one of the e2e tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/kills',
  workers: 1,
  reporter: 'list',
});
