import { defineConfig } from 'playwright/test';

/** `npm run screenshot -- creatives` alone. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.run.ts',
  outputDir: '../../test-results/contact-sheet',
  workers: 1,
  reporter: 'list',
});
