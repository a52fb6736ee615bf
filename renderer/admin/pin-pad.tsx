import { useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { MAX_PIN_DIGITS } from '../../shared/admin';
import { useFocusOnEntry, useTools } from './overlay-context';
import { Alert, Button } from './parts/pieces';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** The digits after a key of the pad or of a keyboard; null: not one of its keys. */
function pinAfter(pin: string, key: string): string | null {
  if (/^\d$/.test(key)) return pin.length < MAX_PIN_DIGITS ? pin + key : pin;
  if (key === 'Backspace') return pin.slice(0, -1);
  if (key === 'Delete') return '';
  return null;
}

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
  const [pin, setPin] = useState('');
  /** Newer than what is drawn: keys may come faster than frames. */
  const entered = useRef('');
  const isJudged = useRef(false);
  const take = (next: string) => {
    entered.current = next;
    setPin(next);
  };
  const box = useFocusOnEntry<HTMLDivElement>();

  const enter = async () => {
    if (entered.current === '' || disabled || isJudged.current) return;
    isJudged.current = true;
    await onPin(entered.current);
    isJudged.current = false;
    take('');
  };
  const press = (key: string) => {
    if (disabled || isJudged.current) return;
    const next = pinAfter(entered.current, key);
    if (next !== null) take(next);
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') onEscape?.();
    // On a button, Enter presses it; on OK that is the same.
    else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) void enter();
    else press(event.key);
  });
  // A layout effect: keys must work from the first frame on.
  useLayoutEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <div ref={box} className="a-pin a-column" role="group" aria-label={title} tabIndex={-1}>
      <h1 className="a-title">{title}</h1>
      <div className="a-line">
        {Array.from({ length: Math.max(4, pin.length) }, (_, index) => (
          <span key={index} className="a-pin-dot" data-set={index < pin.length} />
        ))}
        <span className="a-unseen" role="status">
          {strings.digitsEntered(pin.length)}
        </span>
      </div>
      <div className="a-pin-words">
        <Alert>{problem}</Alert>
        {problem === null && <p className="a-quiet">{about}</p>}
      </div>
      <div className="a-pin-keys a-grid">
        {DIGITS.map((digit) => (
          <Button key={digit} className="a-pin-key" disabled={disabled} onClick={() => press(digit)}>
            {digit}
          </Button>
        ))}
        <Button
          className="a-pin-key"
          kind="ghost"
          icon="backspace"
          aria-label={strings.deleteDigit}
          disabled={disabled || pin === ''}
          onClick={() => press('Backspace')}
        />
        <Button className="a-pin-key" disabled={disabled} onClick={() => press('0')}>
          0
        </Button>
        <Button
          className="a-pin-key"
          kind="main"
          disabled={disabled || pin === ''}
          onClick={() => void enter()}
        >
          {strings.confirmPin}
        </Button>
      </div>
    </div>
  );
}
