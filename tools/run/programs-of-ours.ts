import { join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { supervise } from './keep-running.ts';
import { callerFolder, repositoryRoot } from './places.ts';
import { runNode } from './programs.ts';
import { ensureSystemPackages } from './system-packages.ts';

// All of these resolve with an exit code.

/**
 * Builds what is out of date, and runs a command of `main/cli` where the person is; terminal and output are its own.
 * @param name as `endcap COMMAND` calls it
 */
export async function runBuilt(name: string, args: readonly string[]): Promise<number> {
  await ensureBuilt();
  const program = join(repositoryRoot, 'out', 'main', 'command.js');
  return await runNode([program, name, ...args], { cwd: callerFolder() });
}

/** @param args of the embedded ad service */
export async function serve(args: readonly string[]): Promise<number> {
  await ensureBuilt();
  const script = join(repositoryRoot, 'out', 'main', 'demo-service.js');
  return (await supervise([process.execPath, script, ...args], { cwd: callerFolder() })).code;
}

/** @param args of `e2e/fuzz/command.ts` */
export const fuzz = (args: readonly string[]) =>
  runBundled('fuzz', 'e2e/fuzz/command.ts', args, repositoryRoot);

/** A command of `tools/fleet`; it starts a ClickHouse of its own unless it is given the address of one. */
export async function fleet(
  name: 'fleet' | 'growth' | 'sql' | 'storm' | 'verify',
  args: readonly string[],
): Promise<number> {
  const hasServer = args.some((arg) => arg.startsWith('--url'));
  const ownServer = name === 'growth' || (name === 'fleet' && !hasServer) ? ['clickhouse-server'] : [];
  const broker = name === 'storm' || name === 'fleet' ? ['mosquitto'] : [];
  await ensureSystemPackages([...ownServer, ...broker]);
  return await runBundled('fleet', 'tools/fleet/command.ts', [name, ...args], callerFolder());
}

/**
 * The tests of a folder of `tools/fleet` that run for minutes.
 * @param args for vitest
 */
export const fleetTests = (folder: string, args: readonly string[]) =>
  runVitest(['--config', `tools/fleet/${folder}/vitest.config.mts`, ...args]);

/**
 * The tests of `tools/fleet` on ClickHouse 26.
 * @param args for vitest
 */
export async function fleetOnChdb(args: readonly string[]): Promise<number> {
  const { startChdb } = await import('../fleet/chdb.mjs');
  const { url, close } = await startChdb();
  try {
    const env = { ENDCAP_TEST_CLICKHOUSE: url };
    return await runVitest(['tools/fleet', '--no-file-parallelism', ...args], env);
  } finally {
    close();
  }
}

/** @param env added to ours */
export const runVitest = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runNode(['node_modules/vitest/vitest.mjs', 'run', ...args], { env });

/**
 * Bundles a program of ours into one file (whose coverage is what fuzzing goes by), and runs it.
 * @param entry in the clone
 */
async function runBundled(
  name: string,
  entry: string,
  args: readonly string[],
  cwd: string,
): Promise<number> {
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
  return await runNode([join(outDir, `${name}.mjs`), ...args], { cwd });
}
