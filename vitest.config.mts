import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests of what a thread has but once: they replace globals and modules, or look at what else is open. */
const APART = [
  'main/decisions/longer-windows.test.ts',
  'main/egress/ads-lookup.test.ts',
  'main/shell/service-manager.test.ts',
  'renderer/kiosk/layer.test.ts',
];
/** Tests that measure time or memory. They run after all others. */
const MEASURED = [
  'e2e/fuzz/fuzz.test.ts',
  'main/reading/{linear,reading}.test.ts',
  'main/playback/{main-is-not-held,answer-errors,clock-jump}.test.ts',
];
const TESTS = [
  '{main,renderer,preload,shared,e2e,tools/fleet}/**/*.test.ts',
  'tools/{run,packaging}/**/*.test.mjs',
];

/** Temporary files lie in memory where there is room: a ClickHouse makes hundreds of files for each insert. */
const MEMORY = '/dev/shm';
try {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > 2e9) process.env.TMPDIR = MEMORY;
} catch {
  // No such system.
}

// Vitest leaves a core for itself, which of two would be half of the machine.
const cores = Math.max(2, availableParallelism() - 1);
/** One more than cores: files of brokers, servers and timers wait more than they compute. */
const waiting = cores + 1;

export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    // Generous, for a machine that has other work: a poll that succeeds takes no longer for it.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'threads',
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: TESTS,
          exclude: [...APART, ...MEASURED],
          maxWorkers: waiting,
          // Files share a thread and the modules it has loaded: a third of the time went into loading them again.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: APART, maxWorkers: waiting } },
      {
        extends: true,
        test: { name: 'measured', include: MEASURED, maxWorkers: cores, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
