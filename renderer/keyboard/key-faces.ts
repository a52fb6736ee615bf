import type { KeyboardLanguage } from './keyboard-layout';

/** Icons of the keys without text: SVG path data in a box of 24 by 24. */
export const KEY_ICONS = {
  backspace: 'M8.5 6H20v12H8.5L3.5 12zM11.5 9.5l5 5M16.5 9.5l-5 5',
  shift: 'M12 4.5 5 12h3.8v6.5h6.4V12H19z',
  left: 'M14.5 6 8.5 12l6 6',
  right: 'M9.5 6l6 6-6 6',
  hide: 'M4 5h16v8.5H4zM7.5 8.2v.1M12 8.2v.1M16.5 8.2v.1M9 17.5l3 3 3-3',
  enter: 'M19 6v7H6M9.5 9.5 6 13l3.5 3.5',
} as const;

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

/** Names of the keys, shown on them or read by a screen reader. */
export const KEY_WORDS: Readonly<Record<KeyboardLanguage, typeof EN>> = { en: EN, de: DE };
