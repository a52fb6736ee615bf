import { resolve } from 'node:path';

/** What the command line asks for. */
export type StartOptions = ReturnType<typeof readStartOptions>;

const COMMAND = '--endcap-command';

/**
 * Reads Endcap's own arguments; all others are Chromium's. The last one counts where an
 * argument is repeated.
 */
export function readStartOptions(argv: readonly string[], workingDirectory: string) {
  const fileAfter = (name: string): string | null => {
    const at = argv.findLastIndex((argument) => argument === name || argument.startsWith(`${name}=`));
    if (at < 0) return null;
    const value = argv[at] === name ? argv[at + 1] : argv[at]?.slice(name.length + 1);
    return value ? resolve(workingDirectory, value) : '';
  };
  const commandAt = argv.indexOf(COMMAND);
  return {
    /** Absolute; empty where `--config` has no file after it. */
    configPath: fileAfter('--config'),
    /** Absolute; all state is under it. */
    dataDir: fileAfter('--data-dir') || null,
    /** An ordinary window, whatever the settings say. */
    windowed: argv.includes('--windowed'),
    /** Full screen, even when run from source. */
    kiosk: argv.includes('--kiosk'),
    /** Without settings asks for them on the screen, as an installed kiosk does, instead of the demo. */
    setUp: argv.includes('--set-up'),
    /** `NAME ARG …`: an operator's command instead of the player; it gets all further arguments. */
    command: commandAt < 0 ? null : { name: argv[commandAt + 1] ?? '', args: argv.slice(commandAt + 2) },
  };
}
