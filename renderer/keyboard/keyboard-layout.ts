import type { KeyboardField } from '../../shared/link';

export type KeyboardLanguage = 'en' | 'de';
export type Layer = 'letters' | 'symbols' | 'digits';
/** `once`: the next letter is a capital. `locked`: all are. */
export type Shift = 'off' | 'once' | 'locked';

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'shift' | 'backspace' | 'left' | 'right' | 'space' | 'hide' | 'next' | 'enter' }
  | { readonly kind: 'layer'; readonly layer: Exclude<Layer, 'digits'> };

export interface KeyboardState {
  readonly layer: Layer;
  readonly shift: Shift;
}

export const KEYBOARD_AT_REST: KeyboardState = { layer: 'letters', shift: 'off' };

/** How the keyboard opens for a field. */
export const keyboardFor = (field: KeyboardField): KeyboardState =>
  field === 'number' ? { layer: 'digits', shift: 'off' } : KEYBOARD_AT_REST;

const DIGITS = '1234567890';
const LETTERS: Readonly<Record<KeyboardLanguage, readonly [string, string, string]>> = {
  en: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  de: ['qwertzuiopü', 'asdfghjklöä', 'yxcvbnmß'],
};
const SYMBOLS: readonly [string, string, string] = ['!"#$%&\'()*', '+,;<=>?@\\^', '[]{}|`~€§'];
/** Left and right of the space key on every layer: characters of addresses and ids; for e-mail, of those addresses. */
const BESIDE_SPACE = { any: [':/', '.-_'], email: ['@-_', '.'] } as const;

/** Kind of the field that gets the text, and whether the last key goes to the next field or is Enter. */
export interface KeyboardUse {
  readonly field: KeyboardField;
  readonly last: 'next' | 'enter';
}

export const IN_A_FORM: KeyboardUse = { field: 'text', last: 'next' };

/** The rows of keys, top to bottom. */
export function keyRows(
  language: KeyboardLanguage,
  { layer, shift }: KeyboardState,
  { field, last }: KeyboardUse = IN_A_FORM,
): ReadonlyArray<readonly Key[]> {
  const capital = layer === 'letters' && shift !== 'off';
  const keys = (row: string): Key[] =>
    [...row].map((text) => ({ kind: 'text', text: capital ? raised(text) : text }));
  if (layer === 'digits')
    return [
      keys('123'),
      keys('456'),
      keys('789'),
      keys(',0.'),
      [
        { kind: 'layer', layer: 'letters' },
        ...keys('-'),
        { kind: 'left' },
        { kind: 'right' },
        { kind: 'backspace' },
        { kind: last },
        { kind: 'hide' },
      ],
    ];
  const [upper, middle, lower] = layer === 'letters' ? LETTERS[language] : SYMBOLS;
  const [left, right] = BESIDE_SPACE[field === 'email' && layer === 'letters' ? 'email' : 'any'];
  const other = layer === 'letters' ? 'symbols' : 'letters';
  return [
    keys(DIGITS),
    keys(upper),
    keys(middle),
    [...(layer === 'letters' ? [{ kind: 'shift' } as const] : []), ...keys(lower), { kind: 'backspace' }],
    [
      { kind: 'layer', layer: other },
      ...keys(left),
      { kind: 'space' },
      ...keys(right),
      { kind: 'left' },
      { kind: 'right' },
      { kind: last },
      { kind: 'hide' },
    ],
  ];
}

/** `toUpperCase` makes two letters of `ß`, but a key types one: so uses the capital `ẞ`. */
function raised(letter: string): string {
  return letter === 'ß' ? 'ẞ' : letter.toUpperCase();
}

/** The state after a key. Shift is valid for one letter; pressed twice, it locks. */
export function afterKey(state: KeyboardState, key: Key): KeyboardState {
  switch (key.kind) {
    case 'shift':
      return { ...state, shift: state.shift === 'off' ? 'once' : state.shift === 'once' ? 'locked' : 'off' };
    case 'layer':
      return { layer: key.layer, shift: 'off' };
    case 'text':
      return state.shift === 'once' ? { ...state, shift: 'off' } : state;
    default:
      return state;
  }
}
