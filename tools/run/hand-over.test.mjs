import { expect, test } from 'vitest';
import { movePaths } from './hand-over.mjs';

/** @param {string} path */
const place = (path) => `/private/${path}`;

test('the paths that settings name are moved, everything else stays', () => {
  const settings = {
    service: { clientId: 'id', clientSecretFile: 'secret' },
    playback: { houseDir: 'house', volume: 0 },
    ads: { params: { key: 'secret' } },
  };
  expect(JSON.parse(movePaths(JSON.stringify(settings), place))).toEqual({
    ...settings,
    service: { clientId: 'id', clientSecretFile: '/private/secret' },
    playback: { houseDir: '/private/house', volume: 0 },
  });
});

test.each([
  ['paths that are not set', '{"playback":{"houseDir":null}}'],
  ['sections of the wrong kind', '{"playback":7,"service":null}'],
  ['settings that are no object', '[]'],
])('%s are left for the kiosk to judge', (_, text) => {
  expect(JSON.parse(movePaths(text, place))).toEqual(JSON.parse(text));
});

test('what is not JSON is handed on as it is, for the kiosk to name the fault', () => {
  expect(movePaths('{"service": ', place)).toBe('{"service": ');
});
