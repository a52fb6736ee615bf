import type { Settings } from './settings';

/** Settings that take effect while the kiosk plays: those that are declared `live` in `settings.ts`, by their paths. */
export interface LiveSettings {
  readonly 'ads.sourceWeights': Settings['ads']['sourceWeights'];
  readonly 'playback.openHours': Settings['playback']['openHours'];
  readonly 'playback.restartAt': Settings['playback']['restartAt'];
}

export const liveSettingsOf = ({ ads, playback }: Settings): LiveSettings => ({
  'ads.sourceWeights': ads.sourceWeights,
  'playback.openHours': playback.openHours,
  'playback.restartAt': playback.restartAt,
});

/**
 * Takes only the values at `paths` from `next`: the file may have changed since the start, and its other
 * values apply at the next start only.
 */
export const withChanges = (now: LiveSettings, next: LiveSettings, paths: Iterable<string>): LiveSettings => {
  const changed = new Set(paths);
  return Object.fromEntries(
    Object.entries(now).map(([path, value]) => [
      path,
      changed.has(path) ? next[path as keyof LiveSettings] : value,
    ]),
  ) as unknown as LiveSettings;
};

/** The live settings in force. */
export interface LiveSettingsStore {
  now(): LiveSettings;
  replace(next: LiveSettings): void;
  onChange(listener: () => void): void;
}

export function createLiveSettings(settings: Settings): LiveSettingsStore {
  let now = liveSettingsOf(settings);
  const listeners = new Set<() => void>();
  return {
    now: () => now,
    replace(next) {
      now = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
