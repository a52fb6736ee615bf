import path from 'node:path';
import { findSettings, type SettingsSearch } from '../../settings/find-settings';
import type { CommandResult } from './inspect-command';

const CHECK_CONFIG_USAGE = `Usage: check-config [FILE]

Says whether a settings file is fit to use, with every fault by the name of its
setting. Secrets are never printed. The secret file that it names is read too, as
the kiosk would.

  FILE   the settings; without it those the kiosk itself would find:
         ENDCAP_CONFIG, /etc/endcap/config.json, then settings.json of the data folder

Exit status: 0 fit to use (warnings are on standard error), 1 not, or none found,
2 wrong usage.`;

/** Where the kiosk would look; see `findSettings`. */
export type CheckConfigProcess = Omit<SettingsSearch, 'configPath'>;

/** `check-config [FILE]`, without its process. */
export async function runCheckConfig(
  args: readonly string[],
  search: CheckConfigProcess,
): Promise<CommandResult> {
  if (args.length === 1 && (args[0] === '--help' || args[0] === '-h')) {
    return { exitCode: 0, stdout: `${CHECK_CONFIG_USAGE}\n`, stderr: '' };
  }
  const [file] = args;
  if (args.length > 1 || file?.startsWith('-')) {
    return said(2, 'expected at most one file (--help shows the usage)');
  }
  const found = await findSettings({ ...search, configPath: file === undefined ? null : path.resolve(file) });
  switch (found.kind) {
    case 'settings': {
      const unseen = found.sealed.map(
        (secret) => `${secret} is sealed by the keyring; only the kiosk itself can say whether it opens.`,
      );
      return {
        exitCode: 0,
        stdout: `The settings in ${found.file} are fit to use.\n`,
        stderr: [...found.warnings, ...unseen].map((warning) => `check-config: ${warning}\n`).join(''),
      };
    }
    case 'none':
      return said(1, 'no settings were found; the example is /usr/share/doc/endcap/config.example.json');
    case 'fault':
      return said(1, found.message);
  }
}

function said(exitCode: 1 | 2, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `check-config: ${message}\n` };
}
