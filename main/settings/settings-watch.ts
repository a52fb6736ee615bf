import type { Schedule } from '../schedule';
import { findSettings, type SettingsSearch } from './find-settings';
import type { ReadSettingsFile } from './locate-settings';

/** How the settings file differs from the settings in force. */
export type SettingsFileState =
  | { readonly kind: 'in-force' }
  /** It has changed; the next start uses it. */
  | { readonly kind: 'changed'; readonly message: string }
  /** The next start could not use it; the settings read at the start stay in force. */
  | { readonly kind: 'unusable'; readonly message: string; readonly advice: string };

/**
 * Checks the settings file regularly. A change takes effect at the next start only; this reports that the
 * file has changed, and whether a start could use it. It ignores the PIN's hash, which the overlay changes
 * while the kiosk runs.
 */
export function watchSettings(parts: {
  readonly file: string;
  readonly readFile: ReadSettingsFile;
  readonly env: SettingsSearch['env'];
  readonly platform: NodeJS.Platform;
  readonly schedule: Schedule;
  readonly everyMs: number;
  /** Called whenever the standing changes. */
  readonly onChange: (standing: SettingsFileState) => void;
}): { stop(): void } {
  const { file, readFile, env, platform, schedule, everyMs, onChange } = parts;
  let first: string | null = null;
  let last: string | null = null;
  let stopped = false;
  let cancel = () => {};

  async function look(): Promise<void> {
    const found = await readFile(file).catch(() => null);
    const text = found?.text ?? null;
    if (first === null) {
      first = text;
      last = text;
      return;
    }
    if (text === last) return;
    last = text;
    onChange(await judged(text));
  }

  async function judged(text: string | null): Promise<SettingsFileState> {
    if (text === first || (text !== null && first !== null && comparable(text) === comparable(first))) {
      return { kind: 'in-force' };
    }
    const result = await findSettings({
      configPath: file,
      env,
      platform,
      dataDir: '',
      readFile,
      openSealed: null,
    });
    if (result.kind === 'settings') {
      return {
        kind: 'changed',
        message: `${file} was changed. It takes effect when the player is restarted.`,
      };
    }
    return {
      kind: 'unusable',
      message: result.kind === 'error' ? result.message : `${file} is gone.`,
      advice:
        'Correct the file before the next start. Until then the kiosk uses the settings with which it started.',
    };
  }

  function next(): void {
    if (stopped) return;
    cancel = schedule(everyMs, () => void look().finally(next));
  }
  void look().finally(next);
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Equal for files with the same settings, whatever their formatting and PIN hash. */
function comparable(text: string): string {
  try {
    const { admin, ...rest } = JSON.parse(text);
    const { pinHash: _changedHere, ...others } = admin ?? {};
    return JSON.stringify({ ...rest, admin: others });
  } catch {
    return text;
  }
}
