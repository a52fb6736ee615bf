import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    include: ['{main,renderer,preload,shared,e2e}/**/*.test.ts', '.setup/**/*.test.mjs'],
    testTimeout: 20_000,
    pool: 'threads',
  },
});
