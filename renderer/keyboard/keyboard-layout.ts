import type { OverlayLanguage } from '../../shared/admin';
import type { KeyboardField } from '../../shared/link';

const KINDS = ['shift', 'backspace', 'left', 'right', 'space', 'hide', 'next', 'enter'] as const;

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: (typeof KINDS)[number] }
  | { readonly kind: 'layer'; readonly layer: 'letters' | 'symbols' };

/** The layer of keys; of the letters, `once`: the next one is a capital, `locked`: all are. */
export type KeyboardState = 'letters' | 'once' | 'locked' | 'symbols' | 'digits';

/** How the keyboard opens for a field. */
export const keyboardFor = (use: KeyboardUse): KeyboardState => (use === 'number' ? 'digits' : 'letters');

/** The upper rows of each layer: a key's text, its kind, or the layer that it opens. */
const LETTERS: Readonly<Record<OverlayLanguage, readonly string[]>> = {
  en: ['q w e r t y u i o p', 'a s d f g h j k l', 'shift z x c v b n m backspace'],
  de: ['q w e r t z u i o p ü', 'a s d f g h j k l ö ä', 'shift y x c v b n m ß backspace'],
};
const SYMBOLS = ['! " # $ % & \' ( ) *', '+ , ; < = > ? @ \\ ^', '[ ] { } | ` ~ € § backspace'];
const DIGITS = ['1 2 3', '4 5 6', '7 8 9'];
/** Left and right of the space key on every layer: characters of addresses and ids; for e-mail, of those addresses. */
const BESIDE_SPACE = { any: [': /', '. - _'], email: ['@ - _', '.'] } as const;

/** Kind of the field that gets the text; `form`: a text field of a form, whose last key goes to the next field. */
export type KeyboardUse = KeyboardField | 'pin' | 'form';

/** The rows of keys, top to bottom. */
export function keyRows(
  language: OverlayLanguage,
  state: KeyboardState,
  use: KeyboardUse = 'form',
): ReadonlyArray<readonly Key[]> {
  const hasLetters = state !== 'symbols' && state !== 'digits';
  const [left, right] = BESIDE_SPACE[use === 'email' && hasLetters ? 'email' : 'any'];
  const last = use === 'form' ? 'next' : 'enter';
  if (use === 'pin') return keysOf([...DIGITS, `backspace 0 ${last}`]);
  const rows =
    state === 'digits'
      ? [...DIGITS, ', 0 .', `letters - left right backspace ${last} hide`]
      : [
          '1 2 3 4 5 6 7 8 9 0',
          ...(hasLetters ? LETTERS[language] : SYMBOLS),
          `${hasLetters ? 'symbols' : 'letters'} ${left} space ${right} left right ${last} hide`,
        ];
  return keysOf(rows, state === 'once' || state === 'locked');
}

const keysOf = (rows: readonly string[], isCapital = false) =>
  rows.map((row) => row.split(' ').map((name) => keyOf(name, isCapital)));

function keyOf(name: string, isCapital: boolean): Key {
  if (name === 'letters' || name === 'symbols') return { kind: 'layer', layer: name };
  const kind = KINDS.find((known) => known === name);
  return kind ? { kind } : { kind: 'text', text: isCapital ? raised(name) : name };
}

/** `toUpperCase` makes two letters of `ß`, but a key types one: so uses the capital `ẞ`. */
function raised(letter: string): string {
  return letter === 'ß' ? 'ẞ' : letter.toUpperCase();
}

/** The state after a key. Shift is valid for one letter; pressed twice, it locks. */
export function afterKey(state: KeyboardState, key: Key): KeyboardState {
  switch (key.kind) {
    case 'shift':
      return state === 'letters' ? 'once' : state === 'once' ? 'locked' : 'letters';
    case 'layer':
      return key.layer;
    case 'text':
      return state === 'once' ? 'letters' : state;
    default:
      return state;
  }
}
