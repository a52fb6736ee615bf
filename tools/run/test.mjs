import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withDisplays } from './display.mjs';
import { SCREEN } from './harnesses.mjs';
import { readIfThere, repositoryRoot } from './places.mjs';
import { run } from './programs.mjs';
import { printStatus } from './say.mjs';
import { addUp, countPlaywright, countStep, countVitest } from './test-count.mjs';

/** @typedef {import('./test-count.mjs').Count} Count */

/** Journeys that run at a time, each on a display of its own: they wait more than they compute. */
const DISPLAYS = 4;

/**
 * The steps of `npm test`. `more`: arguments for the test runner.
 * @type {Array<[group: string, name: string, step: (more: string[]) => Promise<Count>]>}
 */
const STEPS = [
  ['static', 'type check', tool('typescript/bin/tsc', '--noEmit')],
  ['static', 'lint', tool('@biomejs/biome/bin/biome', 'check', '.')],
  ['static', 'dead code', tool('knip/bin/knip.js', '--no-progress')],
  ['unit', 'unit tests', (more) => vitest('unit', more)],
  ['package', 'package tests', packageTests],
  ['e2e', 'end-to-end tests', endToEndTests],
];

/**
 * @param {string[]} args `[--only static|unit|package|e2e] [arguments for vitest or playwright]`
 * @returns {Promise<number>} the exit code; the last line that is printed is the sum
 */
export async function runTests(args) {
  const only = args[0] === '--only' ? args[1] : undefined;
  const more = only === undefined ? [] : args.slice(2);
  /** @type {Count[]} */
  const counts = [];
  for (const [group, name, step] of STEPS) {
    if (only !== undefined && only !== group) continue;
    printStatus(`── ${name}`);
    counts.push(await step(more).catch((error) => failure(name, error)));
  }
  const { line, exitCode, remarks } = addUp(counts);
  for (const remark of remarks) printStatus(remark);
  console.log(line);
  return exitCode;
}

/**
 * @param {string} name
 * @param {unknown} error
 * @returns {Count}
 */
function failure(name, error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return countStep(name, 1);
}

/**
 * @param {string[]} command of Node
 * @param {NodeJS.ProcessEnv} [env] added to ours
 */
async function node(command, env = {}) {
  const options = { cwd: repositoryRoot, env: { ...process.env, ...env } };
  return (await run(process.execPath, command, { ...options, output: 'inherit' })).code;
}

/**
 * A step that is one test by itself.
 * @param {string} program in node_modules
 * @param {string[]} args
 * @returns {() => Promise<Count>}
 */
function tool(program, ...args) {
  return async () => countStep(program, await node([`node_modules/${program}`, ...args]));
}

/**
 * The Debian package, built and looked into. To install it takes a system of its
 * own, and root: `npm run install-test`.
 * @param {string[]} more
 */
async function packageTests(more) {
  if (process.platform !== 'linux') return countStep('the package', 0);
  return vitest('package', ['--config', 'e2e/package/vitest.config.mts', ...more]);
}

/** @param {string[]} more */
async function endToEndTests(more) {
  const report = reportFile('e2e');
  // Of the quiet journeys a filter would choose none or all, so chosen journeys run in one group, one at a time.
  const chosen = more.length > 0 ? ['--no-deps', '--workers=1', ...more] : [];
  return await withDisplays(Array(DISPLAYS).fill(SCREEN), async (displays) => {
    const code = await node(['node_modules/playwright/cli.js', 'test', '--reporter=list,json', ...chosen], {
      ...{ ...displays[0], PLAYWRIGHT_JSON_OUTPUT_FILE: report },
      ENDCAP_TEST_DISPLAYS: JSON.stringify(displays),
    });
    return countPlaywright(readIfThere(report), code);
  });
}

/**
 * @param {string} name of the report
 * @param {string[]} args
 */
async function vitest(name, args) {
  const report = reportFile(name);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await node(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args]);
  return countVitest(readIfThere(report), code);
}

/** @param {string} name */
function reportFile(name) {
  const file = join(repositoryRoot, 'test-results', `${name}.json`);
  mkdirSync(join(repositoryRoot, 'test-results'), { recursive: true });
  rmSync(file, { force: true });
  return file;
}
