import path from 'node:path';
import { reasonOf } from '../describe-error';
import { jsonOf } from '../whole-file';
import { valueAt } from './json-values';

/** The text of a file, and whether anyone besides the kiosk may read it. */
export interface FoundFile {
  readonly text: string;
  readonly readableBy: 'kiosk' | 'others';
  /** The commands after which only the kiosk may read it; left out: it is the owner, and `chmod 600` is enough. */
  readonly toClose?: string;
}

/** Resolves to null where there is no such file; rejects where there is one that cannot be read. */
export type ReadSettingsFile = (file: string) => Promise<FoundFile | null>;

/** What to do about a file that others can read, as the end of a message. */
export const closing = ({ toClose }: FoundFile, file: string): string =>
  `Run: ${toClose ?? `chmod 600 '${file}'`}`;

/** Why a file cannot be read, in sentences that begin with `file`. */
export function unreadable(file: string, error: unknown): string {
  const reason = reasonOf(error);
  const advice =
    " The kiosk's user has to be allowed to read it: mode 0640 with the kiosk's own group, in a folder that this user may enter.";
  return `${file} cannot be read (${reason}).${reason === 'EACCES' ? advice : ''}`;
}

/** Where settings are looked for. */
export interface SettingsPlaces {
  /** The value of `--config`, empty where it has none; null without it. */
  readonly configPath: string | null;
  /** What named `configPath`, for the error of a missing file; absent: `--config`. */
  readonly configNamedBy?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The data folder. */
  readonly dataDir: string;
}

/** The file of the set-up screen's answers. */
export const ownSettingsFile = (dataDir: string): string => path.join(dataDir, 'settings.json');

/** `playback.display`: a number from 1 in the order of places, a name, or null: the primary display. */
export type DisplayChoice = number | string | null;

/** A settings file that is not parsed or checked yet. */
export type LocatedSettings =
  | { readonly kind: 'found'; readonly file: string; readonly found: FoundFile }
  | { readonly kind: 'none' }
  /** The file exists or was named, but cannot be read; `problem` says why in a sentence. */
  | { readonly kind: 'unreadable'; readonly file: string; readonly problem: string };

/**
 * Finds the settings file. The first of these decides: `--config`, `ENDCAP_CONFIG`, the machine's own file,
 * the data folder's `settings.json`. A file that was named but does not exist is an error: the search does
 * not go on.
 */
export async function locateSettings(
  places: SettingsPlaces,
  readFile: ReadSettingsFile,
): Promise<LocatedSettings> {
  // Other settings in its place would be a surprise: those of the machine, or a demo.
  if (places.configPath === '')
    return { kind: 'unreadable', file: '--config', problem: 'Expected a file after --config, got nothing.' };
  const named = places.configPath ?? (places.env.ENDCAP_CONFIG || null);
  const candidates =
    named === null ? [machineFile(places), ownSettingsFile(places.dataDir)] : [path.resolve(named)];
  for (const file of candidates) {
    const located = await locateFile(file, readFile);
    if (located.kind !== 'none') return located;
  }
  if (named === null) return { kind: 'none' };
  const source = places.configPath === null ? 'ENDCAP_CONFIG' : (places.configNamedBy ?? '--config');
  const problem = `There is no such file (named by ${source}).`;
  return { kind: 'unreadable', file: path.resolve(named), problem };
}

async function locateFile(file: string, readFile: ReadSettingsFile): Promise<LocatedSettings> {
  try {
    const found = await readFile(file);
    return found === null ? { kind: 'none' } : { kind: 'found', file, found };
  } catch (error) {
    return { kind: 'unreadable', file, problem: unreadable('The file', error) };
  }
}

/**
 * What is needed of the settings before they are checked: the windows are made meanwhile. A value that is not valid
 * counts as left out. If the text is not JSON, the check says so later, with a parser that is not loaded before the
 * windows open.
 */
export function firstRead(located: LocatedSettings) {
  // Some editors put a byte order mark in front.
  const json = located.kind === 'found' ? jsonOf(located.found.text.replace(/^\uFEFF/, '')) : null;
  const display = valueAt(json, ['playback', 'display']);
  const rotation = valueAt(json, ['playback', 'rotation']);
  return {
    wantsWindow: valueAt(json, ['playback', 'kiosk']) === false,
    wantsLessMotion: valueAt(json, ['ui', 'reducedMotion']) === true,
    display: typeof display === 'number' || typeof display === 'string' ? display : null,
    /** For a message about why the kiosk cannot start. */
    rotation: ([90, 180, 270] as const).find((valid) => valid === rotation) ?? (0 as const),
  };
}

function machineFile({ platform, env }: SettingsPlaces): string {
  if (platform !== 'win32') return '/etc/endcap/config.json';
  return path.win32.join(env.ProgramData ?? env.PROGRAMDATA ?? 'C:\\ProgramData', 'Endcap', 'config.json');
}
