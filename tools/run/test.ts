import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runPlaywright } from './harnesses.ts';
import { readIfThere, repositoryRoot } from './places.ts';
import { run } from './programs.ts';
import { runVitest } from './programs-of-ours.ts';
import { CommandError, printStatus } from './say.ts';
import { addUp, type Count, countPlaywright, countStep, countVitest } from './test-count.ts';

/** Journeys that run at a time, each on a display of its own: on most machines they wait more than they compute. */
const DISPLAYS = { usual: 4, slow: 2 };
/** A slow machine takes longer than this to start Node, ms; a usual one takes half of it. */
const SLOW_START_MS = 80;

interface Step {
  readonly group: 'static' | 'unit' | 'package' | 'e2e';
  readonly name: string;
  /** @param more arguments for the test runner */
  readonly run: (more: readonly string[]) => Promise<Count>;
}

const PACKAGE = ['--config', 'e2e/package/vitest.config.mts'];
/** One after the other; the steps of each run side by side. */
const ROUNDS: readonly (readonly Step[])[] = [
  [
    { group: 'static', name: 'type check', run: () => tool('typescript/bin/tsc', '--noEmit') },
    { group: 'static', name: 'lint', run: () => tool('@biomejs/biome/bin/biome', 'check', '.') },
    { group: 'static', name: 'dead code', run: () => tool('knip/bin/knip.js', '--no-progress') },
    // Builds and inspects the Debian package. `install-test` installs it, which needs root and a separate system.
    { group: 'package', name: 'package tests', run: (more) => vitest('package', [...PACKAGE, ...more]) },
  ],
  [{ group: 'unit', name: 'unit tests', run: (more) => vitest('unit', more) }],
  [{ group: 'e2e', name: 'end-to-end tests', run: endToEndTests }],
];

/**
 * The group that is asked for, undefined for all, and the arguments for its runner. Throws `CommandError`: what was
 * taken for nothing would run everything, which takes minutes.
 */
export function readTestArguments([option, only, ...more]: readonly string[]) {
  const groups = [...new Set(ROUNDS.flat().map(({ group }) => group))];
  const group = groups.find((each) => each === only);
  if (option !== undefined && (option !== '--only' || group === undefined)) {
    const got = [option, only].filter((word) => word !== undefined).join(' ');
    throw new CommandError(`endcap: expected nothing, or --only ${groups.join('|')} and more, got ${got}`);
  }
  return { group, more };
}

/**
 * @param args `[--only static|unit|package|e2e [arguments for vitest or playwright]]`
 * @returns the exit code; the last line of the output has the numbers of all tests
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const { group: only, more } = readTestArguments(args);
  const counts: Count[] = [];
  for (const round of ROUNDS) {
    const steps = round.filter(({ group }) => isRun(group, only));
    if (steps.length === 0) continue;
    printStatus(`── ${steps.map(({ name }) => name).join(', ')}`);
    counts.push(...(await Promise.all(steps.map((step) => countOf(step, more)))));
  }
  const { line, exitCode, remarks } = addUp(counts);
  for (const remark of remarks) printStatus(remark);
  console.log(line);
  return exitCode;
}

/** There are no packages for other systems. */
const isRun = (group: Step['group'], only: string | undefined) =>
  (only === undefined || only === group) && (group !== 'package' || process.platform === 'linux');

const countOf = (step: Step, more: readonly string[]) =>
  step.run(more).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    return countStep(step.name, 1);
  });

/**
 * A step that is one test by itself. What it says is printed at its end, not in between what others say.
 * @param program in node_modules
 */
async function tool(program: string, ...args: string[]): Promise<Count> {
  const { code, stdout, stderr } = await run(process.execPath, [`node_modules/${program}`, ...args]);
  process.stderr.write([stdout, stderr].flatMap((said) => (said === '' ? [] : `${said}\n`)).join(''));
  return countStep(program, code);
}

async function endToEndTests(more: readonly string[]): Promise<Count> {
  const report = reportFile('e2e');
  // A filter would choose none or all of the quiet journeys, so chosen journeys run in one group, one at a time.
  const chosen = more.length > 0 ? ['--no-deps', '--workers=1', ...more] : [];
  const options = { more: ['--reporter=list,json', ...chosen], displays: displaysAtOnce() };
  const code = await runPlaywright('playwright.config.ts', { PLAYWRIGHT_JSON_OUTPUT_FILE: report }, options);
  return countPlaywright(readIfThere(report), code);
}

function displaysAtOnce(): number {
  const starts = Array.from({ length: 5 }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['--eval', '0']);
    return performance.now() - began;
  });
  const [, , median = 0] = starts.sort((one, other) => one - other);
  const displays = median > SLOW_START_MS ? DISPLAYS.slow : DISPLAYS.usual;
  printStatus(`Node starts in ${median.toFixed(0)} ms: ${displays} journeys at a time`);
  return displays;
}

async function vitest(name: string, args: readonly string[]): Promise<Count> {
  const report = reportFile(name);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runVitest([...reporters, ...args]);
  return countVitest(readIfThere(report), code);
}

function reportFile(name: string): string {
  const file = join(repositoryRoot, 'test-results', `${name}.json`);
  mkdirSync(join(repositoryRoot, 'test-results'), { recursive: true });
  rmSync(file, { force: true });
  return file;
}
