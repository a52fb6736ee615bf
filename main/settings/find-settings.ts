import { readPinHash } from '../admin/pin-hash';
import { certificateError } from './client-certificate';
import { isOtherEncoding, parseJson, repeatedNames } from './json-syntax';
import { isObject, type Json, pathText, valueAt } from './json-values';
import {
  closing,
  type LocatedSettings,
  locateSettings,
  type ReadSettingsFile,
  type SettingsPlaces,
} from './locate-settings';
import { type NamedFiles, withFiles } from './named-file';
import { maySendDemographics, suppressedParams } from './native-params';
import { suppressedDemographics } from './online-placeholders';
import { isNeverOpen, type OpenHours } from './open-hours';
import { mergeDocument } from './remote/remote-document';
import { type Keyring, openSecrets } from './sealed-secrets';
import { isSameHost, mayCarrySecrets } from './service-address';
import { inForce, type Settings, SettingsFile, undocumentedNativeParams } from './settings';
import { problemText, relationProblems, type SettingsProblem, shapeProblems } from './settings-problems';

export interface SettingsSearch extends SettingsPlaces, Pick<NamedFiles, 'onUnseenCredential'> {
  readonly readFile: ReadSettingsFile;
  /** Opens values that the keyring sealed; null: no keyring is available, and sealed values count as valid. */
  readonly openSealed: Keyring['open'] | null;
}

export type SettingsResult =
  | {
      readonly kind: 'settings';
      readonly settings: Settings;
      readonly file: string;
      /** Sentences about settings that work but should be corrected. */
      readonly warnings: readonly string[];
      /** Names of the settings whose secrets are sealed by the system's keyring. */
      readonly sealed: readonly string[];
    }
  | { readonly kind: 'none' }
  | SettingsError;

export interface SettingsError {
  readonly kind: 'error';
  readonly problems: readonly SettingsProblem[];
  /** The file and all problems as one text of several lines, for a screen or a terminal. */
  readonly message: string;
}

/**
 * Finds and reads the settings: `locateSettings`, then `readLocated`.
 */
export async function findSettings(search: SettingsSearch): Promise<SettingsResult> {
  return readLocated(await locateSettings(search, search.readFile), search);
}

/**
 * Reads and checks a located settings file and the files that it names.
 *
 * @param remote remote settings, which replace the file's own values; null: the file alone
 */
export async function readLocated(
  located: LocatedSettings,
  search: Pick<SettingsSearch, 'env' | 'readFile' | 'openSealed'>,
  remote: Json | null = null,
): Promise<SettingsResult> {
  if (located.kind === 'none') return located;
  const { file } = located;
  if (located.kind === 'unreadable') return settingsError(file, [{ path: '', message: located.problem }]);
  const json = parseJson(located.found.text);
  if (json.kind === 'error') {
    const { line, column, expected } = json.error;
    return settingsError(file, [
      { path: '', message: `Line ${line}, column ${column}: expected ${expected}.` },
    ]);
  }
  const { raw, sealed, closed } = await openSecrets(json.value, search.openSealed);
  if (closed.length > 0) return settingsError(file, closed.map(unopenedSecretProblem));
  const merged = remote !== null && isObject(raw) ? mergeDocument(raw, remote) : raw;
  const read = await readWithFiles(merged, file, search);
  if (read.kind === 'error') return read;
  const { settings } = read;
  const { ads, native, admin, playback, display } = settings;
  const plain = [...read.secrets.filter((name) => !sealed.includes(name)), ...plainHeaders(settings)];
  const secrets = located.found.readableBy === 'others' ? plain : [];
  const warnings = [
    ...(secrets.length > 0
      ? [
          `${file} holds secrets (${secrets.join(', ')}) and is readable by others. ${closing(located.found, file)}. A client secret can also be moved to a file of its own (service.clientSecretFile).`,
        ]
      : []),
    ...(isTimeTrusted(settings) ? [] : [NEVER_TRUSTED]),
    ...(admin.pinHash === null || readPinHash(admin.pinHash.reveal()) !== null ? [] : [BROKEN_HASH]),
    ...neverOpen('playback.openHours', playback.openHours, 'nothing is ever played'),
    ...neverOpen('display.power', display.power, 'the display is never on'),
    ...quotedNumber(playback.display),
    ...textWarnings(located.found.text, file),
    ...copiedSpaces(raw, settings),
    ...(native.enabled
      ? [...suppressedParams(native.params), ...undocumentedNativeParams(native.params)]
      : []),
    ...(native.enabled && native.sendSensorDemographics && !maySendDemographics(native)
      ? [NOT_SENT_WITHOUT_LEAVE]
      : []),
    ...(ads.delivery === 'offline' || maySendDemographics(native)
      ? []
      : suppressedDemographics(ads.onlineParams)),
  ];
  return { kind: 'settings', settings, file, warnings, sealed };
}

/** Whether an answer can tell the time (rule 10): of the ads, or of native ads from the same host. */
const isTimeTrusted = ({ service: { baseUrl, nativeUrl }, native }: Settings): boolean =>
  mayCarrySecrets(baseUrl) || (native.enabled && nativeUrl !== null && isSameHost(nativeUrl, baseUrl));

const NEVER_TRUSTED =
  'service.baseUrl is http, so its time is never trusted: caps of an hour, a day or a week look back 60 minutes, 24 hours or 7 days instead of following the calendar, and confirmations that wait at a restart are not sent. Use https.';

