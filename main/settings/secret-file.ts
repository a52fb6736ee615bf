import path from 'node:path';
import { reasonOf } from '../describe-error';
import type { FoundFile, ReadSettingsFile } from './locate-settings';
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

const CREDENTIALS = /^\$(CREDENTIALS_DIRECTORY|\{CREDENTIALS_DIRECTORY\})(?=[\\/])/;

/** Whether the path is that of a systemd credential, and this process has none. */
export const isUnseenCredential = (setting: string, { env }: NamedFiles) =>
  env.CREDENTIALS_DIRECTORY === undefined && CREDENTIALS.test(setting);

/** A file's path; a leading `$CREDENTIALS_DIRECTORY` stands for systemd's credentials. */
function namedPath(setting: string, { settingsFile, env }: NamedFiles): string {
  const named = setting.replace(CREDENTIALS, () => env.CREDENTIALS_DIRECTORY ?? '$CREDENTIALS_DIRECTORY');
  return path.resolve(path.dirname(settingsFile), named);
}

/** Reads a named file; a string is an error message (one sentence). */
export async function readNamedFile(
  setting: string,
  files: NamedFiles,
): Promise<{ readonly file: string; readonly found: FoundFile } | string> {
  const file = namedPath(setting, files);
  try {
    const found = await files.readFile(file);
    return found === null ? `There is no file ${file}.` : { file, found };
  } catch (error) {
    return `The file ${file} cannot be read (${reasonOf(error)}).`;
  }
}

/** The same for a file that nobody else may read (rule 23). */
export async function readPrivateFile(setting: string, files: NamedFiles): ReturnType<typeof readNamedFile> {
  const read = await readNamedFile(setting, files);
  if (typeof read === 'string' || read.found.readableBy === 'kiosk') return read;
  const { file } = read;
  return `The file ${file} is readable by others. Expected mode 0600, or 0640 with the kiosk's own group. Run: chmod 600 '${file}'`;
}

/**
 * Reads the secret in a file with one line that nobody else may read (rule 23); a string is an error message.
 *
 * @param expected what the file should contain, for that message
 */
export async function readSecretFile(
  setting: string,
  files: NamedFiles,
  expected: string,
): Promise<Secret | string> {
  const read = await readPrivateFile(setting, files);
  if (typeof read === 'string') return read;
  const { file, found } = read;
  const secret = found.text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  if (secret === '') return `The file ${file} is empty; expected ${expected}.`;
  if (secret.length > 4096 || /[\r\n]/.test(secret)) {
    return `The file ${file} holds several lines or more than 4096 characters; expected ${expected} on one line.`;
  }
  return new Secret(secret);
}
