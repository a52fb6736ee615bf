import {
  SetUpForm as FormSchema,
  type SetUpField,
  type SetUpForm,
  type SetUpPage,
  type SetUpProblem,
} from '../../shared/admin';
import type { Log } from '../../shared/log';
import { messageOf } from '../describe-error';
import { readWithFiles } from '../settings/find-settings';
import { parseJson } from '../settings/json-syntax';
import { isObject, type Json, valueAt, withValue } from '../settings/json-values';
import { ownSettingsFile } from '../settings/locate-settings';
import { isSealed, type Keyring, openSecrets, sealSecrets } from '../settings/sealed-secrets';
import type { Settings } from '../settings/settings';
import { readFileOnDisk } from '../settings/settings-file-on-disk';
import { problemText, type SettingsProblem } from '../settings/settings-problems';
import { createWholeFile } from '../whole-file';
import { AdminError } from './answer-calls';
import { proxyEntries, withProxy } from './set-up-proxy';

/** The setting of each form field but those of the proxy. */
const FIELDS: ReadonlyArray<readonly [field: SetUpField, setting: string]> = [
  ['baseUrl', 'service.baseUrl'],
  ['authUrl', 'service.authUrl'],
  ['nativeUrl', 'service.nativeUrl'],
  ['clientId', 'service.clientId'],
  ['clientSecret', 'service.clientSecret'],
  ['projectId', 'service.projectId'],
  ['playerId', 'ads.params.playerid'],
  ['playerKey', 'ads.params.key'],
  ['apptoken', 'native.apptoken'],
  ['zoneId', 'native.zoneid'],
  ['caFile', 'network.caFile'],
];

/** Secrets: never sent to the page. */
const NO_SECRETS = { clientSecret: null, apptoken: null, proxyPassword: null };

const EMPTY = FormSchema.parse({
  ...Object.fromEntries(FormSchema.keyof().options.map((field) => [field, ''])),
  ...NO_SECRETS,
});

export type SetUp = ReturnType<typeof createSetUp>;

/**
 * Reads, checks and writes the settings that people enter on the kiosk itself. An operator's file has priority.
 *
 * @param file the settings in use; null: there are none, or the demo runs
 */
