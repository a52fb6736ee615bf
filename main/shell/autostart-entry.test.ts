import { describe, expect, it } from 'vitest';
import { autostartEntry, isEntryOn } from './autostart-entry';

describe('the entry of a desktop session', () => {
  it('starts the program with its arguments, and is on', () => {
    const entry = autostartEntry(['/usr/bin/endcap', '--config', '/etc/my kiosk/config.json']);
    expect(entry).toContain('\nExec="/usr/bin/endcap" "--config" "/etc/my kiosk/config.json"\n');
    expect(entry.startsWith('[Desktop Entry]\nType=Application\n')).toBe(true);
    expect(isEntryOn(entry)).toBe(true);
  });

  it.each([
    ['%u', '"%%u"'],
    ['a"b', '"a\\\\"b"'],
    ['$HOME', '"\\\\$HOME"'],
    ['a\\b', '"a\\\\\\\\b"'],
    ['a\nExec=evil', '"a Exec=evil"'],
  ])('escapes an argument such as %j', (argument, written) => {
    expect(autostartEntry([argument])).toContain(`\nExec=${written}\n`);
  });

  it.each([
    ['hidden by a desktop', 'Hidden=true'],
    ['switched off by a desktop', 'X-GNOME-Autostart-enabled=false'],
  ])('is off when %s', (_how, line) => {
    const entry = autostartEntry(['/usr/bin/endcap']).replace('X-GNOME-Autostart-enabled=true', line);
    expect(isEntryOn(entry)).toBe(false);
  });

  it('is off when it names nothing to start', () => {
    expect(isEntryOn('')).toBe(false);
  });
});
