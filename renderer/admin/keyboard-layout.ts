import type { OverlayLanguage } from '../../shared/admin';

export type Layer = 'letters' | 'symbols';
/** `once`: the next letter is a capital. `locked`: all are. */
export type Shift = 'off' | 'once' | 'locked';

export type Key =
  /** Types `text`. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'shift' | 'backspace' | 'left' | 'right' | 'space' | 'hide' | 'next' }
  | { readonly kind: 'layer'; readonly layer: Layer };

export interface KeyboardState {
  readonly layer: Layer;
  readonly shift: Shift;
}

export const KEYBOARD_AT_REST: KeyboardState = { layer: 'letters', shift: 'off' };

const DIGITS = '1234567890';
const LETTERS: Readonly<Record<OverlayLanguage, readonly [string, string, string]>> = {
  en: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  de: ['qwertzuiopü', 'asdfghjklöä', 'yxcvbnmß'],
};
const SYMBOLS: readonly [string, string, string] = ['!"#$%&\'()*', '+,;<=>?@\\^', '[]{}|`~€§'];
/** Characters of addresses and ids are on every layer. */
const ALWAYS = [':', '/', '.', '-', '_'] as const;

/** The rows of keys, top to bottom. */
export function keyRows(
  language: OverlayLanguage,
  { layer, shift }: KeyboardState,
): ReadonlyArray<readonly Key[]> {
  const [upper, middle, lower] = layer === 'letters' ? LETTERS[language] : SYMBOLS;
  const capital = layer === 'letters' && shift !== 'off';
  const keys = (row: string): Key[] =>
    [...row].map((text) => ({ kind: 'text', text: capital ? raised(text) : text }));
  const other: Layer = layer === 'letters' ? 'symbols' : 'letters';
  return [
    keys(DIGITS),
    keys(upper),
    keys(middle),
    [...(layer === 'letters' ? [{ kind: 'shift' } as const] : []), ...keys(lower), { kind: 'backspace' }],
    [
      { kind: 'layer', layer: other },
      ...ALWAYS.slice(0, 2).map((text): Key => ({ kind: 'text', text })),
      { kind: 'space' },
      ...ALWAYS.slice(2).map((text): Key => ({ kind: 'text', text })),
      { kind: 'left' },
      { kind: 'right' },
      { kind: 'next' },
      { kind: 'hide' },
    ],
  ];
}

/** `ß` has a capital of its own: two letters would not be one key. */
function raised(letter: string): string {
  return letter === 'ß' ? 'ẞ' : letter.toUpperCase();
}

/** The keyboard after a key: shift holds for one letter, pressed twice for all. */
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

/** A text, and where its cursor or selection is. */
export interface Typing {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The text after a key, at most `limit` characters. A character of two code units is deleted or passed as one. */
export function typed({ text, start, end }: Typing, key: Key, limit: number): Typing {
  const put = (piece: string): Typing => {
    const next = text.slice(0, start) + piece + text.slice(end);
    if (next.length > limit) return { text, start, end };
    return { text: next, start: start + piece.length, end: start + piece.length };
  };
  switch (key.kind) {
    case 'text':
      return put(key.text);
    case 'space':
      return put(' ');
    case 'backspace': {
      const from = start === end ? before(text, start) : start;
      return { text: text.slice(0, from) + text.slice(end), start: from, end: from };
    }
    case 'left': {
      const to = start === end ? before(text, start) : start;
      return { text, start: to, end: to };
    }
    case 'right': {
      const to = start === end ? after(text, end) : end;
      return { text, start: to, end: to };
    }
    default:
      return { text, start, end };
  }
}

const before = (text: string, at: number) => at - ([...text.slice(0, at)].at(-1)?.length ?? 0);
const after = (text: string, at: number) => at + ([...text.slice(at)][0]?.length ?? 0);
