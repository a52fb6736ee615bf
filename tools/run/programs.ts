import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import yoctoSpinner from 'yocto-spinner';
import { repositoryRoot } from './places.ts';
import { CommandError } from './say.ts';

export type Command = [program: string, ...args: string[]];

interface RunOptions {
  /** Default: the clone. */
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Text that is shown while it runs, such as "Downloading Electron". */
  readonly label?: string;
  readonly timeoutMs?: number;
  /** `inherit`: it uses our terminal; `stderr`: all its output is shown there, also its standard output. */
  readonly output?: 'capture' | 'stderr' | 'inherit';
}

/**
 * Runs a program to its end.
 * @returns code 127 when it could not be started, 1 when a signal ended it
 */
export async function run(
  program: string,
  args: readonly string[],
  { cwd = repositoryRoot, env = {}, label, timeoutMs = 0, output = 'capture' }: RunOptions = {},
) {
  const spinner = label === undefined ? null : yoctoSpinner({ text: label }).start();
  const [command, ...itsArgs] = withParentDeathSignal([program, ...args]);
  const ended = await execa(command, itsArgs, {
    cwd,
    env,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    reject: false,
    stdin: output === 'inherit' ? 'inherit' : 'ignore',
    stdout: output === 'capture' ? 'pipe' : output === 'stderr' ? process.stderr : 'inherit',
    stderr: output === 'capture' ? 'pipe' : 'inherit',
  });
  const code = ended.exitCode ?? (ended.isTerminated ? 1 : 127);
  if (code === 0) spinner?.success();
  else spinner?.error();
  const stderr = code === 127 ? (ended.originalMessage ?? '') : String(ended.stderr ?? '');
  return { code, stdout: String(ended.stdout ?? ''), stderr };
}

/**
 * Runs a program that has to succeed; otherwise throws a `CommandError` with its output.
 * @param failure such as "the build failed"
 */
export async function runOrStop(
  failure: string,
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<void> {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code !== 0) throw new CommandError(`endcap: ${failure}: ${`${stderr}\n${stdout}`.trim()}`);
}

/**
 * Runs a Node program in our terminal.
 * @returns its exit code, as `run` does
 */
export async function runNode(command: readonly string[], options: RunOptions = {}): Promise<number> {
  return (await run(process.execPath, command, { ...options, output: 'inherit' })).code;
}

/**
 * The full path of a program, or null. Also searches the system's own folders, because the PATH of an ordinary user
 * may lack /usr/sbin, and every PATH lacks the folder of Debian's ZooKeeper.
 */
export function findProgram(name: string): string | null {
  const systems = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/share/zookeeper/bin'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...folders, ...systems].map((folder) => join(folder, name)).find(existsSync) ?? null;
}

/** A command that gets a SIGTERM when this process dies for any reason. */
export function withParentDeathSignal(command: Command): Command {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : null;
  return setpriv === null ? command : [setpriv, '--pdeathsig', 'TERM', '--', ...command];
}
