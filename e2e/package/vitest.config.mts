import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: 'out/.vite',
  test: { include: ['e2e/package/*.run.ts'], testTimeout: 60_000, hookTimeout: 300_000, pool: 'threads' },
});
