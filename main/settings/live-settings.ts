import type { Settings } from './settings';

/** Settings that take effect while the kiosk plays: those that are declared `live` in `settings.ts`, by their paths. */
export interface LiveSettings {
  readonly 'ads.sourceWeights': Settings['ads']['sourceWeights'];
  readonly 'playback.openHours': Settings['playback']['openHours'];
  readonly 'playback.restartAt': Settings['playback']['restartAt'];
}

export const liveOf = ({ ads, playback }: Settings): LiveSettings => ({
  'ads.sourceWeights': ads.sourceWeights,
  'playback.openHours': playback.openHours,
  'playback.restartAt': playback.restartAt,
});

/** Values of other settings alone do not come into force: a file may have been changed since the start. */
export const withChanges = (now: LiveSettings, next: LiveSettings, paths: Iterable<string>): LiveSettings => {
  const changed = new Set(paths);
  return Object.fromEntries(
    Object.entries(now).map(([path, value]) => [
      path,
      changed.has(path) ? next[path as keyof LiveSettings] : value,
    ]),
  ) as unknown as LiveSettings;
};

/** What is in force of them. */
export interface LiveInForce {
  now(): LiveSettings;
  replace(next: LiveSettings): void;
  /** Called at every change. */
  onChange(listener: () => void): void;
}

export function createLiveSettings(settings: Settings): LiveInForce {
  let now = liveOf(settings);
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