/** A warning, no error: somebody may give them for the time zone of `playback.restartAt` alone. */
const neverOpen = (setting: string, hours: OpenHours | null, effect: string): readonly string[] =>
  hours !== null && isNeverOpen(hours)
    ? [`${setting} names no day, so ${effect}. Add days such as "mon-sat": "07:00-21:00".`]
    : [];

/** A warning, no error: a kiosk that played on its primary display for it plays on. */
const quotedNumber = (display: Settings['playback']['display']): readonly string[] =>
  typeof display === 'string' && /^\d+$/.test(display)
    ? [
        `playback.display "${display}" is taken for a name. If you mean the number, remove the quotation marks.`,
      ]
    : [];

const NOT_SENT_WITHOUT_LEAVE =
  'native.sendSensorDemographics has no effect, because native.params.dnt is "1" (the default) or native.params.coppa is "1". Set it to false, or dnt to "0" and no coppa.';

const BROKEN_HASH =
  'admin.pinHash is not what `endcap pin` prints, for example because its end is missing, so no PIN unlocks the overlay. Run it again, and copy the whole line.';

/** Most settings that are named for one mistake of the file. */
const MAX_NAMED = 10;

/** Warnings about a text that is valid JSON, but may not say what its author meant. */
function textWarnings(text: string, file: string): readonly string[] {
  const repeated = repeatedNames(text)
    .slice(0, MAX_NAMED)
    .map(
      (name) => `${name} is given more than once in ${file}, and only the last one counts. Keep one of them.`,
    );
  if (!isOtherEncoding(text)) return repeated;
  const line = text.slice(0, text.indexOf('\uFFFD')).split('\n').length;
  return [...repeated, `${file} is not UTF-8: a character in line ${line} is lost. Save the file in UTF-8.`];
}

/** What a text begins or ends with that was copied along: the service takes it for a part of an id or a secret. */
const COPIED_ALONG = /^[\s\p{Cf}]|[\s\p{Cf}]$/u;

function copiedSpaces(raw: unknown, { service, fleet }: Settings): readonly string[] {
  const named = textsIn(raw).filter(([, text]) => COPIED_ALONG.test(text));
  const names = named.slice(0, MAX_NAMED).map(([name]) => name);
  for (const [secret, ...path] of [
    [service.clientSecret, 'service', 'clientSecretFile'],
    [fleet.password, 'fleet', 'passwordFile'],
  ] as const) {
    if (typeof valueAt(raw, path) === 'string' && COPIED_ALONG.test(secret?.reveal() ?? ''))
      names.push(`The secret in the file of ${path.join('.')}`);
  }
  return names.map(
    (name) =>
      `${name} begins or ends with a space or a character that cannot be seen. Remove it unless it belongs there.`,
  );
}

/** All texts of the settings, with their names. */
function textsIn(value: unknown, at: readonly PropertyKey[] = []): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[pathText(at), value]];
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  return [...entries].flatMap(([key, inner]) => textsIn(inner, [...at, key]));
}

/** The headers of `proof.headers` whose secrets stand in the settings file itself. */
const plainHeaders = ({ proof }: Settings): readonly string[] =>
  proof.headers
    .filter(({ name, isSecret }) => name.toLowerCase() === 'authorization' && !isSecret)
    .map(({ name }) => `proof.headers.${name}`);

/** A check that runs once is not worth compiling. */
const ONCE = { jitless: true } as const;

/**
 * Checks settings that are already in memory, and reads the files that they name: CAs, secrets, headers,
 * client certificates. Relative paths start from the folder of `file`.
 */
export async function readWithFiles(
  raw: unknown,
  file: string,
  { env, readFile, onUnseenCredential }: Omit<NamedFiles, 'settingsFile'>,
) {
  const checked = checkValues(raw, file);
  if (checked.kind === 'error') return checked;
  const read = await withFiles(checked.parsed, { settingsFile: file, env, readFile, onUnseenCredential });
  if ('problems' in read) return settingsError(file, read.problems);
  for (const name of ['proof', 'fleet'] as const) {
    const { clientCertFile: cert, clientKeyFile: key } = read.settings[name];
    const mismatch = cert && key && certificateError(cert, key);
    if (mismatch) return settingsError(file, [{ path: `${name}.clientKeyFile`, message: mismatch }]);
  }
  return { kind: 'settings', settings: inForce(read.settings), secrets: read.secrets } as const;
}

/** Checks the values of settings, and no file that they name. */
export function checkValues(raw: unknown, file: string) {
  const parsed = SettingsFile.safeParse(raw, ONCE);
  const shape = parsed.success ? [] : shapeProblems(parsed.error, raw);
  const known = new Set(shape.map((problem) => problem.path));
  const problems = [...shape, ...relationProblems(raw).filter((problem) => !known.has(problem.path))];
  if (!parsed.success || problems.length > 0) return settingsError(file, problems);
  return { kind: 'parsed', parsed: parsed.data } as const;
}

/** A keyring that is locked today may open tomorrow: the file stays as it is. */
function unopenedSecretProblem(at: string): SettingsProblem {
  return {
    path: at,
    message:
      'The keyring cannot decrypt this value: it is locked, it was replaced, or the value was sealed by another user or on another machine. ' +
      'The file is kept. Unlock the keyring and start the player again, or move the file away and set up the kiosk again.',
  };
}

function settingsError(file: string, problems: readonly SettingsProblem[]): SettingsError {
  const lines = problems.map((problem) => `  ${problemText(problem)}`);
  return {
    kind: 'error',
    problems,
    message: [`The settings in ${file} cannot be used:`, ...lines].join('\n'),
  };
}
