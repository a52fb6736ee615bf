import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSuite } from 'playwright/types/testReporter';
import type { JsonTestResults } from 'vitest/reporters';

/** The result of a step of the tests. A test that did not run counts as failed, because it has proved nothing. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly remarks: readonly string[];
}

interface Outcome {
  /** As vitest or Playwright names it. */
  readonly status: string;
  /** The test's file and name, and its error. */
  readonly told: string;
}

const PASSED = ['passed', 'expected'];
const SKIPPED = ['skipped', 'pending', 'todo'];

/** Most characters of an error that are repeated below the last test: the whole error is further up. */
const TOLD = 500;

/** A step that is one test by itself, such as the type check. */
export function countStep(name: string, exitCode: number | null): Count {
  return exitCode === 0
    ? { passed: 1, failed: 0, remarks: [] }
    : { passed: 0, failed: 1, remarks: [`${name} failed`] };
}

/** @param report vitest's JSON report, null when it wrote none */
export function countVitest(report: string | null, exitCode: number | null): Count {
  return settle('unit tests', report, exitCode, ({ testResults }: JsonTestResults) =>
    testResults.flatMap(({ name, status, assertionResults }) =>
      status === 'failed' && assertionResults.length === 0
        ? [{ status, told: `${name} could not be loaded` }]
        : assertionResults.map((test) => ({
            status: test.status,
            told: `${name}: ${test.fullName}: ${test.failureMessages?.[0]}`,
          })),
    ),
  );
}

/** @param report Playwright's JSON report, null when it wrote none */
export function countPlaywright(report: string | null, exitCode: number | null): Count {
  return settle('end-to-end tests', report, exitCode, ({ suites }: JSONReport) => suites.flatMap(journeys));
}

function journeys({ file, specs = [], suites = [] }: JSONReportSuite): Outcome[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results }) => {
      const [error] = results.flatMap((result) => result.error?.message ?? []);
      return { status, told: `${file}: ${title}: ${error ?? 'it did not run'}` };
    }),
  );
  return [...own, ...suites.flatMap(journeys)];
}

/** Adds up all steps. A run in which nothing ran has failed. */
export function addUp(counts: readonly Count[]) {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  return {
    line: `${passed} passed, ${failed} failed`,
    exitCode: failed === 0 && passed > 0 ? 0 : 1,
    remarks: counts.flatMap((count) => count.remarks),
  };
}

/** A run has at least one failure if it ended with an error, ran no test or wrote no report. */
function settle<Report>(
  name: string,
  report: string | null,
  exitCode: number | null,
  read: (report: Report) => Outcome[],
): Count {
  let outcomes: Outcome[];
  try {
    outcomes = read(JSON.parse(report ?? ''));
  } catch {
    return countStep(`${name}: no report, so the run`, 1);
  }
  const isOneOf = (statuses: string[]) => outcomes.filter(({ status }) => statuses.includes(status));
  const passed = isOneOf(PASSED).length;
  const failed = outcomes.length - passed;
  const skipped = isOneOf(SKIPPED).length;
  const remarks = outcomes
    .filter(({ status }) => ![...PASSED, ...SKIPPED].includes(status))
    .map(({ told }) => `${name}: ${stripVTControlCharacters(told).slice(0, TOLD)}`);
  if (skipped > 0) remarks.push(`${name}: ${skipped} skipped, counted as failed`);
  if (outcomes.length === 0) return { passed, failed: 1, remarks: [...remarks, `${name}: none ran`] };
  if (exitCode === 0 || failed > 0) return { passed, failed, remarks };
  return { passed, failed: 1, remarks: [...remarks, `${name}: the run ended with code ${exitCode}`] };
}
