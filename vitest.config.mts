import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that do not share a thread: they replace globals or modules, or check what else is open in it. */
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
  'main/playback/{main-is-not-blocked,answer-errors,clock-jump}.test.ts',
  'main/records/reopened-books.test.ts',
];
/** Tests that take longest. They begin before all others of their project, so that none runs alone at its end. */
const LONG = [
  'main/cli/fleet-command.test.ts',
  'e2e/named-tests.test.ts',
  'tools/fleet/fleet.test.ts',
  'e2e/fuzz/fuzz.test.ts',
];
const TESTS = ['{main,renderer,preload,shared,e2e,tools}/**/*.test.ts'];

/** Temporary files go to memory if there is room: ClickHouse creates hundreds of files for each insert. */
const MEMORY = '/dev/shm';
try {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > 2e9) process.env.TMPDIR = MEMORY;
} catch {
  // This system has no such directory.
}

// By default Vitest leaves one core free; on a machine with two cores that would waste half of it.
const cores = Math.max(2, availableParallelism() - 1);
/** Two more than cores, because tests with brokers, servers and timers wait more than they compute. */
const waiting = cores + 2;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  cacheDir: 'out/.vite',
  test: {
    // Generous, for a busy machine. What succeeds takes no longer because of it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'threads',
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: TESTS,
          exclude: [...APART, ...MEASURED],
          maxWorkers: waiting,
          // Test files share a thread and its loaded modules: loading them for each file took a third of the time.
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
