import path from 'node:path';
import { parseJson } from './json-syntax';
import {
  type FoundFile,
  type LocatedSettings,
  locateSettings,
  type ReadSettingsFile,
  reasonOf,
  type SettingsPlaces,
} from './locate-settings';
import { suppressedParams } from './native-params';
import { type Keyring, openSecrets } from './sealed-secrets';
import { Secret } from './secret';
import { type Settings, SettingsFile } from './settings';
import { relationProblems, type SettingsProblem, shapeProblems } from './settings-problems';

export interface SettingsSearch extends SettingsPlaces {
  readonly readFile: ReadSettingsFile;
  /** Opens what the keyring sealed; null: it cannot be asked here, and what is sealed counts as fit. */
  readonly openSealed: Keyring['open'] | null;
}

export type SettingsResult =
  | {
      readonly kind: 'settings';
      readonly settings: Settings;
      readonly file: string;
      /** What works but should be mended, one sentence each. */
      readonly warnings: readonly string[];
      /** Secrets that the system's keyring keeps, by the names of their settings. */
      readonly sealed: readonly string[];
    }
  | { readonly kind: 'none' }
  | SettingsFault;

export interface SettingsFault {
  readonly kind: 'fault';
  readonly file: string;
  readonly problems: readonly SettingsProblem[];
  /** Everything above as one text of several lines, for a screen or a terminal. */
  readonly message: string;
}

/**
 * Finds and reads the settings: `locateSettings`, then `readLocated`.
 */
export async function findSettings(search: SettingsSearch): Promise<SettingsResult> {
  return readLocated(await locateSettings(search, search.readFile), search);
}

/** Reads and checks a settings file that was found, and the secrets it names. */
export async function readLocated(located: LocatedSettings, search: SettingsSearch): Promise<SettingsResult> {
  if (located.kind === 'none') return located;
  if (located.kind === 'unreadable') return fault(located.file, [{ path: '', message: located.problem }]);
  return readFound(located.file, located.found, search);
}

/** A check that runs once is not worth compiling. */
const ONCE = { jitless: true } as const;

/** Checks settings that are already in memory (the embedded demo's, the set-up screen's answers). */
export function readSettings(
  raw: unknown,
  file: string,
): { readonly kind: 'settings'; readonly settings: Settings } | SettingsFault {
  const checked = check(raw, file);
  return checked.kind === 'fault' ? checked : { kind: 'settings', settings: checked.settings };
}

/** Settings that are in order, and the file their secret is in, or null. */
interface Checked {
  readonly kind: 'settings';
  readonly settings: Settings;
  readonly secretFile: string | null;
}

function check(raw: unknown, file: string): Checked | SettingsFault {
  const parsed = SettingsFile.safeParse(raw, ONCE);
  const shape = parsed.success ? [] : shapeProblems(parsed.error, raw);
  const known = new Set(shape.map((problem) => problem.path));
  const problems = [...shape, ...relationProblems(raw).filter((problem) => !known.has(problem.path))];
  if (!parsed.success || problems.length > 0) return fault(file, problems);
  const { $schema: _editor, service, ...rest } = parsed.data;
  const { clientSecretFile, ...account } = service;
  return { kind: 'settings', settings: { ...rest, service: account }, secretFile: clientSecretFile };
}

async function readFound(file: string, found: FoundFile, search: SettingsSearch): Promise<SettingsResult> {
  const json = parseJson(found.text);
  if (json.kind === 'fault') {
    const { line, column, expected } = json.fault;
    return fault(file, [{ path: '', message: `Line ${line}, column ${column}: expected ${expected}.` }]);
  }
  const { raw, sealed, closed } = await openSecrets(
    json.value,
    search.openSealed ?? (async () => 'a secret that only the kiosk itself can open'),
  );
  if (closed.length > 0) return fault(file, closed.map(keptClosed));
  const checked = check(raw, file);
  if (checked.kind === 'fault') return checked;
  const { settings, secretFile } = checked;

  const houseDir = settings.playback.houseDir;
  const located: Settings = {
    ...settings,
    playback: {
      ...settings.playback,
      houseDir: houseDir === null ? null : path.resolve(path.dirname(file), houseDir),
    },
  };
  const unsent = settings.native.enabled ? suppressedParams(settings.native.params) : [];
  if (secretFile === null) {
    const isKept = sealed.includes('service.clientSecret');
    const exposed = found.readableBy === 'others' && settings.service.clientSecret !== null && !isKept;
    const warnings = exposed
      ? [
          `${file} holds a secret and is readable by others. Run: chmod 600 '${file}', or use clientSecretFile.`,
        ]
      : [];
    return { kind: 'settings', settings: located, file, warnings: [...warnings, ...unsent], sealed };
  }
  const secret = await readSecretFile(secretFile, file, search);
  if (typeof secret === 'string') return fault(file, [{ path: 'service.clientSecretFile', message: secret }]);
  return {
    kind: 'settings',
    settings: { ...located, service: { ...located.service, clientSecret: secret } },
    file,
    warnings: unsent,
    sealed,
  };
}

/** A keyring that is locked today may open tomorrow: the file stays as it is. */
function keptClosed(at: string): SettingsProblem {
  return {
    path: at,
    message:
      "It was sealed by this system's keyring, which does not open it: it is locked, was replaced, or is another user's or machine's. " +
      'The file is kept. Unlock the keyring and start the player again, or move the file away and set the kiosk up anew.',
  };
}

/** The secret, or what is wrong in a sentence. */
async function readSecretFile(
  setting: string,
  settingsFile: string,
  { env, readFile }: SettingsSearch,
): Promise<Secret | string> {
  const named = setting.replace(
    /^\$(CREDENTIALS_DIRECTORY|\{CREDENTIALS_DIRECTORY\})(?=[\\/])/,
    () => env.CREDENTIALS_DIRECTORY ?? '$CREDENTIALS_DIRECTORY',
  );
  const file = path.resolve(path.dirname(settingsFile), named);
  let found: FoundFile | null;
  try {
    found = await readFile(file);
  } catch (error) {
    return `The file ${file} cannot be read (${reasonOf(error)}).`;
  }
  if (found === null) return `There is no file ${file}.`;
  if (found.readableBy === 'others') {
    return `The file ${file} is readable by others. Expected mode 0600, or 0640 with the kiosk's own group. Run: chmod 600 '${file}'`;
  }
  const secret = found.text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  if (secret === '') return `The file ${file} is empty; expected the client secret.`;
  if (secret.length > 4096 || /[\r\n]/.test(secret)) {
    return `The file ${file} holds several lines or more than 4096 characters; expected the client secret on one line.`;
  }
  return new Secret(secret);
}

function fault(file: string, problems: readonly SettingsProblem[]): SettingsFault {
  const lines = problems.map(({ path: at, message }) => (at === '' ? `  ${message}` : `  ${at}: ${message}`));
  return {
    kind: 'fault',
    file,
    problems,
    message: [`The settings in ${file} cannot be used:`, ...lines].join('\n'),
  };
}
