import { defineConfig } from 'playwright/test';

/** For `npm run fleet-chaos`; a short run is one of the e2e tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/chaos',
  workers: 1,
  reporter: 'list',
});
