import { describe, expect, it } from 'vitest';
import { keyEvent } from './page-keys';

describe('a key of the on-screen keyboard', () => {
  it.each([
    ['a', { key: 'a', text: 'a', code: 'KeyA', windowsVirtualKeyCode: 65 }],
    ['A', { key: 'A', text: 'A', code: 'KeyA', windowsVirtualKeyCode: 65 }],
    ['7', { key: '7', text: '7', code: 'Digit7', windowsVirtualKeyCode: 55 }],
    ['ß', { key: 'ß', text: 'ß' }],
    ['€', { key: '€', text: '€' }],
  ])('types %s, with the key code of a real keyboard if there is one', (text, expected) => {
    expect(keyEvent({ kind: 'text', text })).toEqual({ ...expected, unmodifiedText: text });
  });

  it.each([
    ['backspace', 'Backspace'],
    ['left', 'ArrowLeft'],
    ['right', 'ArrowRight'],
  ] as const)('that types nothing has no text: %s', (kind, key) => {
    expect(keyEvent({ kind })).toMatchObject({ key, code: key });
    expect(keyEvent({ kind })).not.toHaveProperty('text');
  });

  it('has the text that Chromium expects for Enter and space', () => {
    expect(keyEvent({ kind: 'enter' }).text).toBe('\r');
    expect(keyEvent({ kind: 'space' }).text).toBe(' ');
  });
});
