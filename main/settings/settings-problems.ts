import type { z } from 'zod';
import { isObject, pathText, valueAt } from './json-values';
import { identifierVendor, mayTrack } from './native-params';
import { nearestName } from './nearest-name';
import { mayCarrySecrets } from './service-address';
import { SettingsFile } from './settings';

/** One error in one setting. `message` is a whole sentence without the path, and never contains a secret. */
export interface SettingsProblem {
  /** `ads.refreshSeconds`, `network.allowPrivateHosts[2]`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** `path: message`, or the message alone for the file as a whole. */
export const problemText = ({ path, message }: SettingsProblem): string =>
  path === '' ? message : `${path}: ${message}`;

/** Errors in the types of values and the names of settings, for an operator. */
export function shapeProblems(error: z.core.$ZodError, raw: unknown): readonly SettingsProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: pathText([...issue.path, key]),
          message: unknownSetting(issue.path, key),
        }))
      : { path: pathText(issue.path), message: wordsFor(issue, raw) },
  );
}

function wordsFor(issue: z.core.$ZodIssue, raw: unknown): string {
  if (issue.code === 'invalid_key') return `Expected ${issue.issues[0]?.message ?? 'another name'}.`;
  const found = valueAt(raw, issue.path);
  if (found === undefined) return `Missing; expected ${issue.message}.`;
  const meant =
    issue.code === 'invalid_value' && typeof found === 'string'
      ? nearestName(
          found,
          issue.values.filter((value) => typeof value === 'string'),
        )
      : null;
  const suggestion = meant === null ? '' : ` Did you mean "${meant}"?`;
  return `Expected ${issue.message}, found ${kindOf(found, issue.path)}.${suggestion}${quotesHint(issue, found)}`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** What stands in quotes and is meant without them, by the type that is expected. */
const IN_QUOTES: ReadonlyMap<string, RegExp> = new Map([
  ['boolean', /^(true|false)$/],
  ['number', NUMBER],
  ['int', NUMBER],
]);

/** What to do about a number, or true or false, that stands in quotes. */
function quotesHint(issue: z.core.$ZodIssue, found: unknown): string {
  if (typeof found !== 'string') return '';
  let kind = '';
  if (issue.code === 'invalid_type') kind = issue.expected;
  if (issue.code === 'invalid_value') kind = typeof issue.values[0];
  const isMeant = IN_QUOTES.get(kind)?.test(found) ?? false;
  return isMeant ? ' Remove the quotation marks.' : '';
}

/**
 * Errors between settings: one that requires another. It reads the unchecked file, so that these errors are
 * reported together with those of `shapeProblems`.
 */
export function relationProblems(raw: unknown): readonly SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const at = (path: string) => valueAt(raw, path.split('.'));
  const absent = (path: string) => at(path) === undefined || at(path) === null;
  const need = (path: string, message: string) => {
    if (absent(path)) problems.push({ path, message });
  };

  const account = ['service.authUrl', 'service.clientId', 'service.projectId'];
  const secretGiven = !absent('service.clientSecret') || !absent('service.clientSecretFile');
  const accountWanted =
    at('ads.authentication') !== 'none' || secretGiven || account.some((path) => !absent(path));
  if (accountWanted && isObject(at('service'))) {
    const why =
      at('ads.authentication') === 'none'
        ? 'Missing; a service account needs authUrl, clientId, clientSecret and projectId. Add what is missing, or remove all of them.'
        : 'Missing; needed for the access token (unless ads.authentication is "none").';
    for (const path of account) need(path, why);
    if (!secretGiven)
      problems.push({ path: 'service.clientSecret', message: `${why} Or give clientSecretFile.` });
  }
  if (!absent('service.clientSecret') && !absent('service.clientSecretFile')) {
    problems.push({
      path: 'service.clientSecretFile',
      message: 'Given together with clientSecret; expected only one of them.',
    });
  }

  const overHttps = (path: string, carries: string) => {
    const address = at(path);
    const url = typeof address === 'string' ? URL.parse(address) : null;
    if (url?.protocol === 'http:' && !mayCarrySecrets(url)) {
      problems.push({
        path,
        message: `Expected an https address, because ${carries} goes there; found http. Only this machine itself may be reached over http.`,
      });
    }
  };
  overHttps('service.authUrl', 'the client secret');
  const headers = at('service.headers');
  const secretHeaders = isObject(headers) && Object.values(headers).some(isObject);
  if (accountWanted) overHttps('service.baseUrl', 'the access token');
  else if (secretHeaders) overHttps('service.baseUrl', 'a header that is a secret');
  overHttps('service.nativeUrl', 'the app token');
  overHttps('proof.url', 'proof of play');
  for (const [path, other] of [
    ['proof.clientCertFile', 'proof.clientKeyFile'],
    ['proof.clientKeyFile', 'proof.clientCertFile'],
    ['fleet.clientCertFile', 'fleet.clientKeyFile'],
    ['fleet.clientKeyFile', 'fleet.clientCertFile'],
    ['fleet.passwordFile', 'fleet.username'],
  ] as const) {
    if (!absent(path)) need(other, `Missing; needed because ${path} is given.`);
  }

  const native = at('native');
  if (isObject(native) && native.enabled !== false) {
    const why = 'Missing; needed because native ads are enabled.';
    need('native.apptoken', why);
    need('native.zoneid', why);
    need('service.nativeUrl', why);
    problems.push(...nativeParamProblems(isObject(native.params) ? native.params : {}));
  }
  return problems;
}

