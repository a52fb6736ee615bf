import { useState } from 'react';
import { type KeyboardField, type LinkEvent, PageKey } from '../../../shared/link';
import { KeyRows } from '../../keyboard/key-rows';
import { afterKey, type Key, keyboardFor, keyRows } from '../../keyboard/keyboard-layout';
import { stringsFor } from './strings';

/** The keyboard for a field of the page. It lies between the page and the back button, and covers neither. */
export function LinkKeyboard({
  field,
  language,
  emit,
}: {
  field: KeyboardField;
  language: string;
  emit: (event: LinkEvent) => void;
}) {
  const [state, setState] = useState(() => keyboardFor(field));
  const strings = stringsFor(language);
  const press = (key: Key) => {
    setState(afterKey(state, key));
    const felt = PageKey.safeParse(key);
    if (felt.success) emit({ type: 'key', key: felt.data });
    else if (key.kind === 'hide') emit({ type: 'hideKeyboard' });
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