export function createSetUp(file: string | null, dataDirectory: string, keyring: Keyring, log: Log) {
  // The set-up's own file (mode 0600); its secrets are sealed if there is a keyring (rule 23).
  const ownFile = ownSettingsFile(dataDirectory);
  const managed = file !== null && file !== ownFile;
  const own = createWholeFile(ownFile, 0o600);

  /** Throws where the file cannot be read: what is written in its place would lose its other settings. */
  async function stored(): Promise<Json> {
    try {
      const found = await readFileOnDisk(ownFile);
      if (found === null) return {};
      const json = parseJson(found.text);
      if (json.kind === 'value' && isObject(json.value)) return json.value;
      throw new Error('it holds no JSON object');
    } catch (error) {
      const why = `The settings file ${ownFile} cannot be read: ${messageOf(error)}. Nothing was changed.`;
      throw new AdminError('failed', why);
    }
  }

  /** Writes settings; their secrets are sealed wherever there is a keyring (rule 23). */
  async function store(raw: Json): Promise<void> {
    const { raw: written, by } = await sealSecrets(raw, keyring);
    await own.write(`${JSON.stringify(written, null, 2)}\n`);
    if (by === null)
      log.warn('there is no keyring: the file mode alone protects the secrets of the settings');
    else log.info('the secrets of the settings were sealed by the keyring', { keyring: by });
  }

  async function merged(form: SetUpForm): Promise<Json> {
    // A secret that the keyring cannot open fails the check, so staff enter it again.
    const opened = (await openSecrets(await stored(), keyring.open)).raw;
    let raw: Json = isObject(opened) ? opened : {};
    // An account for the registration alone: the set-up has no words for it, and keeps it.
    const needsNoToken =
      valueAt(raw, ['ads', 'authentication']) === 'none' &&
      typeof valueAt(raw, ['service', 'authUrl']) === 'string';
    for (const [field, setting] of FIELDS) {
      const [entered, path] = [form[field], setting.split('.')];
      const known = valueAt(raw, path);
      // The form shows texts only, so a list looks empty.
      const isList = !(field in NO_SECRETS) && known !== undefined && typeof known !== 'string';
      // A secret that was not typed again stays.
      if (entered !== null && !(isList && entered === ''))
        raw = withValue(raw, path, entered.trim() || undefined);
    }
    // A typed secret takes the place of the file that held it.
    if (form.clientSecret?.trim()) raw = withValue(raw, ['service', 'clientSecretFile'], undefined);
    // A service without a sign-in address needs no sign-in, and no secret for it.
    const signsIn = form.authUrl.trim() !== '';
    if (!signsIn && form.clientSecret === null)
      for (const secret of ['clientSecret', 'clientSecretFile'])
        raw = withValue(raw, ['service', secret], undefined);
    const authentication = signsIn && !needsNoToken ? 'bearer' : 'none';
    raw = withValue(withProxy(raw, form), ['ads', 'authentication'], authentication);
    return withValue(raw, ['native', 'enabled'], form.nativeUrl.trim() !== '');
  }

  return {
    /** Whether an operator's file decides. */
    managed,
    /** Whether the kiosk runs on what was entered here. */
    inUse: file === ownFile,
    async page(canTryDemo: boolean): Promise<SetUpPage> {
      const raw = await stored();
      const { hasPassword, ...proxy } = proxyEntries((await openSecrets(raw, keyring.open)).raw);
      const known = { ...EMPTY, ...proxy };
      for (const [field, setting] of FIELDS) {
        const value = valueAt(raw, setting.split('.'));
        if (!(field in NO_SECRETS) && typeof value === 'string') known[field] = value.slice(0, 2_048);
      }
      return {
        form: known,
        has: {
          clientSecret:
            isSecret(valueAt(raw, ['service', 'clientSecret'])) ||
            typeof valueAt(raw, ['service', 'clientSecretFile']) === 'string',
          apptoken: isSecret(valueAt(raw, ['native', 'apptoken'])),
          proxyPassword: hasPassword,
          // The demo's own PIN is in no file.
          pin: isSecret(valueAt(raw, ['admin', 'pinHash'])),
        },
        canTryDemo,
      };
    },
    /** Checks the form as settings; secrets that were not typed again are taken from the stored ones. */
    async check(
      form: SetUpForm,
    ): Promise<
      | { readonly kind: 'settings'; readonly settings: Settings; readonly raw: Json }
      | { readonly kind: 'problems'; readonly problems: SetUpProblem[] }
    > {
      const raw = await merged(form);
      const result = await readWithFiles(raw, ownFile, { env: process.env, readFile: readFileOnDisk });
      if (result.kind === 'settings') return { kind: 'settings', settings: result.settings, raw };
      return { kind: 'problems', problems: result.problems.map((problem) => problemOf(problem, form)) };
    },
    /**
     * Stores checked settings and resolves to their file; `pinHash` null leaves the PIN as it is. Rejects if the file
     * cannot be written.
     */
    async save(raw: Json, pinHash: string | null): Promise<string> {
      await store(pinHash === null ? raw : withPin(raw, pinHash));
      return ownFile;
    },
    /** Stores another PIN and changes nothing else. */
    savePin: async (pinHash: string) => store(withPin(await stored(), pinHash)),
  };
}

const withPin = (raw: Json, pinHash: string) => withValue(raw, ['admin', 'pinHash'], pinHash);

const isSecret = (value: unknown) => typeof value === 'string' || isSealed(value);

function problemOf(problem: SettingsProblem, form: SetUpForm): SetUpProblem {
  const { path, message } = problem;
  const field = path === 'network.proxy' ? 'proxyUrl' : FIELDS.find(([, setting]) => setting === path)?.[0];
  if (field === undefined) return { field: null, code: 'other', message: problemText(problem) };
  // A secret that was not typed again is stored or missing; its message tells which.
  if (form[field]?.trim() === '') return { field, code: 'missing', message };
  return { field, code: ['baseUrl', 'authUrl', 'nativeUrl'].includes(field) ? 'address' : 'other', message };
}
