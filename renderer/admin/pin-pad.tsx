import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MAX_PIN_DIGITS } from '../../shared/admin';
import { useFocusOnEntry, useTools } from './overlay-context';
import { Icon } from './parts/icon';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** The digits after a key of the pad or of a keyboard; null: not one of its keys. */
function pinAfter(pin: string, key: string): string | null {
  if (/^\d$/.test(key)) return pin.length < MAX_PIN_DIGITS ? pin + key : pin;
  if (key === 'Backspace') return pin.slice(0, -1);
  if (key === 'Delete') return '';
  return null;
}

/**
 * Takes a PIN by touch or keyboard and hands it to `onPin`; what was entered is
 * forgotten with every `round`, and shaken off when `problem` came with it.
 */
export function PinPad({
  title,
  about,
  problem,
  round,
  disabled,
  onPin,
  onEscape,
}: {
  title: string;
  about: string | null;
  problem: string | null;
  round: number;
  disabled: boolean;
  onPin: (pin: string) => void;
  onEscape: (() => void) | null;
}) {
  const { strings } = useTools();
  const [pin, setPin] = useState('');
  /** Ahead of what is drawn: keys may come faster than frames. */
  const entered = useRef('');
  const take = (next: string) => {
    entered.current = next;
    setPin(next);
  };
  const box = useFocusOnEntry<HTMLDivElement>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round begins empty.
  useEffect(() => take(''), [round]);

  const enter = () => {
    if (entered.current !== '' && !disabled) onPin(entered.current);
  };
  const press = (key: string) => {
    if (disabled) return;
    const next = pinAfter(entered.current, key);
    if (next !== null) take(next);
  };
  const keys = useRef({ press, enter, onEscape });
  keys.current = { press, enter, onEscape };
  // With the first frame: whoever sees the pad may type.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === 'Escape') keys.current.onEscape?.();
      // On a button, Enter presses it; on OK that is the same.
      else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) keys.current.enter();
      else keys.current.press(event.key);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <div ref={box} className="a-pin" role="group" aria-label={title} tabIndex={-1}>
      <h1 className="a-pin-title">{title}</h1>
      <div className="a-pin-shown" key={round} data-wrong={problem !== null && round > 0}>
        {Array.from({ length: Math.max(4, pin.length) }, (_, index) => (
          <span key={index} className="a-pin-dot" data-set={index < pin.length} />
        ))}
        <span className="a-unseen" role="status">
          {strings.digitsEntered(pin.length)}
        </span>
      </div>
      <p
        className="a-pin-words"
        role={problem === null ? undefined : 'alert'}
        data-problem={problem !== null}
      >
        {problem ?? about ?? ''}
      </p>
      <div className="a-pin-keys">
        {DIGITS.map((digit) => (
          <PinKey key={digit} disabled={disabled} onPress={() => press(digit)}>
            {digit}
          </PinKey>
        ))}
        <button
          type="button"
          className="a-pin-key"
          data-kind="quiet"
          disabled={disabled || pin === ''}
          aria-label={strings.deleteDigit}
          onClick={() => press('Backspace')}
        >
          <Icon name="backspace" />
        </button>
        <PinKey disabled={disabled} onPress={() => press('0')}>
          0
        </PinKey>
        <button
          type="button"
          className="a-pin-key"
          data-kind="main"
          disabled={disabled || pin === ''}
          onClick={enter}
        >
          {strings.confirmPin}
        </button>
      </div>
    </div>
  );
}

function PinKey({
  children,
  disabled,
  onPress,
}: {
  children: string;
  disabled: boolean;
  onPress: () => void;
}) {
  return (
    <button type="button" className="a-pin-key" disabled={disabled} onClick={onPress}>
      {children}
    </button>
  );
}
