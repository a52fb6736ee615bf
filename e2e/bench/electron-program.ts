import { join } from 'node:path';
import { root } from '../kiosk';
import { spawnElectron } from '../spawned-kiosk';

const bare = join(__dirname, 'bare');

export interface Program {
  readonly pid: number;
  /** Asks it to quit (SIGTERM); kills it after ten seconds. */
  end(): Promise<void>;
}

/** Environment variables that name a display; undefined: the one of this process. */
type DisplayNames = Readonly<Record<string, string>> | undefined;

/** Throws at its end when it has ended by itself before. */
function startProgram(args: readonly string[], display: DisplayNames): Program {
  const program = spawnElectron([...args, '--ozone-platform=x11'], display);
  return {
    pid: program.pid,
    async end() {
      if (!program.isRunning())
        throw new Error(`it had ended by itself (${await program.ended}): ${program.output().slice(-4_000)}`);
      await program.stop(10_000);
    },
  };
}

/** The kiosk on a data folder that holds its settings. */
export function startEndcap(
  folder: { readonly config: string; readonly dataDir: string },
  display?: DisplayNames,
): Program {
  return startProgram([root, `--config=${folder.config}`, `--data-dir=${folder.dataDir}`], display);
}

/** Starts the bare program that Endcap is compared with, on a page of `bare/` with the given files. */
export function startBare(
  page: 'looping-video.html' | 'two-layers.html',
  files: readonly string[],
  dataDir: string,
  display?: DisplayNames,
): Program {
  return startProgram([bare, `--user-data-dir=${dataDir}`, page, ...files], display);
}
