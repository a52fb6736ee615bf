import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withDisplays } from './display.mjs';
import { cacheFolder, repositoryRoot } from './places.mjs';
import { run } from './programs.mjs';
import { CommandError, printStatus } from './say.mjs';

/** Where the tests' windows appear; the benchmarks use the same size, px. */
export const SCREEN = { width: 1280, height: 720 };

/**
 * Runs the programs of a folder of `e2e` with Playwright, on displays of our own; all are told as `ENDCAP_TEST_DISPLAYS`.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env added to ours
 * @param {{ more?: string[], under?: string[], screen?: { width: number, height: number }, displays?: number }} [options]
 *   `more`: arguments; `under`: what runs it
 * @returns {Promise<number>} the exit code
 */
export async function runPlaywright(
  folder,
  env,
  { more = [], under = [], screen = SCREEN, displays = 1 } = {},
) {
  const program = ['node_modules/playwright/cli.js', 'test', '-c', `e2e/${folder}/playwright.config.ts`];
  const [command = '', ...args] = [...under, process.execPath, ...program, ...more];
  return await withDisplays(Array(displays).fill(screen), async (environments) => {
    const told = { ENDCAP_TEST_DISPLAYS: JSON.stringify(environments) };
    const options = { cwd: repositoryRoot, env: { ...process.env, ...environments[0], ...told, ...env } };
    return (await run(command, args, { ...options, output: 'inherit' })).code;
  });
}

/** @param {string[]} args */
export async function bench(args) {
  const names = [...args];
  /** @type {Record<string, string>} */
  const numbers = {};
  for (const name of ['slots', 'minutes']) {
    const at = names.indexOf(`--${name}`);
    if (at < 0) continue;
    const [, number = ''] = names.splice(at, 2);
    if (!/^[1-9]\d*$/.test(number)) throw new CommandError(`endcap: --${name} needs a number`);
    numbers[`ENDCAP_BENCH_${name.toUpperCase()}`] = number;
  }
  // Prepared data folders outlive the copy that root's runs are made in.
  const data = { ENDCAP_BENCH_DATA: join(cacheFolder(), 'bench-data') };
  const results = { ENDCAP_BENCH_RESULTS: join(repositoryRoot, 'out', 'bench.json') };
  const code = await runPlaywright('bench', { ...results, ...data, ...numbers }, { more: names });
  printStatus('results are in out/bench.json');
  return code;
}

/** @param {string[]} args */
export async function kills(args) {
  const usage = 'usage: npm run kills -- [NUMBER OF KILLS, 1 to 100000] [--seed WHOLE NUMBER]';
  const asked = readArguments(usage, () => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { seed: SEED } });
    const count = Number(positionals[0] ?? 200);
    const isRight = count >= 1 && count <= 100_000 && positionals.length <= 1;
    return isRight && [count, Number(values.seed)].every(Number.isInteger) && { count, seed: values.seed };
  });
  return runPlaywright('kills', { ENDCAP_KILLS: String(asked.count), ENDCAP_KILLS_SEED: asked.seed });
}

/** @param {string[]} args */
export async function chaos(args) {
  const usage =
    'usage: npm run fleet-chaos -- [--kills 1 to 100000] [--kiosks 1 to 20] [--seed WHOLE NUMBER]';
  const asked = readArguments(usage, () => {
    const text = /** @type {const} */ ({ type: 'string' });
    const { values } = parseArgs({
      args,
      options: { kills: { ...text, default: '50' }, kiosks: { ...text, default: '3' }, seed: SEED },
    });
    const { seed } = values;
    const [kills, kiosks] = [Number(values.kills), Number(values.kiosks)];
    const isRight = kills >= 1 && kills <= 100_000 && kiosks >= 1 && kiosks <= 20;
    return isRight && [kills, kiosks, Number(seed)].every(Number.isInteger) && { kills, kiosks, seed };
  });
  const env = { ENDCAP_CHAOS_KILLS: String(asked.kills), ENDCAP_CHAOS_SEED: asked.seed };
  return runPlaywright('chaos', env, { displays: asked.kiosks });
}

/**
 * `npm run fleet -- --real N`: real kiosks play and ship, then the simulated ones come beside them.
 * @param {string[]} args of `npm run fleet`
 */
export async function realFleet(args) {
  const at = args.indexOf('--real');
  const displays = Number(args[at + 1]);
  if (!(Number.isInteger(displays) && displays >= 1 && displays <= 20))
    throw new CommandError('endcap: --real needs a number from 1 to 20');
  const rest = args.filter((_, index) => index !== at && index !== at + 1);
  const env = { ENDCAP_FLEET_ARGS: JSON.stringify(rest) };
  return runPlaywright('real-fleet', env, { more: ['real-fleet.run'], displays });
}

/** @param {string[]} args */
export async function faults(args) {
  const disk = join(repositoryRoot, 'out/small-disk');
  // A small disk in memory that nobody else sees. What could mount it must not be handed down: Chromium builds its
  // sandbox as anybody else would.
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
  const code = await runPlaywright('faults', env, { under: isThere ? ['unshare', ...mounting] : [] });
  printStatus('the table is in docs/faults.md');
  return code;
}

/** @param {string[]} args */
export async function siege(args) {
  const usage =
    'usage: npm run siege -- [WORDS OF ATTACKS …] [--minutes 1 to 10000] [--seed WHOLE NUMBER] [--skip STEPS] [--steps STEPS] [--keep-going] [--write]';
  const asked = readArguments(usage, () => {
    const { values, positionals: words } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '60' },
        seed: SEED,
        skip: { type: 'string', default: '0' },
        steps: { type: 'string' },
        'keep-going': { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    const minutes = Number(values.minutes);
    const skip = Number(values.skip);
    const numbers = { seed: Number(values.seed), skip, steps: Number(values.steps ?? 1) };
    const isRight = minutes > 0 && minutes <= 10_000 && skip >= 0;
    const steps = values.steps === undefined ? null : numbers.steps;
    const read = { ...numbers, minutes, steps, words, keepGoing: values['keep-going'], write: values.write };
    return isRight && Object.values(numbers).every(Number.isInteger) && read;
  });
  const code = await runPlaywright('siege', { ENDCAP_SIEGE: JSON.stringify(asked) });
  printStatus('the summary is in test-results/siege/siege.md');
  return code;
}

/** Another seed each time finds other orders and moments; it is printed, so that a run can be repeated. */
const SEED = /** @type {const} */ ({ type: 'string', default: String(Date.now() % 1_000_000) });

/**
 * @template T
 * @param {string} usage what a wrong argument ends with
 * @param {() => T | false} read false, or throws, when an argument is wrong
 * @returns {T}
 */
function readArguments(usage, read) {
  try {
    const asked = read();
    if (asked !== false) return asked;
  } catch {
    // Unknown options: the same words are due.
  }
  throw new CommandError(usage);
}
