import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: join(tmpdir(), 'endcap-install-vitest'),
  test: {
    include: ['e2e/install/*.run.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    bail: 1,
    pool: 'threads',
  },
});
