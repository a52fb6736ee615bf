import { useState } from 'react';
import { type KeyboardField, PageKey } from '../../../shared/link';
import { KeyRows } from '../../keyboard/key-rows';
import { afterKey, type Key, keyboardFor, keyRows } from '../../keyboard/keyboard-layout';
import { stringsFor } from './strings';

export interface LinkKeyboardProps {
  readonly field: KeyboardField;
  readonly language: string;
  readonly onKey: (key: PageKey) => void;
  readonly onHide: () => void;
}

/** The keyboard for a field of the page. It lies between the page and the back button, and covers neither. */
export function LinkKeyboard({ field, language, onKey, onHide }: LinkKeyboardProps) {
  const [state, setState] = useState(() => keyboardFor(field));
  const strings = stringsFor(language);
  const press = (key: Key) => {
    setState(afterKey(state, key));
    const felt = PageKey.safeParse(key);
    if (felt.success) onKey(felt.data);
    else if (key.kind === 'hide') onHide();
  };
  return (
    <section className="link-keyboard" aria-label={strings.keyboard}>
      <KeyRows
        rows={keyRows(strings.language, state, { field, last: 'enter' })}
        shift={state.shift}
        language={strings.language}
        onPress={press}
      />
    </section>
  );
}
