import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './kiosk';

/** Starts a program in a process of its own. */
export function startProgram(program: string, args: readonly string[]) {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, INIT_CWD: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    out: () => out,
    /** Sends SIGINT, as Ctrl+C does. */
    end: () => void child.kill('SIGINT'),
    /** Resolves when it has ended. `errors`: its standard error. */
    done: once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, out, errors })),
  };
}

/** A command of the project, from source. */
const startCommand = (script: string, args: readonly string[]) =>
  startProgram(process.execPath, [join(root, script), ...args]);

/** `endcap fleet …` */
export const startFleetCommand = (args: readonly string[]) =>
  startCommand('out/main/command.js', ['fleet', ...args]);
export const fleetCommand = (args: readonly string[]) => startFleetCommand(args).done;

/** `npm run fleet`, `fleet-sql` or `fleet-verify`, with the lines that it printed. */
export async function fleetTool(name: 'fleet' | 'fleet-sql' | 'fleet-verify', ...args: readonly string[]) {
  const { code, out, errors } = await startCommand('tools/run/index.mjs', [name, ...args]).done;
  return { code, errors, lines: out.split('\n').filter((line) => line !== '') };
}
