import { both, pageWords } from '../translations';

/** Icons of the keys without text: SVG path data in a box of 24 by 24. */
export const KEY_ICONS = {
  backspace: 'M8.5 6H20v12H8.5L3.5 12zM11.5 9.5l5 5M16.5 9.5l-5 5',
  shift: 'M12 4.5 5 12h3.8v6.5h6.4V12H19z',
  left: 'M14.5 6 8.5 12l6 6',
  right: 'M9.5 6l6 6-6 6',
  hide: 'M4 5h16v8.5H4zM7.5 8.2v.1M12 8.2v.1M16.5 8.2v.1M9 17.5l3 3 3-3',
  enter: 'M19 6v7H6M9.5 9.5 6 13l3.5 3.5',
} as const;

/** Names of the keys, shown on them or read by a screen reader. */
export const keyWords = pageWords({
  shift: both('Shift', 'Umschalten'),
  backspace: both('Delete', 'Löschen'),
  left: both('Cursor left', 'Zeichen nach links'),
  right: both('Cursor right', 'Zeichen nach rechts'),
  hide: both('Hide keyboard', 'Tastatur ausblenden'),
  next: both('Next', 'Weiter'),
  enter: both('Enter', 'Eingabe'),
  space: both('Space', 'Leerzeichen'),
  letters: both('ABC', 'ABC'),
  symbols: both('?123', '?123'),
  digits: both('123', '123'),
});
