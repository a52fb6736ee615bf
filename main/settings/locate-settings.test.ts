import { describe, expect, it } from 'vitest';
import { asksForLessMotion, asksForWindow, type LocatedSettings, wantedDisplay } from './locate-settings';

const found = (text: string): LocatedSettings => ({
  kind: 'found',
  file: '/etc/endcap/config.json',
  found: { text, readableBy: 'kiosk' },
});

describe('a glance at the settings, before they are checked', () => {
  it('sees that they ask for an ordinary window', () => {
    expect(asksForWindow(found('{ "playback": { "kiosk": false } }'))).toBe(true);
    expect(asksForWindow(found('\uFEFF{ "playback": { "kiosk": false } }'))).toBe(true);
  });

  it.each([
    ['they say nothing of it', '{ "service": {} }'],
    ['they ask for a kiosk', '{ "playback": { "kiosk": true } }'],
    ['they say it wrongly', '{ "playback": { "kiosk": "false" } }'],
    ['they hold something else', '{ "playback": false }'],
    ['they are a list', '[{ "playback": { "kiosk": false } }]'],
    ['they are null', 'null'],
    ['they are no JSON', '{ "playback": { "kiosk": false }'],
    ['they are empty', ''],
  ])('takes it for a kiosk where %s', (_what, text) => {
    expect(asksForWindow(found(text))).toBe(false);
  });

  it('sees that they ask for less motion, and only then', () => {
    expect(asksForLessMotion(found('{ "ui": { "reducedMotion": true } }'))).toBe(true);
    for (const text of ['{ "ui": { "reducedMotion": 1 } }', '{ "ui": {} }', '{}', '[]', 'null', '{'])
      expect(asksForLessMotion(found(text))).toBe(false);
    expect(asksForLessMotion({ kind: 'none' })).toBe(false);
  });

  it('sees which display they want, and none where that is no number or name', () => {
    const wanted = (value: unknown) => wantedDisplay(found(JSON.stringify({ playback: { display: value } })));
    expect([2, 'HDMI-1', null, true, [2], undefined].map(wanted)).toEqual([
      2,
      'HDMI-1',
      null,
      null,
      null,
      null,
    ]);
    expect(wantedDisplay({ kind: 'none' })).toBeNull();
  });

  it('takes it for a kiosk where there are none, or none that can be read', () => {
    expect(asksForWindow({ kind: 'none' })).toBe(false);
    expect(asksForWindow({ kind: 'unreadable', file: '/x', problem: 'EACCES' })).toBe(false);
  });
});
