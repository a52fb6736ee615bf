import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { supervise } from './keep-running.ts';
import { callerFolder, repositoryRoot } from './places.ts';
import { runNode } from './programs.ts';

// All of these resolve with an exit code.

/**
 * Builds what is out of date, and runs a command of `main/cli` in the caller's folder, with the caller's terminal.
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
export const fuzz = (args: readonly string[]) => runBundled('fuzz', 'e2e/fuzz/command.ts', args);

/** @param env added to this process's environment */
export const runVitest = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runNode(['node_modules/vitest/vitest.mjs', 'run', ...args], { env });

/**
 * Bundles one of our programs into one file, whose coverage guides fuzzing, and runs it. The file is replaced, never
 * written to, because another call may be reading it.
 * @param entry path in the clone
 */
export async function runBundled(
  name: string,
  entry: string,
  args: readonly string[],
  cwd = repositoryRoot,
): Promise<number> {
  const { build } = await import('vite');
  const outDir = join(repositoryRoot, 'out', name);
  const program = join(outDir, `${name}.mjs`);
  const written = `${name}-${process.pid}.mjs`;
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
      rolldownOptions: { output: { entryFileNames: written, codeSplitting: false } },
    },
  });
  renameSync(join(outDir, written), program);
  return await runNode([program, ...args], { cwd });
}
