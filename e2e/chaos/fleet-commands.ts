import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../kiosk';

/** Runs a command of `npm run` as an operator does; resolves with the lines that it printed. */
export async function fleetCommand(
  name: 'fleet' | 'fleet-sql' | 'fleet-verify',
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly lines: string[]; readonly errors: string }> {
  const child = spawn(process.execPath, [join(root, 'tools/run/index.mjs'), name, ...args], {
    cwd: root,
    env: { ...process.env, INIT_CWD: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, errors, lines: printed.split('\n').filter((line) => line !== '') };
}

/** Runs `fleet-sql` and parses its lines; throws with its output when it fails. */
export async function askFleet(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  return (await printedBy(args)).map((line) => JSON.parse(line));
}

/** The SQL statement that creates the table. */
export const schemaOf = async (...args: readonly string[]) =>
  (await printedBy(['schema', ...args])).join('\n');

async function printedBy(args: readonly string[]): Promise<string[]> {
  const { code, lines, errors } = await fleetCommand('fleet-sql', ...args);
  if (code !== 0) throw new Error(`fleet-sql ${args[0]} ended with ${code}:\n${errors}`);
  return lines;
}
