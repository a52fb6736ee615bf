import { both, pageWords } from '../translations';
import type { Key, KeyboardLanguage, Shift } from './keyboard-layout';

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
const keyWords = pageWords({
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
});

export interface KeyRowsProps {
  readonly rows: ReadonlyArray<readonly Key[]>;
  readonly shift: Shift;
  readonly language: KeyboardLanguage;
  readonly onPress: (key: Key) => void;
}

/** The keys of an on-screen keyboard. Pressing one does not move the focus. */
export function KeyRows({ rows, shift, language, onPress }: KeyRowsProps) {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
    <div key={index} className="key-row">
      {row.map((key) => (
        <button
          key={key.kind === 'text' ? key.text : key.kind}
          type="button"
          className="key"
          data-key={key.kind}
          data-on={key.kind === 'shift' && shift !== 'off' ? shift : undefined}
          tabIndex={-1}
          aria-label={labelOf(key, language)}
          // The field keeps the focus, and its cursor.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPress(key)}
        >
          {faceOf(key, language)}
        </button>
      ))}
    </div>
  ));
}

function labelOf(key: Key, language: KeyboardLanguage): string {
  if (key.kind === 'text') return key.text;
  const words = keyWords({ language });
  return key.kind === 'layer' ? words[key.layer] : words[key.kind];
}

function faceOf(key: Key, language: KeyboardLanguage) {
  switch (key.kind) {
    case 'text':
      return key.text;
    case 'layer':
      return keyWords({ language })[key.layer];
    case 'space':
      return <span className="key-space" />;
    case 'next':
      return keyWords({ language }).next;
    default:
      return (
        <svg className="key-icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d={KEY_ICONS[key.kind]} />
        </svg>
      );
  }
}
