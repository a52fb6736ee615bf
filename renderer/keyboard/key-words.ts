import type { KeyboardLanguage } from './keyboard-layout';

const EN = {
  shift: 'Shift',
  backspace: 'Delete',
  left: 'Cursor left',
  right: 'Cursor right',
  hide: 'Hide keyboard',
  next: 'Next',
  enter: 'Enter',
  space: 'Space',
  letters: 'ABC',
  symbols: '?123',
  digits: '123',
};

const DE: typeof EN = {
  ...EN,
  shift: 'Umschalten',
  backspace: 'Löschen',
  left: 'Zeichen nach links',
  right: 'Zeichen nach rechts',
  hide: 'Tastatur ausblenden',
  next: 'Weiter',
  enter: 'Eingabe',
  space: 'Leerzeichen',
};

/** What keys are called, on them or to a screen reader. */
export const KEY_WORDS: Readonly<Record<KeyboardLanguage, typeof EN>> = { en: EN, de: DE };
