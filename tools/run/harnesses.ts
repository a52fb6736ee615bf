import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { takeOptions, wholeNumber } from './arguments.ts';
import { type Display, type ScreenSize, startXvfb } from './display.ts';
import { cacheFolder, repositoryRoot } from './places.ts';
import { type Command, run } from './programs.ts';
import { CommandError, printStatus } from './say.ts';

// Commands that run programs of `e2e`, which play a kiosk for minutes or hours. All resolve with an exit code.

/** The configuration of the long runs; the name of its file selects a run. */
export const RUNS = 'e2e/runs.config.ts';

interface PlaywrightOptions {
  /** Further arguments for Playwright. */
  readonly more?: readonly string[];
  /** A command that runs Playwright. */
  readonly under?: readonly string[];
  /** Default: the size for all tests and benchmarks. */
  readonly screen?: ScreenSize;
  readonly displays?: number;
}

/**
 * Runs Playwright on displays that it starts; `ENDCAP_TEST_DISPLAYS` names all of them.
 * @param config path in the clone
 * @param env added to this process's environment
 */
export async function runPlaywright(
  config: string,
  env: NodeJS.ProcessEnv,
  { more = [], under = [], screen = { width: 1280, height: 720 }, displays = 1 }: PlaywrightOptions = {},
): Promise<number> {
  const program = ['node_modules/playwright/cli.js', 'test', '-c', config];
  const [command, ...args] = [...under, process.execPath, ...program, ...more] as Command;
  const started: Display[] = [];
  try {
    while (started.length < displays) started.push(await startXvfb(screen));
    const told = { ENDCAP_TEST_DISPLAYS: JSON.stringify(started.map((display) => display.env)) };
    const options = { env: { ...started[0]?.env, ...told, ...env }, output: 'inherit' } as const;
    return (await run(command, args, options)).code;
  } finally {
    for (const display of started) await display.close();
  }
}

export async function bench(args: readonly string[]): Promise<number> {
  const { values, rest } = takeOptions(args, ['slots', 'minutes']);
  const numbers = Object.entries(values).map(([name, text]) => [
    `ENDCAP_BENCH_${name.toUpperCase()}`,
    `${wholeNumber(`--${name}`, text)}`,
  ]);
  const env = {
    ...Object.fromEntries(numbers),
    ENDCAP_BENCH_RESULTS: join(repositoryRoot, 'out', 'bench.json'),
    // Stored in the cache, because root runs benchmarks in a copy of the clone that is removed.
    ENDCAP_BENCH_DATA: join(cacheFolder(), 'bench-data'),
  };
  // The footprint runs three programs at the same time.
  const code = await runPlaywright('e2e/bench/playwright.config.ts', env, { more: rest, displays: 3 });
  printStatus('results are in out/bench.json');
  return code;
}

export const textOption = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
const flag = { type: 'boolean', default: false } as const;

/** A different seed each time tests other orders and moments; it is printed, so that a run can be repeated. */
export const SEED = textOption(String(Date.now() % 1_000_000));

export async function kills(args: readonly string[]): Promise<number> {
  const options = { seed: SEED };
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [count = '200', ...others] = positionals;
  if (others.length > 0) throw new CommandError('endcap: expected one number of kills');
  return await runPlaywright(RUNS, killsEnvironment(count, values.seed), { more: ['kills.run'] });
}

export const killsEnvironment = (kills: string, seed: string) => ({
  ENDCAP_KILLS: `${wholeNumber('kills', kills)}`,
  ENDCAP_KILLS_SEED: `${wholeNumber('--seed', seed, 0)}`,
});

/** @param args words that select rows of the table */
export async function faults(args: readonly string[]): Promise<number> {
  const disk = join(repositoryRoot, 'out/small-disk');
  // A small disk in memory, which no other process sees. The right to mount must not be passed on, because Chromium
  // builds its sandbox as an ordinary program.
  const script =
    'mkdir -p "$1" && mount -t tmpfs -o size=300M,mode=0700 tmpfs "$1" && shift && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"';
  const mounting = ['--map-current-user', '--keep-caps', '--mount', 'sh', '-c', script, 'sh', disk];
  const isThere = (await run('unshare', [...mounting, 'true'])).code === 0;
  if (!isThere) printStatus('a small disk cannot be mounted here, so the row about a full disk is left out');
  const env = {
    ENDCAP_FAULTS: args.join(' '),
    ENDCAP_FAULTS_DOCUMENT: join(repositoryRoot, 'docs', 'faults.md'),
    ENDCAP_FAULTS_DISK: isThere ? disk : '',
  };
  const under = isThere ? ['unshare', ...mounting] : [];
  const code = await runPlaywright(RUNS, env, { more: ['faults.run'], under });
  printStatus('the table is in docs/faults.md');
  return code;
}

export async function siege(args: readonly string[]): Promise<number> {
  const { values, positionals: words } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      minutes: textOption('60'),
      seed: SEED,
      skip: textOption('0'),
      steps: { type: 'string' },
      'keep-going': flag,
      write: flag,
    },
  });
  const asked = {
    minutes: wholeNumber('--minutes', values.minutes),
    seed: wholeNumber('--seed', values.seed, 0),
    skip: wholeNumber('--skip', values.skip, 0),
    steps: values.steps === undefined ? null : wholeNumber('--steps', values.steps, 0),
    words,
    keepGoing: values['keep-going'],
    write: values.write,
  };
  const env = { ENDCAP_SIEGE: JSON.stringify(asked) };
  const code = await runPlaywright(RUNS, env, { more: ['siege.run'] });
  printStatus('the summary is in test-results/siege/siege.md');
  return code;
}