/** Rule 20: required parameters of the native request; reported at the start, not at the first request. */
function nativeParamProblems(params: Readonly<Record<string, unknown>>): readonly SettingsProblem[] {
  const vendor = typeof params.os === 'string' ? identifierVendor(params.os) : null;
  // Without tracking only the all-zero identifier is sent, so no identifier is required.
  const tracking = mayTrack(params);
  const required: ReadonlyArray<readonly [isRequired: boolean, name: string, because: string]> = [
    [tracking && vendor === 'android', 'gid', 'native.params.os says Android and native.params.dnt is "0"'],
    [tracking && vendor === 'apple', 'idfa', 'native.params.os says Apple and native.params.dnt is "0"'],
    [params.srvi === '1', 'ip', 'native.params.srvi is "1"'],
    [params.srvi === '1', 'ua', 'native.params.srvi is "1"'],
  ];
  return required
    .filter(([isRequired, name]) => isRequired && params[name] === undefined)
    .map(([, name, because]) => ({
      path: `native.params.${name}`,
      message: `Missing; required because ${because}.`,
    }));
}

/** The message for an unknown setting; `parent`: the path of its section. */
export function unknownSetting(parent: readonly PropertyKey[], key: string): string {
  const section = parent.reduce<z.core.$ZodType>(
    (outer, name) => shapeOf(outer)?.[String(name)] ?? outer,
    SettingsFile,
  );
  const siblings = Object.keys(shapeOf(section) ?? {});
  const elsewhere = pathsBelow(SettingsFile, '').find((path) => path.endsWith(`.${key}`));
  if (elsewhere !== undefined) return `Unknown setting here. It belongs at "${elsewhere}".`;
  const near = nearestName(key, siblings);
  if (near !== null) return `Unknown setting. Did you mean "${near}"?`;
  return `Unknown setting. Known here: ${siblings.filter((name) => !name.startsWith('$')).join(', ')}.`;
}

function pathsBelow(schema: z.core.$ZodType, prefix: string): readonly string[] {
  const shape = shapeOf(schema);
  if (shape === null) return [prefix];
  return Object.entries(shape).flatMap(([name, inner]) =>
    pathsBelow(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** The settings of a section; null: it is a setting itself. */
export function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | null {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
    shape?: Readonly<Record<string, z.core.$ZodType>>;
  };
  if (def.shape !== undefined) return def.shape;
  return def.innerType === undefined ? null : shapeOf(def.innerType);
}

const MAY_BE_SECRET = /(secret|token|pin|id|params|headers|password)/i;

/** The kind of a value; a number itself only where it cannot be a secret. Text is never shown. */
export function kindOf(value: unknown, path: readonly PropertyKey[]): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string') return value === '' ? 'empty text' : 'other text';
  if (typeof value === 'number')
    return MAY_BE_SECRET.test(pathText(path)) ? 'a number' : `the number ${value}`;
  return typeof value === 'boolean' ? `${value}` : 'an object';
}
