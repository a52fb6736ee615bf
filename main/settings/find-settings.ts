import path from 'node:path';
import { parseJson } from './json-syntax';
import { type Keyring, openSecrets } from './sealed-secrets';
import { Secret } from './secret';
import { type Settings, SettingsFile } from './settings';
import { relationProblems, type SettingsProblem, shapeProblems } from './settings-problems';

/** A file as the search sees it: its text, and who besides its owner may read it. */
export interface FoundFile {
  readonly text: string;
  readonly readableBy: 'kiosk' | 'others';
}

/** Resolves to null where there is no such file; rejects where there is one that cannot be read. */
export type ReadSettingsFile = (file: string) => Promise<FoundFile | null>;

export interface SettingsSearch {
  /** The value of `--config`, or null. */
  readonly configPath: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The data folder; its `settings.json` holds the answers of the set-up screen. */
  readonly dataDir: string;
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
 * Finds and reads the settings: `--config`, `ENDCAP_CONFIG`, the machine's own
 * file, the data folder's `settings.json`. The first that exists decides; a file
 * that was named but is not there is a fault, never a reason to look further.
 */
export async function findSettings(search: SettingsSearch): Promise<SettingsResult> {
  const named = search.configPath ?? (search.env.ENDCAP_CONFIG || null);
  const candidates =
    named === null
      ? [machineFile(search), path.join(search.dataDir, 'settings.json')]
      : [path.resolve(named)];
  for (const file of candidates) {
    let found: FoundFile | null;
    try {
      found = await search.readFile(file);
    } catch (error) {
      return fault(file, [{ path: '', message: `The file cannot be read (${reason(error)}).` }]);
    }
    if (found !== null) return readFound(file, found, search);
  }
  if (named === null) return { kind: 'none' };
  const source = search.configPath === null ? 'ENDCAP_CONFIG' : '--config';
  return fault(path.resolve(named), [{ path: '', message: `There is no such file (named by ${source}).` }]);
}

/** Checks settings that are already in memory (the embedded demo's, the set-up screen's answers). */
export function readSettings(
  raw: unknown,
  file: string,
): { readonly kind: 'settings'; readonly settings: Settings } | SettingsFault {
  const parsed = SettingsFile.safeParse(raw);
  const shape = parsed.success ? [] : shapeProblems(parsed.error, raw);
  const known = new Set(shape.map((problem) => problem.path));
  const problems = [...shape, ...relationProblems(raw).filter((problem) => !known.has(problem.path))];
  if (!parsed.success || problems.length > 0) return fault(file, problems);
  const { $schema: _editor, service, ...rest } = parsed.data;
  const { clientSecretFile: _file, ...account } = service;
  return { kind: 'settings', settings: { ...rest, service: account } };
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
  const result = readSettings(raw, file);
  if (result.kind === 'fault') return result;
  const { settings } = result;

  const houseDir = settings.playback.houseDir;
  const located: Settings = {
    ...settings,
    playback: {
      ...settings.playback,
      houseDir: houseDir === null ? null : path.resolve(path.dirname(file), houseDir),
    },
  };
  const secretFile = SettingsFile.parse(raw).service.clientSecretFile;
  if (secretFile === null) {
    const isKept = sealed.includes('service.clientSecret');
    const exposed = found.readableBy === 'others' && settings.service.clientSecret !== null && !isKept;
    const warnings = exposed
      ? [
          `${file} holds a secret and is readable by others. Run: chmod 600 '${file}', or use clientSecretFile.`,
        ]
      : [];
    return { kind: 'settings', settings: located, file, warnings, sealed };
  }
  const secret = await readSecretFile(secretFile, file, search);
  if (typeof secret === 'string') return fault(file, [{ path: 'service.clientSecretFile', message: secret }]);
  return {
    kind: 'settings',
    settings: { ...located, service: { ...located.service, clientSecret: secret } },
    file,
    warnings: [],
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
    return `The file ${file} cannot be read (${reason(error)}).`;
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

function machineFile({ platform, env }: SettingsSearch): string {
  if (platform !== 'win32') return '/etc/endcap/config.json';
  return path.win32.join(env.ProgramData ?? env.PROGRAMDATA ?? 'C:\\ProgramData', 'Endcap', 'config.json');
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

/** The system's code (EACCES) where there is one: its message would repeat the path. */
function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
