import path from 'node:path';
import { errorCode } from '../describe-error';
import { closing, type FoundFile, type ReadSettingsFile, unreadable } from './locate-settings';
import { Secret } from './secret';

/** Where files that settings name are read. */
export interface NamedFiles {
  /** Path of the settings file: relative paths start at its folder. */
  readonly settingsFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadSettingsFile;
  /**
   * Called with the path of a credential where systemd gives none; it counts as valid. Left out: it is an error, as for
   * the kiosk itself.
   */
  readonly onUnseenCredential?: ((setting: string) => void) | undefined;
}

/**
 * A path in the settings together with the function that reads its file. `settings.ts` declares it once, and
 * `withFiles` replaces it with the value.
 */
export class NamedFile<Value> {
  /** @param read resolves to the value, or to an error message (one sentence) */
  constructor(readonly read: (files: NamedFiles) => Promise<{ readonly value: Value } | string>) {}
}

/** A file or folder that is looked into later: its absolute path. Relative ones start at the settings file. */
export const asNamedPath = (setting: string): NamedFile<string> =>
  new NamedFile(async ({ settingsFile }) => ({ value: path.resolve(path.dirname(settingsFile), setting) }));

/** Reads the content of a named file; a string is an error message (one sentence). */
export type ReadContent<Content extends object> = (text: string, file: string) => Content | string;

/** A leading `$CREDENTIALS_DIRECTORY` stands for systemd's credentials. */
const CREDENTIALS = /^\$(CREDENTIALS_DIRECTORY|\{CREDENTIALS_DIRECTORY\})(?=[\\/])/;
const NO_CREDENTIALS =
  "systemd has given the kiosk no credentials. Name this one in the unit's LoadCredential= or LoadCredentialEncrypted=.";

/** Who puts a file there sees it, and an installed kiosk does not. */
const hidingOf = (file: string): string =>
  /^\/(home|root|run\/user|tmp|var\/tmp)\//.test(file)
    ? ' endcap.service hides this folder from its kiosk; /etc/endcap and /srv are not hidden.'
    : '';

/**
 * A file that is read with the settings. Its value is the content; null for a credential that only the kiosk can read.
 *
 * @param isPrivate nobody else may read it (rule 23)
 */
export const asNamedContent = <Content extends object>(
  setting: string,
  isPrivate: boolean,
  read: ReadContent<Content>,
): NamedFile<Content | null> =>
  new NamedFile(async ({ settingsFile, env, readFile, onUnseenCredential }) => {
    const credentials = env.CREDENTIALS_DIRECTORY;
    const isCredential = CREDENTIALS.test(setting);
    if (isCredential && credentials === undefined) {
      if (!onUnseenCredential) return NO_CREDENTIALS;
      onUnseenCredential(setting);
      return { value: null };
    }
    const named = setting.replace(CREDENTIALS, () => credentials ?? '');
    const file = path.resolve(path.dirname(settingsFile), named);
    let found: FoundFile | null;
    try {
      found = await readFile(file);
    } catch (error) {
      const hiding = errorCode(error) === 'EACCES' ? hidingOf(file) : '';
      // No mode would help there.
      return hiding === ''
        ? unreadable(`The file ${file}`, error)
        : `The file ${file} cannot be read (EACCES).${hiding}`;
    }
    if (found === null) return `There is no file ${file}.${hidingOf(file)}`;
    // systemd gives the kiosk's user a credential by an ACL, which looks like a group that may read it.
    if (isPrivate && found.readableBy === 'others' && !isCredential)
      return `The file ${file} is readable by others. Expected mode 0600, or 0640 with the kiosk's own group. ${closing(found, file)}`;
    // Some editors put a byte order mark in front.
    const content = read(found.text.replace(/^\uFEFF/, ''), file);
    return typeof content === 'string' ? content : { value: content };
  });

/** Settings with values in place of the `NamedFile`s. */
export type WithFiles<T> =
  T extends NamedFile<infer Value>
    ? Value
    : T extends Secret | readonly unknown[]
      ? T
      : T extends object
        ? { [Key in keyof T]: WithFiles<T[Key]> }
        : T;

/**
 * Reads every file that the settings name. `problems`: the setting, and one sentence on what is wrong with its file;
 * `secrets`: the settings whose secrets stand in the settings file itself.
 */
export async function withFiles<T>(settings: T, files: NamedFiles) {
  const problems: { path: string; message: string }[] = [];
  const secrets: string[] = [];
  async function read(value: unknown, path: string): Promise<unknown> {
    if (value instanceof NamedFile) {
      const found = await value.read(files);
      if (typeof found !== 'string') return found.value;
      problems.push({ path, message: found });
    }
    // Those of a proxy are a part of its address.
    if (value instanceof Secret) secrets.push(path.replace(/\.credentials$/, ''));
    if (!isPlain(value)) return value;
    const entries: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value))
      entries.push([key, await read(inner, path === '' ? key : `${path}.${key}`)]);
    return Object.fromEntries(entries);
  }
  const loaded = (await read(settings, '')) as WithFiles<T>;
  return problems.length > 0 ? { problems } : { settings: loaded, secrets };
}

/** Neither a list nor of a class, such as `Secret`. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
