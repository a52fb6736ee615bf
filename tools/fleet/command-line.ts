import { errorCode, messageOf } from '../../main/describe-error';

export interface CommandOutput {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}

/**
 * Writes lines to the streams of a process. A closed pipe (`head`) is no error: it would end the process before the
 * command has stopped its servers.
 */
export function outputOf(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): CommandOutput {
  for (const stream of [stdout, stderr])
    stream.on('error', (error) => {
      if (errorCode(error) !== 'EPIPE') throw error;
    });
  return {
    out: (line) => stdout.write(`${line}\n`),
    error: (line) => stderr.write(`${line}\n`),
  };
}

/**
 * A command that prints its usage for `--help`, and one line if its arguments are wrong. It resolves with the exit
 * status, 2 for wrong arguments.
 *
 * @param read reads the arguments; throws an error that says what is wrong with them
 */
export const commandLine =
  <Wanted>(
    name: string,
    usage: string,
    read: (args: string[]) => Wanted,
    run: (wanted: Wanted, output: CommandOutput) => Promise<number>,
  ) =>
  async (args: readonly string[], output: CommandOutput): Promise<number> => {
    if (args.includes('--help') || args.includes('-h')) {
      output.out(usage);
      return 0;
    }
    let wanted: Wanted;
    try {
      wanted = read([...args]);
    } catch (error) {
      output.error(`${name}: ${messageOf(error)} (--help shows the usage)`);
      return 2;
    }
    return run(wanted, output);
  };
