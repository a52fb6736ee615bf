import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    include: ['e2e/package/*.run.ts'],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    pool: 'threads',
    maxWorkers: 2,
  },
});
