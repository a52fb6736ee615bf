import { defineConfig } from 'vitest/config';

// `npm run fleet-brokers`: tests that need a cluster of brokers and take minutes.
export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    include: ['tools/fleet/brokers/*.run.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'threads',
  },
});
