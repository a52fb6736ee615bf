import { useEffect, useState } from 'react';
import { Keyboard } from '../../keyboard/keyboard';
import type { Key } from '../../keyboard/keyboard-layout';
import { useTools } from '../overlay-context';

/** Marks the fields that open the keyboard. */
const TYPED_FIELD = 'data-typed';

/** The field to type into: pressed last and still focused. Null: no keyboard is shown. */
export function useTypedField(): [HTMLInputElement | null, () => void] {
  const [field, setField] = useState<HTMLInputElement | null>(null);
  useEffect(() => {
    const fieldOf = (target: EventTarget | null) =>
      target instanceof HTMLInputElement && target.hasAttribute(TYPED_FIELD) ? target : null;
    // Only a press opens it: somebody who tabs to a field has a real keyboard. It opens at the end of the press,
    // because the page moves up for the keyboard and the finger would be lifted beside the field.
    const onClick = ({ target }: MouseEvent) => setField((now) => fieldOf(target) ?? now);
    // It is hidden at the end of a press, too: the page moves down, and the press would end beside its button.
    let isPressed = false;
    const follow = () => {
      // After the click, and when the next element has the focus.
      setTimeout(() => {
        if (!isPressed) setField((now) => now && fieldOf(document.activeElement));
      });
    };
    const onMouse = ({ type }: MouseEvent) => {
      isPressed = type === 'mousedown';
      follow();
    };
    const listeners = new AbortController();
    const options = { capture: true, signal: listeners.signal };
    addEventListener('mousedown', onMouse, options);
    addEventListener('mouseup', onMouse, options);
    addEventListener('click', onClick, options);
    addEventListener('focusin', follow, options);
    addEventListener('focusout', follow, options);
    return () => listeners.abort();
  }, []);
  return [field, () => setField(null)];
}

/** Types into the focused field as a real keyboard does: at its cursor, up to its `maxLength`, seen by React. */
export function typeKey(key: Key): void {
  if (key.kind === 'text') document.execCommand('insertText', false, key.text);
  else if (key.kind === 'space') document.execCommand('insertText', false, ' ');
  else if (key.kind === 'backspace') document.execCommand('delete');
  else if (key.kind === 'left' || key.kind === 'right') getSelection()?.modify('move', key.kind, 'character');
}

/** A keyboard for touch screens; a real keyboard works as well. */
export function OnScreenKeyboard({ field, onHide }: { field: HTMLInputElement; onHide: () => void }) {
  const { strings } = useTools();
  useEffect(() => {
    // The keyboard takes room from the page: the field has to stay in sight.
    const frame = requestAnimationFrame(() => field.scrollIntoView({ block: 'center' }));
    return () => cancelAnimationFrame(frame);
  }, [field]);

  const press = (key: Key) => {
    if (key.kind !== 'hide' && key.kind !== 'next') return typeKey(key);
    const fields = [...document.querySelectorAll<HTMLInputElement>(`input[${TYPED_FIELD}]`)];
    const next = fields.slice(fields.indexOf(field) + 1).find((one) => one.checkVisibility());
    if (key.kind === 'hide' || next === undefined) onHide();
    else next.focus();
  };

  return <Keyboard className="a-keyboard" use="form" language={strings.language} onPress={press} />;
}
