import { defineConfig } from 'playwright/test';

/** For `npm run screenshot -- creatives`. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/contact-sheet',
  workers: 1,
  reporter: 'list',
});
