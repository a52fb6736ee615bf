import { useEffectEvent, useLayoutEffect, useRef } from 'react';
import { MAX_PIN_DIGITS } from '../../shared/admin';
import { Keyboard } from '../keyboard/keyboard';
import { FOR_A_PIN, type Key } from '../keyboard/keyboard-layout';
import { useFocusOnEntry, useTools } from './overlay-context';
import { typeKey } from './parts/on-screen-keyboard';
import { Alert } from './parts/pieces';
import { Input } from './parts/text-field';

/** Takes a PIN by touch or keyboard. Its digits are cleared, and keys count again, when `onPin` has resolved. */
export function PinPad({
  title,
  about,
  problem,
  disabled = false,
  onPin,
  onEscape,
}: {
  title: string;
  about?: string;
  problem: string | null;
  disabled?: boolean;
  onPin: (pin: string) => Promise<void>;
  onEscape?: () => void;
}) {
  const { strings } = useTools();
  const isJudged = useRef(false);
  const field = useFocusOnEntry<HTMLInputElement>();

  const enter = async () => {
    const input = field.current;
    if (input === null || input.value === '' || disabled || isJudged.current) return;
    isJudged.current = true;
    await onPin(input.value);
    isJudged.current = false;
    input.value = '';
  };
  const press = (key: Key) => {
    field.current?.focus();
    if (key.kind === 'enter') void enter();
    else typeKey(key);
  };
  const onKey = useEffectEvent(({ key, target, ctrlKey, altKey, metaKey }: KeyboardEvent) => {
    if (ctrlKey || altKey || metaKey) return;
    if (key === 'Escape') onEscape?.();
    // On a button, Enter presses it.
    else if (key === 'Enter' && !(target instanceof HTMLButtonElement)) void enter();
    // A digit is typed into the field, whatever had the focus.
    else if (/^\d$|^Backspace$|^Delete$/.test(key)) field.current?.focus();
  });
  // A layout effect: keys must work from the first frame on.
  useLayoutEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <fieldset className="a-pin a-column" aria-label={title} disabled={disabled}>
      <h1 className="a-title">{title}</h1>
      <Input
        ref={field}
        type="password"
        inputMode="numeric"
        aria-label={title}
        maxLength={MAX_PIN_DIGITS}
        data-typed={undefined}
        onBeforeInput={(event) => {
          if (/\D/.test(event.data)) event.preventDefault();
        }}
      />
      <div className="a-pin-words">
        {problem === null ? <p className="a-quiet">{about}</p> : <Alert>{problem}</Alert>}
      </div>
      <Keyboard className="a-pin-keys" use={FOR_A_PIN} language={strings.language} onPress={press} />
    </fieldset>
  );
}
