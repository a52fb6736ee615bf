import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { supervise } from './keep-running.mjs';
import { callerFolder, repositoryRoot } from './places.mjs';
import { run } from './programs.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * Builds what is out of date, and runs a command of `main/cli` where the person is; terminal and output are its own.
 * @param {string} name as `endcap COMMAND` calls it
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function runBuilt(name, args) {
  await ensureBuilt();
  const command = [join(repositoryRoot, 'out', 'main', 'command.js'), name, ...args];
  return (await run(process.execPath, command, { cwd: callerFolder(), input: 'inherit', output: 'inherit' }))
    .code;
}

/**
 * @param {string[]} args of the embedded ad service
 * @returns {Promise<number>} its exit code
 */
export async function serve(args) {
  await ensureBuilt();
  const script = join(repositoryRoot, 'out', 'main', 'demo-service.js');
  return (await supervise([process.execPath, script, ...args], { cwd: callerFolder() })).code;
}

/**
 * @param {string[]} args of `e2e/fuzz/command.ts`
 * @returns {Promise<number>} its exit code
 */
export const fuzz = (args) => runBundled('fuzz', 'e2e/fuzz/command.ts', args, repositoryRoot);

/**
 * A command of `tools/fleet`; it starts a ClickHouse of its own unless it is given the address of one.
 * @param {'fleet' | 'growth' | 'sql' | 'storm' | 'verify'} name
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function fleet(name, args) {
  const hasServer = args.some((arg) => arg.startsWith('--url'));
  if (name === 'growth' || (name === 'fleet' && !hasServer))
    await ensureSystemPackages({ executable: null, programs: ['clickhouse-server'] });
  if (name === 'storm' || name === 'fleet')
    await ensureSystemPackages({ executable: null, programs: ['mosquitto'] });
  return runBundled('fleet', 'tools/fleet/command.ts', [name, ...args], callerFolder());
}

/** What the tests of a folder of `tools/fleet` run on. */
const SERVERS = {
  /** Alert rules, dashboards and the set-up of agents. */
  sight: ['prometheus', 'promtool', 'victoria-metrics', 'clickhouse-server'],
  /** A cluster of brokers whose nodes are killed. */
  brokers: ['nats-server'],
};

/**
 * @param {keyof typeof SERVERS} folder
 * @param {string[]} args for vitest
 * @returns {Promise<number>} its exit code
 */
export async function fleetTests(folder, args) {
  await ensureSystemPackages({ executable: null, programs: SERVERS[folder] });
  return runVitest(['--config', `tools/fleet/${folder}/vitest.config.mts`, ...args]);
}

/**
 * The tests of `tools/fleet` on ClickHouse 26.
 * @param {string[]} args for vitest
 * @returns {Promise<number>} its exit code
 */
export async function fleetOnChdb(args) {
  const { startChdb } = await import('../fleet/chdb.mjs');
  const { url, close } = await startChdb();
  try {
    const env = { ENDCAP_TEST_CLICKHOUSE: url };
    return await runVitest(['tools/fleet', '--no-file-parallelism', ...args], env);
  } finally {
    close();
  }
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to ours
 * @returns {Promise<number>} the exit code
 */
export async function runVitest(args, env = {}) {
  const command = [join(repositoryRoot, 'node_modules/vitest/vitest.mjs'), 'run', ...args];
  const shown = /** @type {const} */ ({ input: 'inherit', output: 'inherit' });
  return (
    await run(process.execPath, command, { cwd: repositoryRoot, env: { ...process.env, ...env }, ...shown })
  ).code;
}

/**
 * Bundles a program of ours into one file (whose coverage is what fuzzing goes by), and runs it.
 * @param {string} name
 * @param {string} entry in the clone
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<number>} its exit code
 */
async function runBundled(name, entry, args, cwd) {
  const { build } = await import('vite');
  const outDir = join(repositoryRoot, 'out', name);
  await build({
    root: repositoryRoot,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(repositoryRoot, entry),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  });
  const command = [join(outDir, `${name}.mjs`), ...args];
  return (await run(process.execPath, command, { cwd, input: 'inherit', output: 'inherit' })).code;
}
