import { errorCode } from '../describe-error';
import type { Schedule } from '../schedule';
import { findSettings, readLocated, type SettingsResult, type SettingsSearch } from './find-settings';
import { parseJson } from './json-syntax';
import { isObject, withValue } from './json-values';
import { type LocatedSettings, locateSettings, type ReadSettingsFile } from './locate-settings';

/** How the settings file differs from the settings in force. */
export type SettingsFileState =
  | { readonly kind: 'in-force' }
  /** It has changed; the next start uses it. */
  | { readonly kind: 'changed'; readonly message: string }
  /** The next start could not use it; the settings read at the start stay in force. */
  | { readonly kind: 'unusable'; readonly message: string; readonly advice: string };

/**
 * Checks the settings file regularly. A change takes effect at the next start only; this reports that the
 * file has changed, and whether a start could use it.
 */
export function watchSettings(parts: {
  readonly file: string;
  /** The overlay changes the PIN's hash in the file while the kiosk runs, so another one there is in force. */
  readonly takesPins: boolean;
  /** Where the next start looks: an operator's file may have come before this one. */
  readonly search: Omit<SettingsSearch, 'openSealed'>;
  readonly schedule: Schedule;
  readonly everyMs: number;
  readonly onChange: (state: SettingsFileState) => void;
}): void {
  const { file, takesPins, search, schedule, everyMs, onChange } = parts;
  /** Of the start, and of the last check; null: it could not be read yet. */
  let first: string | null = null;
  let last: string | null = null;
  let state: SettingsFileState = { kind: 'in-force' };

  async function look(): Promise<void> {
    const located = await locateSettings(search, search.readFile);
    const text = textOf(located);
    const isChanged = text !== last;
    last = text;
    if (first === null) {
      first = text;
      return;
    }
    // The error may be in a file that it names.
    if (!isChanged && state.kind !== 'unusable') return;
    const before = JSON.stringify(state);
    state = await judged(located, first);
    if (isChanged || JSON.stringify(state) !== before) onChange(state);
  }

  async function judged(located: LocatedSettings, before: string): Promise<SettingsFileState> {
    const missing = { kind: 'unreadable', file, problem: 'There is no such file.' } as const;
    const found = located.kind === 'none' ? missing : located;
    const result = await readLocated(found, { ...search, openSealed: null });
    if (result.kind === 'error') {
      return {
        kind: 'unusable',
        message: result.message,
        advice:
          'Correct the file before the next start. Until then the kiosk uses the settings with which it started.',
      };
    }
    if (comparable(textOf(located), takesPins) === comparable(before, takesPins)) return { kind: 'in-force' };
    return {
      kind: 'changed',
      message: `${found.file} was changed. It takes effect when the player is restarted.`,
    };
  }

  const next = () => void schedule(everyMs, () => void look().finally(next));
  void look().finally(next);
}

/**
 * Why a start could not use the settings as they are now, with the files that they name; null: it could. Sealed values
 * count as valid.
 *
 * @param search null: the embedded demo, which needs no file
 */
export async function whyUnusable(search: Omit<SettingsSearch, 'openSealed'> | null): Promise<string | null> {
  if (search === null) return null;
  return whyUnusableAs(await findSettings({ ...search, openSealed: null }));
}

/** Codes of read errors that neither a restart nor time cures; null: our own, such as for a file that is too large. */
const LASTING = new Set([null, 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/**
 * As `whyUnusable`, but also null where files only cannot be read now (EMFILE, EIO, a stale mount): the restart that
 * somebody asks for may cure that.
 */
export async function whyRestartFails(
  search: Omit<SettingsSearch, 'openSealed'> | null,
): Promise<string | null> {
  if (search === null) return null;
  let passing = 0;
  const readFile: ReadSettingsFile = (file) =>
    search.readFile(file).catch((error: unknown) => {
      if (!LASTING.has(errorCode(error))) passing += 1;
      throw error;
    });
  const found = await findSettings({ ...search, readFile, openSealed: null });
  // Each read that fails is one problem.
  if (found.kind === 'error' && found.problems.length === passing) return null;
  return whyUnusableAs(found);
}

function whyUnusableAs(found: SettingsResult): string | null {
  if (found.kind === 'settings') return null;
  return found.kind === 'error' ? found.message : 'There is no settings file any more.';
}

/** How often settings that a start could not use are read again, ms. */
const AGAIN_MS = 60_000;

/**
 * Reads settings that a start could not use again each minute, and calls `onUsable` once when a start could use them: a
 * disk, a named file or a keyring may not be ready yet after a power cut. Missing settings do not count as usable: a file
 * may be missing while it is replaced.
 */
export function whenUsable(search: SettingsSearch, schedule: Schedule, onUsable: () => void): void {
  async function look(): Promise<void> {
    const { kind } = await findSettings(search);
    if (kind === 'settings') onUsable();
    else whenUsable(search, schedule, onUsable);
  }
  schedule(AGAIN_MS, () => void look());
}

const textOf = (located: LocatedSettings) => (located.kind === 'found' ? located.found.text : null);

/** Equal for files with the same settings, whatever their formatting. */
function comparable(text: string | null, ignoresPin: boolean): string | null {
  const json = text === null ? null : parseJson(text);
  if (json?.kind !== 'value' || !isObject(json.value)) return text;
  const compared = ignoresPin ? withValue(json.value, ['admin', 'pinHash'], undefined) : json.value;
  // A section of nothing but the PIN's hash is none.
  return JSON.stringify({ admin: {}, ...compared });
}
