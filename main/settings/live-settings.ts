import { createStore } from 'zustand/vanilla';
import type { Settings } from './settings';

/** Settings that take effect while the kiosk plays: those that are declared `live` in `settings.ts`, by their paths. */
export const liveSettingsOf = ({ ads, playback }: Settings) => ({
  'ads.sourceWeights': ads.sourceWeights,
  'playback.openHours': playback.openHours,
  'playback.restartAt': playback.restartAt,
});
export type LiveSettings = Readonly<ReturnType<typeof liveSettingsOf>>;

/**
 * Takes only the values at `paths` from `next`: the file may have changed since the start, and its other
 * values apply at the next start only.
 */
export const withChanges = (now: LiveSettings, next: LiveSettings, paths: Iterable<string>): LiveSettings => {
  const changed = new Set(paths);
  return { ...now, ...Object.fromEntries(Object.entries(next).filter(([path]) => changed.has(path))) };
};

export type LiveSettingsStore = ReturnType<typeof createLiveSettings>;

export const createLiveSettings = (settings: Settings) => createStore(() => liveSettingsOf(settings));
