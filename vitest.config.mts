import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    include: ['{main,renderer,preload,shared,e2e}/**/*.test.ts', '.setup/**/*.test.mjs'],
    // Generous, for a machine that has other work: a poll that succeeds takes no longer for it.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'threads',
  },
});
