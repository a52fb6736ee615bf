import { resolve } from 'node:path';

/** What the command line asks for. */
export interface StartOptions {
  /** `--config FILE`, absolute. */
  readonly configPath: string | null;
  /** `--data-dir DIR`, absolute; all state is under it. */
  readonly dataDir: string | null;
  /** `--windowed`: an ordinary window, whatever the settings say. */
  readonly windowed: boolean;
  /** `--kiosk`: full screen, even when run from source. */
  readonly kiosk: boolean;
  /** `--set-up`: without settings asks for them on the screen, as an installed kiosk does, instead of the demo. */
  readonly setUp: boolean;
  /** `--endcap-command NAME ARG …`: an operator's command instead of the player; it gets all further arguments. */
  readonly command: { readonly name: string; readonly args: readonly string[] } | null;
}

const COMMAND = '--endcap-command';

/**
 * Reads Endcap's own arguments; all others are Chromium's. The last one counts where an
 * argument is repeated.
 */
export function readStartOptions(argv: readonly string[], workingDirectory: string): StartOptions {
  const fileAfter = (name: string): string | null => {
    let value: string | null = null;
    argv.forEach((argument, index) => {
      if (argument === `--${name}`) value = argv[index + 1] ?? null;
      if (argument.startsWith(`--${name}=`)) value = argument.slice(name.length + 3);
    });
    return value === null || value === '' ? null : resolve(workingDirectory, value);
  };
  const commandAt = argv.indexOf(COMMAND);
  return {
    configPath: fileAfter('config'),
    dataDir: fileAfter('data-dir'),
    windowed: argv.includes('--windowed'),
    kiosk: argv.includes('--kiosk'),
    setUp: argv.includes('--set-up'),
    command: commandAt < 0 ? null : { name: argv[commandAt + 1] ?? '', args: argv.slice(commandAt + 2) },
  };
}
