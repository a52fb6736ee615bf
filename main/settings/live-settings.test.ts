import { expect, test } from 'vitest';
import { createLiveSettings, liveSettingsOf, withChanges } from './live-settings';
import { type Settings, settingsJsonSchema } from './settings';
import { readSettings } from './testing/read-settings';

interface Described {
  readonly remote?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

const declaredLive = ({ properties = {} }: Described, at = ''): string[] =>
  Object.entries(properties).flatMap(([name, inner]) =>
    inner.remote === 'live' ? [at + name] : declaredLive(inner, `${at}${name}.`),
  );

function settingsOf(change: object): Settings {
  const own = { service: { baseUrl: 'https://ads.example.com' }, ads: { authentication: 'none' } };
  const result = readSettings({ ...own, ...change }, '/config.json');
  if (result.kind === 'error') throw new Error(result.message);
  return result.settings;
}

test('the live settings are exactly those that the schema declares as live', () => {
  expect(Object.keys(liveSettingsOf(settingsOf({}))).sort()).toEqual(
    declaredLive(settingsJsonSchema() as Described).sort(),
  );
});

test('only changed settings come into force, and listeners are notified', () => {
  const live = createLiveSettings(settingsOf({}));
  const next = liveSettingsOf(
    settingsOf({ playback: { restartAt: '04:00', openHours: { timeZone: 'UTC', mon: '07:00-20:00' } } }),
  );
  let told = 0;
  live.subscribe(() => {
    told += 1;
  });
  live.setState(withChanges(live.getState(), next, ['playback.restartAt']));
  expect(live.getState()).toEqual({
    'ads.sourceWeights': {},
    'playback.openHours': null,
    'playback.restartAt': 240,
  });
  expect(told).toBe(1);
});
