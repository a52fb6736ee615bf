import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { runtimeFor } from './readable-copies.mjs';
import { SetUpStop, say } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';
import { addUp, countPlaywright, countStep, countVitest } from './test-count.mjs';
import { setUpWorkbench } from './workbench.mjs';

/** @typedef {import('./test-count.mjs').Count} Count */
/** @typedef {import('./workbench.mjs').Workbench} Workbench */

// npm test [-- --only static|unit|package|e2e [arguments for vitest or playwright]]
const args = process.argv.slice(2);
const only = args[0] === '--only' ? args[1] : undefined;
const more = only === undefined ? args : args.slice(2);

/** Where the tests' windows appear; the benchmarks use the same size. */
const SCREEN = { width: 1280, height: 720 };
/** Journeys that run at a time, each on a display of its own: they wait more than they compute. */
const DISPLAYS = 3;

/** @type {Array<[group: string, name: string, step: (bench: Workbench) => Promise<Count>]>} */
const STEPS = [
  [
    'static',
    'type check',
    async ({ node }) => countStep('the type check', await node([bin('typescript/bin/tsc'), '--noEmit'])),
  ],
  [
    'static',
    'lint',
    async ({ node }) => countStep('the lint', await node([bin('@biomejs/biome/bin/biome'), 'check', '.'])),
  ],
  [
    'static',
    'dead code',
    async ({ node }) =>
      countStep('the search for dead code', await node([bin('knip/bin/knip.js'), '--no-progress'])),
  ],
  ['unit', 'unit tests', unitTests],
  ['unit', 'what root does for the user', rootTests],
  ['package', 'package tests', packageTests],
  ['e2e', 'end-to-end tests', endToEndTests],
];

/** @type {Map<string, string>} name of a report in test-results/ and its content */
const reports = new Map();
/** @type {Count[]} */
const counts = [];
try {
  const bench = await setUpWorkbench();
  for (const [group, name, step] of STEPS) {
    if (only !== undefined && only !== group) continue;
    say(`── ${name}`);
    counts.push(await step(bench).catch((error) => failure(name, error)));
  }
  bench.bringBack('test-results');
} catch (error) {
  counts.push(failure('set-up', error));
}
keepReports();
const { line, exitCode, remarks } = addUp(counts);
for (const remark of remarks) say(remark);
console.log(line);
process.exitCode = exitCode;

/**
 * @param {string} name
 * @param {unknown} error
 * @returns {Count}
 */
function failure(name, error) {
  const words =
    error instanceof SetUpStop ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${words}\n`);
  return countStep(name, 1);
}

/** @param {string} path */
function bin(path) {
  return join('node_modules', path);
}

/**
 * @param {Workbench} bench
 * @returns {Promise<Count>}
 */
async function unitTests({ folder, node }) {
  const file = reportFile(folder, 'unit.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await node([bin('vitest/vitest.mjs'), 'run', ...reporters, ...(only === 'unit' ? more : [])]);
  return countVitest(takeReport(file, 'unit.json'), code);
}

/**
 * Tests of what only root can do: they are nothing to the ordinary user who runs all others.
 * @returns {Promise<Count>}
 */
async function rootTests() {
  if (!startedAsRoot || more.length > 0) return { passed: 0, failed: 0, remarks: [] };
  const file = join(tmpdir(), `endcap-root-tests-${process.pid}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { status } = spawnSync(
    process.execPath,
    [bin('vitest/vitest.mjs'), 'run', '.setup/data-folder-open.test.mjs', ...reporters],
    { cwd: clone, stdio: 'inherit' },
  );
  const count = countVitest(takeReport(file, 'root.json'), status);
  rmSync(file, { force: true });
  return count;
}

/**
 * The Debian package, built and looked into. To install it takes a system of its
 * own, and root: `npm run install-test`.
 * @param {Workbench} bench
 * @returns {Promise<Count>}
 */
async function packageTests({ user, node, folder }) {
  if (process.platform !== 'linux') return countStep('the package', 0);
  const found = await ensureElectron();
  await ensureSystemPackages({ executable: found.executable, programs: ['dpkg-deb', 'systemd-analyze'] });
  const runtime = await runtimeFor(user, found);
  const file = reportFile(folder, 'package.json');
  const code = await node(
    [
      ...[bin('vitest/vitest.mjs'), 'run', '--config', 'e2e/package/vitest.config.mts'],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      ...(only === 'package' ? more : []),
    ],
    { ELECTRON_OVERRIDE_DIST_PATH: runtime.dist },
  );
  return countVitest(takeReport(file, 'package.json'), code);
}

/**
 * @param {Workbench} bench
 * @returns {Promise<Count>}
 */
async function endToEndTests({ user, node, folder }) {
  const found = await ensureElectron();
  await ensureSystemPackages({
    executable: found.executable,
    programs: ['Xvfb', 'ffmpeg', 'xdotool', 'xrandr', 'xwininfo', 'weston', 'tinyproxy', 'certutil'],
  });
  const runtime = await runtimeFor(user, found);
  const built = await buildProgram({ node });
  if (built !== 0) return countStep('the build', built);
  const file = reportFile(folder, 'e2e.json');
  // Of the quiet journeys a filter would choose none or all, so chosen journeys run in one group, one at a time.
  const chosen = only === 'e2e' && more.length > 0 ? ['--no-deps', '--workers=1', ...more] : [];
  /** @type {import('./display.mjs').Display[]} */
  const displays = [];
  try {
    while (displays.length < DISPLAYS) displays.push(await startXvfb({ user, ...SCREEN }));
    const code = await node([bin('playwright/cli.js'), 'test', '--reporter=list,json', ...chosen], {
      ...displays[0]?.env,
      ENDCAP_TEST_DISPLAYS: JSON.stringify(displays.map(({ env }) => env)),
      ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    });
    return countPlaywright(takeReport(file, 'e2e.json'), code);
  } finally {
    for (const display of displays) await display.close();
  }
}

/**
 * A place for a report that the test runner does not clear.
 * @param {Workbench['folder']} folder
 * @param {string} name
 */
function reportFile(folder, name) {
  const file = join(folder('out/reports'), name);
  rmSync(file, { force: true });
  return file;
}

/**
 * @param {string} file
 * @param {string} name
 */
function takeReport(file, name) {
  try {
    const text = readFileSync(file, 'utf8');
    reports.set(name, text);
    return text;
  } catch {
    return null;
  }
}

function keepReports() {
  const folder = join(clone, 'test-results');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of reports) writeFileSync(join(folder, name), text);
  if (startedAsRoot) giveTree(folder, statSync(clone));
}
