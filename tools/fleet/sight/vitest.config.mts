import { defineConfig } from 'vitest/config';

// `npm run fleet-sight`: tests that need Prometheus, VictoriaMetrics and ClickHouse.
export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    include: ['tools/fleet/sight/*.run.ts'],
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
  },
});
