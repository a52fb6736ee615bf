/**
 * What a step of the tests came to. Whatever did not run counts as failed: a test
 * that is skipped has proved nothing.
 * @typedef {{ passed: number, failed: number, remarks: string[] }} Count
 */

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
  const json = parse(report);
  if (json === null) return countStep('unit tests: no report, so the run', 1);
  const remarks = [];
  const notRun = number(json.numPendingTests) + number(json.numTodoTests);
  if (notRun > 0) remarks.push(`unit tests: ${notRun} skipped, counted as failed`);
  /** @type {Array<{ name?: string, status?: string, assertionResults?: unknown[] }>} */
  const files = Array.isArray(json.testResults) ? json.testResults : [];
  const broken = files.filter((file) => file.status === 'failed' && file.assertionResults?.length === 0);
  for (const file of broken) remarks.push(`unit tests: ${file.name} could not be loaded`);
  const failed = number(json.numFailedTests) + notRun + broken.length;
  return settle('unit tests', { passed: number(json.numPassedTests), failed, remarks }, exitCode);
}

/**
 * @param {string | null} report Playwright's JSON report, null when it wrote none
 * @param {number | null} exitCode
 * @returns {Count}
 */
export function countPlaywright(report, exitCode) {
  const json = parse(report);
  if (json === null) return countStep('end-to-end tests: no report, so the run', 1);
  const stats = /** @type {Record<string, unknown>} */ (json.stats ?? {});
  const remarks = [];
  const skipped = number(stats.skipped);
  const flaky = number(stats.flaky);
  if (skipped > 0) remarks.push(`end-to-end tests: ${skipped} skipped, counted as failed`);
  if (flaky > 0) remarks.push(`end-to-end tests: ${flaky} passed only when repeated, counted as failed`);
  const failed = number(stats.unexpected) + skipped + flaky;
  return settle('end-to-end tests', { passed: number(stats.expected), failed, remarks }, exitCode);
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
 * A run that ended badly, or tested nothing, has at least one failure.
 * @param {string} name
 * @param {Count} count
 * @param {number | null} exitCode
 * @returns {Count}
 */
function settle(name, count, exitCode) {
  if (count.passed + count.failed === 0) {
    return { ...count, failed: 1, remarks: [...count.remarks, `${name}: none ran`] };
  }
  if (exitCode !== 0 && count.failed === 0) {
    return {
      ...count,
      failed: 1,
      remarks: [...count.remarks, `${name}: the run ended with code ${exitCode}`],
    };
  }
  return count;
}

/**
 * @param {string | null} report
 * @returns {Record<string, unknown> | null}
 */
function parse(report) {
  if (report === null) return null;
  try {
    const json = JSON.parse(report);
    return typeof json === 'object' ? json : null;
  } catch {
    return null;
  }
}

/** @param {unknown} value */
function number(value) {
  return typeof value === 'number' ? value : 0;
}
