import { describe, expect, it } from 'vitest';
import { firstRead, type LocatedSettings } from './locate-settings';

const found = (text: string): LocatedSettings => ({
  kind: 'found',
  file: '/etc/endcap/config.json',
  found: { text, readableBy: 'kiosk' },
});

const asksForWindow = (located: LocatedSettings) => firstRead(located).wantsWindow;

describe('a first read of the settings, before validation', () => {
  it('detects that the settings ask for an ordinary window', () => {
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
  ])('assumes kiosk mode if %s', (_what, text) => {
    expect(asksForWindow(found(text))).toBe(false);
  });

  it('detects reduced motion only if it is set to true', () => {
    expect(firstRead(found('{ "ui": { "reducedMotion": true } }')).wantsLessMotion).toBe(true);
    for (const text of ['{ "ui": { "reducedMotion": 1 } }', '{ "ui": {} }', '{}', '[]', 'null', '{'])
      expect(firstRead(found(text)).wantsLessMotion).toBe(false);
    expect(firstRead({ kind: 'none' }).wantsLessMotion).toBe(false);
  });

  it('returns the wanted display if it is a number or a name, else null', () => {
    const wanted = (value: unknown) =>
      firstRead(found(JSON.stringify({ playback: { display: value } }))).display;
    expect([2, 'HDMI-1', null, true, [2], undefined].map(wanted)).toEqual([
      2,
      'HDMI-1',
      null,
      null,
      null,
      null,
    ]);
    expect(firstRead({ kind: 'none' }).display).toBeNull();
  });

  it('assumes kiosk mode if there are no settings, or none that can be read', () => {
    expect(asksForWindow({ kind: 'none' })).toBe(false);
    expect(asksForWindow({ kind: 'unreadable', file: '/x', problem: 'EACCES' })).toBe(false);
  });
});
