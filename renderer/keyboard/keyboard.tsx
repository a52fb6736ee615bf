import { useState } from 'react';
import type { OverlayLanguage } from '../../shared/admin';
import { both, pageWords } from '../translations';
import { afterKey, type Key, type KeyboardUse, keyboardFor, keyRows } from './keyboard-layout';

/** Icons of the keys without text: SVG path data in a box of 24 by 24. */
export const KEY_ICONS = {
  backspace: 'M8.5 6H20v12H8.5L3.5 12zM11.5 9.5l5 5M16.5 9.5l-5 5',
  shift: 'M12 4.5 5 12h3.8v6.5h6.4V12H19z',
  left: 'M14.5 6 8.5 12l6 6',
  right: 'M9.5 6l6 6-6 6',
  hide: 'M4 5h16v8.5H4zM7.5 8.2v.1M12 8.2v.1M16.5 8.2v.1M9 17.5l3 3 3-3',
  enter: 'M19 6v7H6M9.5 9.5 6 13l3.5 3.5',
  space: 'M3 13v4h18v-4',
} as const;

/** Names of the keys, shown on them or read by a screen reader. */
const wordsOf = pageWords({
  keyboard: both('On-screen keyboard', 'Bildschirmtastatur'),
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

interface KeyboardProps {
  readonly className: string;
  readonly use: KeyboardUse;
  readonly language: OverlayLanguage;
  readonly onPress: (key: Key) => void;
}

/** A keyboard for touch screens. Pressing a key does not move the focus. */
export function Keyboard({ className, use, language, onPress }: KeyboardProps) {
  const [state, setState] = useState(() => keyboardFor(use));
  const words = wordsOf({ language });
  return (
    <section className={`keyboard ${className}`} aria-label={words.keyboard}>
      {keyRows(language, state, use).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
        <div key={index} className="key-row">
          {row.map((key, place) => {
            const label = key.kind === 'text' ? key.text : words[key.kind === 'layer' ? key.layer : key.kind];
            return (
              <button
                // biome-ignore lint/suspicious/noArrayIndexKey: a key stays in its place while a finger is on it.
                key={place}
                type="button"
                className="key"
                data-key={key.kind}
                data-on={key.kind === 'shift' && state !== 'letters' ? state : undefined}
                tabIndex={-1}
                aria-label={label}
                // The field keeps the focus, and its cursor.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => {
                  setState(afterKey(state, key));
                  onPress(key);
                }}
              >
                <Face kind={key.kind} label={label} />
              </button>
            );
          })}
        </div>
      ))}
    </section>
  );
}

function Face({ kind, label }: { kind: Key['kind']; label: string }) {
  if (kind === 'text' || kind === 'layer' || kind === 'next') return label;
  return <Drawing path={KEY_ICONS[kind]} />;
}

/** An icon from SVG path data in a box of 24 by 24. Hidden from screen readers: words stand beside it or label it. */
export function Drawing({ path }: { path: string }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
