import { stripVTControlCharacters } from 'node:util';

/**
 * What a step of the tests came to. Whatever did not run counts as failed: a test
 * that is skipped has proved nothing.
 * @typedef {{ passed: number, failed: number, remarks: string[] }} Count
 *
 * @typedef {{ fullName: string, status: string, failureMessages: string[] }} VitestResult
 * @typedef {{
 *   file: string,
 *   specs?: Array<{ title: string, ok: boolean, tests: Array<{ results: Array<{ error?: { message?: string } }> }> }>,
 *   suites?: PlaywrightSuite[],
 * }} PlaywrightSuite
 */

/** Characters told of one failure below the last test: the whole is where the test ran. */
const TOLD = 500;

/**
 * A step that is one test by itself, such as the type check.
 * @param {string} name
 * @param {number | null} exitCode
 * @returns {Count}
 */
export function countStep(name, exitCode) {
  return exitCode === 0
    ? { passed: 1, failed: 0, remarks: [] }
    : { passed: 0, failed: 1, remarks: [`${name} failed`] };
}

/**
 * @param {string | null} report vitest's JSON report, null when it wrote none
 * @param {number | null} exitCode
 * @returns {Count}
 */
export function countVitest(report, exitCode) {
  return settle('unit tests', report, exitCode, (json) => {
    /** @type {Array<{ name: string, status: string, assertionResults: VitestResult[] }>} */
    const files = json.testResults ?? [];
    const broken = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
      others: broken.map((file) => `${file.name} could not be loaded`),
      failures: files.flatMap((file) =>
        file.assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => `${file.name}: ${fullName}: ${failureMessages[0]}`),
      ),
    };
  });
}

/**
 * @param {string | null} report Playwright's JSON report, null when it wrote none
 * @param {number | null} exitCode
 * @returns {Count}
 */
export function countPlaywright(report, exitCode) {
  return settle('end-to-end tests', report, exitCode, ({ stats, suites }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    others: [],
    failures: (suites ?? []).flatMap(failedJourneys),
  }));
}

/**
 * @param {PlaywrightSuite} suite
 * @returns {string[]} its failed tests, each with what it failed with
 */
function failedJourneys({ file, specs = [], suites = [] }) {
  const failed = specs.filter(({ ok }) => !ok);
  const names = failed.map(({ title, tests }) => {
    const errors = tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []));
    return `${file}: ${title}: ${errors[0] ?? 'it did not run'}`;
  });
  return [...names, ...suites.flatMap(failedJourneys)];
}

/**
 * @param {Count[]} counts
 * @returns {{ line: string, exitCode: number, remarks: string[] }} nothing run is a failure
 */
export function addUp(counts) {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  return {
    line: `${passed} passed, ${failed} failed`,
    exitCode: failed === 0 && passed > 0 ? 0 : 1,
    remarks: counts.flatMap((count) => count.remarks),
  };
}

/**
 * A run that ended badly, or tested nothing, or told nothing, has at least one failure.
 * @param {string} name
 * @param {string | null} report
 * @param {number | null} exitCode
 * @param {(json: any) => { passed: number, failed: number, skipped: number, others: string[], failures: string[] }} read
 *   `others`: failures that are no tests; `failures`: the failed tests by name
 * @returns {Count}
 */
function settle(name, report, exitCode, read) {
  let told;
  try {
    told = read(JSON.parse(report ?? ''));
  } catch {
    // Told of below.
  }
  const failed = told === undefined ? 0 : told.failed + told.skipped + told.others.length;
  if (told === undefined || !Number.isFinite(told.passed + failed)) {
    return countStep(`${name}: no report, so the run`, 1);
  }
  const { passed, skipped, others, failures } = told;
  const words = [...others, ...failures.map((failure) => stripVTControlCharacters(failure).slice(0, TOLD))];
  const remarks = words.map((remark) => `${name}: ${remark}`);
  if (skipped > 0) remarks.push(`${name}: ${skipped} skipped, counted as failed`);
  if (passed + failed === 0) return { passed, failed: 1, remarks: [...remarks, `${name}: none ran`] };
  if (exitCode === 0 || failed > 0) return { passed, failed, remarks };
  return { passed, failed: 1, remarks: [...remarks, `${name}: the run ended with code ${exitCode}`] };
}
