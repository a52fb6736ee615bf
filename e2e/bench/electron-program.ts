import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { electronExecutable, root } from '../kiosk';

const bare = join(__dirname, 'bare');

export interface Program {
  readonly pid: number;
  /** Asks it to quit (SIGTERM); kills it after ten seconds. */
  end(): Promise<void>;
}

/** Starts Electron as a user would, without a debugger on it. */
function startElectron(args: readonly string[]): Program {
  const command = electronExecutable();
  const child = spawn(command, [...args, '--ozone-platform=x11'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output = `${output}${text.toString()}`.slice(-4000);
    });
  }
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const gone = exited(child);
  return {
    pid,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`it had ended by itself (${child.exitCode ?? child.signalCode}): ${output}`);
      }
      child.kill('SIGTERM');
      const deadline = setTimeout(() => process.kill(-pid, 'SIGKILL'), 10_000);
      await gone;
      clearTimeout(deadline);
    },
  };
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done());
  });
}

/** The kiosk on a data folder that holds its settings. */
export function startEndcap(folder: { readonly config: string; readonly dataDir: string }): Program {
  return startElectron([root, `--config=${folder.config}`, `--data-dir=${folder.dataDir}`]);
}

/**
 * Starts the bare program that Endcap is compared with, on a page of `bare/` with the given files.
 *
 * @param books `with books`: the looping video waits until a hidden window has written to a database
 */
export function startBare(
  page: 'looping-video.html' | 'two-layers.html',
  files: readonly string[],
  dataDir: string,
  books: 'with books' | 'no books' = 'no books',
): Program {
  const flags = books === 'with books' ? ['--books'] : [];
  return startElectron([bare, `--user-data-dir=${dataDir}`, page, ...files, ...flags]);
}
