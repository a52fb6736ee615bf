import { describe, expect, test } from 'vitest';
import { addUp, countPlaywright, countStep, countVitest } from './test-count.ts';

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** A report of vitest with this many tests of each kind; `files` are added to it. */
const vitest = ({ passed = 3, failed = 0, skipped = 0, todo = 0, files = [] as object[] }) => {
  const statuses = [
    ...[...times(passed, 'passed'), ...times(failed, 'failed')],
    ...[...times(skipped, 'skipped'), ...times(todo, 'todo')],
  ];
  const assertionResults = statuses.map((status) => ({ fullName: 'a test', status, failureMessages: [] }));
  return JSON.stringify({ testResults: [{ name: 'a', status: 'passed', assertionResults }, ...files] });
};

/** A report of Playwright with this many tests of each kind. */
const playwright = (more: Record<string, number>) => {
  const counts = Object.entries({ expected: 2, ...more });
  const tests = counts.flatMap(([status, count]) => times(count, { status, results: [] }));
  return JSON.stringify({ suites: [{ file: 'a.e2e.ts', specs: [{ title: 'a journey', tests }] }] });
};

describe('unit tests', () => {
  test.each([
    ['all passed', vitest({}), 0, 3, 0],
    ['one failed', vitest({ failed: 1 }), 1, 3, 1],
    ['a skipped test did not run, so it counts as failed', vitest({ skipped: 2 }), 0, 3, 2],
    ['so does one yet to be written', vitest({ todo: 1 }), 0, 3, 1],
    [
      'a file that could not be loaded is a failure',
      vitest({ files: [{ name: 'a', status: 'failed', assertionResults: [] }] }),
      1,
      3,
      1,
    ],
    ['a run that ended badly has a failure although every test passed', vitest({}), 1, 3, 1],
    ['a run that was killed has a failure', vitest({}), null, 3, 1],
    ['no test at all is a failure', vitest({ passed: 0 }), 0, 0, 1],
    ['no report is a failure', null, 0, 0, 1],
    ['half a report is a failure', '{"testResults": [{', 0, 0, 1],
    ['a report without tests is a failure', '{}', 0, 0, 1],
  ])('%s', (_, report, exitCode, passed, failed) => {
    expect(countVitest(report, exitCode)).toMatchObject({ passed, failed });
  });
});

describe('end-to-end tests', () => {
  test.each([
    ['all passed', playwright({}), 0, 2, 0],
    ['one failed', playwright({ unexpected: 1 }), 1, 2, 1],
    ['a skipped one counts as failed', playwright({ skipped: 1 }), 0, 2, 1],
    ['one that passed only when repeated counts as failed', playwright({ flaky: 1 }), 0, 2, 1],
    ['a run that ended badly has a failure', playwright({}), 1, 2, 1],
    ['none is a failure', playwright({ expected: 0 }), 0, 0, 1],
    ['no report is a failure', null, 1, 0, 1],
  ])('%s', (_, report, exitCode, passed, failed) => {
    expect(countPlaywright(report, exitCode)).toMatchObject({ passed, failed });
  });
});

test('names the tests that failed, and their errors', () => {
  const assertionResults = [
    { fullName: 'adds', status: 'passed', failureMessages: [] },
    { fullName: 'divides', status: 'failed', failureMessages: ['\x1b[31mexpected 2\x1b[0m, got 3', 'more'] },
  ];
  const testResults = [{ name: 'sum.test.ts', status: 'failed', assertionResults }];
  expect(countVitest(JSON.stringify({ testResults }), 1).remarks).toEqual([
    'unit tests: sum.test.ts: divides: expected 2, got 3',
  ]);

  const failed = (title: string, results: object[]) => ({
    title,
    tests: [{ status: 'unexpected', results }],
  });
  const inner = {
    file: 'a.e2e.ts',
    specs: [failed('late', [{ error: { message: `late ${'x'.repeat(600)}` } }])],
  };
  const suites = [
    { file: 'a.e2e.ts', specs: [{ title: 'good', tests: [] }], suites: [inner] },
    { file: 'b.e2e.ts', specs: [failed('left out', [])] },
  ];
  const { remarks } = countPlaywright(JSON.stringify({ suites }), 1);
  expect(remarks[0]).toMatch(/^end-to-end tests: a\.e2e\.ts: late: late x{100,500}$/);
  expect(remarks[1]).toBe('end-to-end tests: b.e2e.ts: left out: it did not run');
});

describe('the sum', () => {
  test('is one line, and successful only if a test passed and none failed', () => {
    const good = [countStep('lint', 0), countVitest(vitest({}), 0)];
    expect(addUp(good)).toEqual({ line: '4 passed, 0 failed', exitCode: 0, remarks: [] });
    expect(addUp([...good, countStep('type check', 2)])).toEqual({
      line: '4 passed, 1 failed',
      exitCode: 1,
      remarks: ['type check failed'],
    });
    expect(addUp([])).toMatchObject({ line: '0 passed, 0 failed', exitCode: 1 });
  });
});
