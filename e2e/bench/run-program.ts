import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { electronExecutable, root } from '../kiosk';
import { Row } from './row';

const run = promisify(execFile);

/**
 * Runs a program of `programs/` in Electron's Node, in a process of its own, and reads the rows that it
 * prints as JSON.
 */
export async function rowsOfProgram(name: 'reading' | 'choosing'): Promise<Row[]> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', '--config', 'e2e/bench/vite.config.mts'], { cwd: root });
  const { stdout } = await run(
    electronExecutable(),
    ['--no-warnings', join(root, `out/bench-programs/${name}.cjs`)],
    {
      cwd: root,
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return Row.array().parse(JSON.parse(stdout));
}
