import { describe, expect, it } from 'vitest';
import { KeyboardField, PageKey } from '../../shared/link';
import { afterKey, type Key, type KeyboardState, keyboardFor, keyRows } from './keyboard-layout';

const texts = (state: KeyboardState, language: 'en' | 'de' = 'en') =>
  keyRows(language, state)
    .flat()
    .flatMap((key) => (key.kind === 'text' ? [key.text] : []));
const ALL_STATES: readonly KeyboardState[] = ['letters', 'once', 'locked', 'symbols', 'digits'];
const press = (text: string): Key => ({ kind: 'text', text });

describe('the on-screen keyboard', () => {
  it.each(['en', 'de'] as const)('can type every printable ASCII character: %s', (language) => {
    const reachable = new Set(ALL_STATES.flatMap((state) => texts(state, language)));
    const missing = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
      (character) => !reachable.has(character),
    );
    expect(missing).toEqual([]);
  });

  it.each(['en', 'de'] as const)('has every key once: %s', (language) => {
    for (const state of ALL_STATES) {
      const shown = texts(state, language);
      expect(new Set(shown).size).toBe(shown.length);
    }
  });

  it('has the letter layout of the language', () => {
    expect(texts('letters', 'de').slice(10, 16).join('')).toBe('qwertz');
    expect(texts('letters', 'de')).toEqual(expect.arrayContaining(['ä', 'ö', 'ü', 'ß']));
    expect(texts('letters').slice(10, 16).join('')).toBe('qwerty');
  });

  it('has at most twelve keys in a row', () => {
    for (const state of ALL_STATES)
      for (const language of ['en', 'de'] as const)
        for (const row of keyRows(language, state)) expect(row.length).toBeLessThanOrEqual(12);
  });

  it.each(['en', 'de'] as const)('has the right keys for each kind of field: %s', (language) => {
    const shown = (field: KeyboardField) => {
      const keys = keyRows(language, keyboardFor(field), field).flat();
      return keys.map((key) => (key.kind === 'text' ? key.text : key.kind));
    };
    expect(shown('number').filter((key) => /^\d$/.test(key))).toHaveLength(10);
    expect(shown('number')).toContain('layer');
    expect(shown('email')).toEqual(expect.arrayContaining(['@', '.', '-', '_']));
    for (const field of KeyboardField.options) {
      expect(new Set(shown(field)).size).toBe(shown(field).length);
      expect(shown(field)).toEqual(expect.arrayContaining(['enter', 'hide', 'backspace']));
      expect(shown(field)).not.toContain('next');
    }
  });

  it('has nothing but digits, delete and enter for a PIN', () => {
    const keys = keyRows('en', keyboardFor('pin'), 'pin').flat();
    const names = keys.map((key) => (key.kind === 'text' ? key.text : key.kind));
    expect(names).toEqual([...'123456789', 'backspace', '0', 'enter']);
  });

  it('types only single characters that are allowed for a page', () => {
    for (const state of ALL_STATES)
      for (const language of ['en', 'de'] as const)
        for (const text of texts(state, language)) expect(PageKey.parse(press(text))).toEqual(press(text));
    for (const text of ['', 'ab', '\n', '\u0000']) expect(PageKey.safeParse(press(text)).success).toBe(false);
  });

  it('raises one letter after shift, all after shift twice', () => {
    const once = afterKey('letters', { kind: 'shift' });
    expect(texts(once)).toContain('Q');
    expect(afterKey(once, press('Q'))).toEqual('letters');
    const locked = afterKey(once, { kind: 'shift' });
    expect(afterKey(locked, press('Q'))).toEqual(locked);
    expect(afterKey(locked, { kind: 'shift' })).toEqual('letters');
  });

  it('ends capitals when it leaves the letters', () => {
    expect(afterKey('locked', { kind: 'layer', layer: 'symbols' })).toBe('symbols');
  });
});
