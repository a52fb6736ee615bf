import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildProgram } from '../electron-program';
import { electronExecutable, root } from '../kiosk';
import { Row } from './row';

const run = promisify(execFile);

/**
 * Runs a program of `programs/` in Electron's Node, in a process of its own, and reads the rows that it
 * prints as JSON.
 */
export async function rowsOfProgram(name: 'reading' | 'choosing'): Promise<Row[]> {
  const program = await buildProgram(join(__dirname, `programs/${name}.ts`));
  const { stdout } = await run(electronExecutable(), ['--no-warnings', program], {
    cwd: root,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return Row.array().parse(JSON.parse(stdout));
}
