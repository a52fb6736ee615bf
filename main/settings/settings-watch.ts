import { findSettings, type SettingsSearch } from './find-settings';
import type { ReadSettingsFile } from './locate-settings';

/** How the settings file stands to the settings in force. */
export type SettingsStanding =
  | { readonly kind: 'in-force' }
  /** It says something else now, which the next start takes. */
  | { readonly kind: 'changed'; readonly message: string }
  /** It could not be used; what was read at the start stays in force. */
  | { readonly kind: 'unusable'; readonly message: string; readonly advice: string };

/**
 * Looks again and again at the file the settings came from. What is in force never
 * changes while the kiosk runs; this says when the file has, and whether a start
 * could use it. The PIN's hash is left out: the overlay changes it while it runs.
 */
export function watchSettings(parts: {
  readonly file: string;
  readonly readFile: ReadSettingsFile;
  readonly env: SettingsSearch['env'];
  readonly platform: NodeJS.Platform;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly everyMs: number;
  /** Told of every change of standing. */
  readonly tell: (standing: SettingsStanding) => void;
}): { stop(): void } {
  const { file, readFile, env, platform, schedule, everyMs, tell } = parts;
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
    tell(await judged(text));
  }

  async function judged(text: string | null): Promise<SettingsStanding> {
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
      message: result.kind === 'fault' ? result.message : `${file} is gone.`,
      advice:
        'Mend the file before the next start. Until then the kiosk goes on with the settings it started with.',
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

/** The same for files that mean the same, whatever their PIN. */
function comparable(text: string): string {
  try {
    const { admin, ...rest } = JSON.parse(text);
    const { pinHash: _changedHere, ...others } = admin ?? {};
    return JSON.stringify({ ...rest, admin: others });
  } catch {
    return text;
  }
}
