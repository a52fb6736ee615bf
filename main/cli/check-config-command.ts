import path from 'node:path';
import { DAY_MS } from '../../shared/clock';
import { reasonOf } from '../describe-error';
import { validityWarnings } from '../settings/client-certificate';
import { findSettings, type SettingsSearch } from '../settings/find-settings';
import { CommandError, command, UsageError } from './command-result';

const CHECK_CONFIG_USAGE = `Usage: check-config [FILE]

Says whether a settings file is fit to use, with every error by the name of its
setting. Secrets are never printed. The files that it names are read too, as the
kiosk would, except for systemd's credentials, which only the kiosk gets. As root
it checks for the kiosk that systemd starts, which does not see /home and /tmp.

  FILE   the settings; without it those the kiosk itself would find:
         ENDCAP_CONFIG (or what /etc/default/endcap names), /etc/endcap/config.json,
         then settings.json of the data folder

Exit status: 0 fit to use (warnings are on standard error), 1 not, or none found,
2 wrong usage.`;

/** Where the kiosk would look; see `findSettings`. */
interface CheckConfigProcess
  extends Omit<SettingsSearch, 'configPath' | 'configNamedBy' | 'onUnseenCredential'> {
  /** Rejects with the system's error if the folder cannot be read. */
  readonly listFolder: (folder: string) => Promise<unknown>;
  /** Folders that the kiosk cannot see although this process can. */
  readonly hidden: readonly string[];
  /** systemd starts a kiosk here, and as another user. */
  readonly isOtherUser: boolean;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Runs `check-config [FILE]`; all input and output is injected. */
export const runCheckConfig = command(
  'check-config',
  CHECK_CONFIG_USAGE,
  {},
  async ({ words }, { listFolder, hidden, isOtherUser, now, ...search }: CheckConfigProcess) => {
    const [file] = words;
    if (words.length > 1) throw new UsageError('expected at most one file (--help shows the usage)');
    const unseen: string[] = [];
    // A file that is named here may be a draft, whose place is not final.
    const draft = file === undefined ? null : path.dirname(path.resolve(file));
    const seen =
      <Found>(read: (name: string) => Promise<Found>) =>
      async (name: string): Promise<Found> => {
        const folder = hidden.find((one) => isIn(one, name));
        if (folder === undefined || (draft !== null && isIn(draft, name))) return read(name);
        throw new Error(`endcap.service hides ${folder} from the kiosk; /etc/endcap and /srv are not hidden`);
      };
    const found = await findSettings({
      ...search,
      readFile: seen(search.readFile),
      onUnseenCredential: (path) =>
        unseen.push(
          `${path} is a credential of systemd; this check cannot read it, only the kiosk itself can.`,
        ),
      configPath: file === undefined ? null : path.resolve(file),
      configNamedBy: 'the argument FILE',
    });
    if (found.kind === 'none')
      throw new CommandError(
        'no settings were found; the example is /usr/share/doc/endcap/config.example.json',
      );
    // Its message has a line for each error.
    if (found.kind === 'error') {
      const advice = isOtherUser && found.message.includes('(EACCES)') ? asRoot(file) : '';
      return { exitCode: 1, stdout: '', stderr: `check-config: ${found.message}\n${advice}` };
    }
    const sealed = found.sealed.map(
      (secret) =>
        `${secret} is sealed by the keyring; this check cannot decrypt it, only the kiosk itself can.`,
    );
    const pin = found.settings.admin.pinHash === null ? [NO_PIN] : [];
    const certificates = validityWarnings(found.settings, now(), 30 * DAY_MS).map(
      ({ message, advice }) => `${message} ${advice}`,
    );
    const { houseDir } = found.settings.playback;
    const house =
      houseDir === null ? [] : await seen(listFolder)(houseDir).then(() => [], unreadHouse(houseDir));
    return {
      exitCode: 0,
      stdout: `The settings in ${found.file} are fit to use.\n`,
      stderr: [...found.warnings, ...pin, ...certificates, ...house, ...sealed, ...unseen]
        .map((warning) => `check-config: ${warning}\n`)
        .join(''),
    };
  },
);

const asRoot = (file = '') =>
  `check-config: That is what your own user may read. For the kiosk that systemd starts, run: ${`sudo endcap check-config ${file}`.trim()}\n`;

const NO_PIN =
  'admin.pinHash is missing: nobody can do anything in the overlay, and everybody who finds its gesture can read it. Make a hash: endcap pin.';

const isIn = (folder: string, name: string): boolean => `${name}/`.startsWith(`${folder}/`);

/** A warning: the folder may be on a drive that is away. */
const unreadHouse = (folder: string) => (error: unknown) => [
  `playback.houseDir: ${folder} cannot be read (${reasonOf(error)}), so house creatives play only if the kiosk has copied them before.`,
];
