import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyboardField, PageKey } from '../../shared/link';
import {
  afterKey,
  KEYBOARD_AT_REST,
  type Key,
  type KeyboardState,
  keyboardFor,
  keyRows,
  type Typing,
  textAfterKey,
} from './keyboard-layout';

const texts = (state: KeyboardState, language: 'en' | 'de' = 'en') =>
  keyRows(language, state)
    .flat()
    .flatMap((key) => (key.kind === 'text' ? [key.text] : []));
const ALL_STATES: readonly KeyboardState[] = [
  { layer: 'letters', shift: 'off' },
  { layer: 'letters', shift: 'locked' },
  { layer: 'symbols', shift: 'off' },
  { layer: 'digits', shift: 'off' },
];
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
    expect(texts(KEYBOARD_AT_REST, 'de').slice(10, 16).join('')).toBe('qwertz');
    expect(texts(KEYBOARD_AT_REST, 'de')).toEqual(expect.arrayContaining(['ä', 'ö', 'ü', 'ß']));
    expect(texts(KEYBOARD_AT_REST).slice(10, 16).join('')).toBe('qwerty');
  });

  it('has at most twelve keys in a row', () => {
    for (const state of ALL_STATES)
      for (const language of ['en', 'de'] as const)
        for (const row of keyRows(language, state)) expect(row.length).toBeLessThanOrEqual(12);
  });

  it.each(['en', 'de'] as const)('has the right keys for each kind of field: %s', (language) => {
    const shown = (field: KeyboardField) => {
      const keys = keyRows(language, keyboardFor(field), { field, last: 'enter' }).flat();
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

  it('types only single characters that are allowed for a page', () => {
    for (const state of ALL_STATES)
      for (const language of ['en', 'de'] as const)
        for (const text of texts(state, language)) expect(PageKey.parse(press(text))).toEqual(press(text));
    for (const text of ['', 'ab', '\n', '\u0000']) expect(PageKey.safeParse(press(text)).success).toBe(false);
  });

  it('raises one letter after shift, all after shift twice', () => {
    const once = afterKey(KEYBOARD_AT_REST, { kind: 'shift' });
    expect(texts(once)).toContain('Q');
    expect(afterKey(once, press('Q'))).toEqual(KEYBOARD_AT_REST);
    const locked = afterKey(once, { kind: 'shift' });
    expect(afterKey(locked, press('Q'))).toEqual(locked);
    expect(afterKey(locked, { kind: 'shift' })).toEqual(KEYBOARD_AT_REST);
  });

  it('ends capitals when it leaves the letters', () => {
    const locked: KeyboardState = { layer: 'letters', shift: 'locked' };
    expect(afterKey(locked, { kind: 'layer', layer: 'symbols' })).toEqual({ layer: 'symbols', shift: 'off' });
  });
});

describe('typing', () => {
  it.each<[string, Typing, Key, Typing]>([
    ['puts a letter at the cursor', at('ac', 1), press('b'), at('abc', 2)],
    ['replaces what is selected', { text: 'axxc', start: 1, end: 3 }, press('b'), at('abc', 2)],
    ['deletes before the cursor', at('abc', 2), { kind: 'backspace' }, at('ac', 1)],
    ['deletes what is selected', { text: 'axxc', start: 1, end: 3 }, { kind: 'backspace' }, at('ac', 1)],
    ['deletes whole characters', at('a😀', 3), { kind: 'backspace' }, at('a', 1)],
    ['deletes nothing at the beginning', at('abc', 0), { kind: 'backspace' }, at('abc', 0)],
    ['goes left past whole characters', at('😀b', 2), { kind: 'left' }, at('😀b', 0)],
    ['goes right', at('abc', 0), { kind: 'right' }, at('abc', 1)],
    ['stays at the end', at('abc', 3), { kind: 'right' }, at('abc', 3)],
    ['types a space', at('ab', 1), { kind: 'space' }, at('a b', 2)],
    ['is not touched by hide', at('abc', 1), { kind: 'hide' }, at('abc', 1)],
  ])('%s', (_, typing, key, expected) => {
    expect(textAfterKey(typing, key, 100)).toEqual(expected);
  });

  it('stops at the limit', () => {
    expect(textAfterKey(at('abc', 3), press('d'), 3)).toEqual(at('abc', 3));
  });

  it('deletes typed text at any position', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(),
        fc.constantFrom('a', 'Z', '/', 'ß'),
        (text, where, letter) => {
          const characters = [...text];
          const start = characters.slice(0, where % (characters.length + 1)).join('').length;
          const there = textAfterKey(at(text, start), press(letter), Number.POSITIVE_INFINITY);
          expect(textAfterKey(there, { kind: 'backspace' }, Number.POSITIVE_INFINITY)).toEqual(
            at(text, start),
          );
        },
      ),
    );
  });
});

function at(text: string, cursor: number): Typing {
  return { text, start: cursor, end: cursor };
}
