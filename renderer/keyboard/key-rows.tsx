import { KEY_ICONS, keyWords } from './key-faces';
import type { Key, KeyboardLanguage, Shift } from './keyboard-layout';

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
