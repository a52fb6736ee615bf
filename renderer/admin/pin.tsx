import { useMemo, useRef, useState } from 'react';
import { MAX_PIN_DIGITS, type OverlayView } from '../../shared/admin';
import { Keyboard } from '../keyboard/keyboard';
import type { Key } from '../keyboard/keyboard-layout';
import { useFocusOnEntry, useKeys, useTick, useTools } from './overlay-context';
import { typeKey } from './parts/on-screen-keyboard';
import { Alert, Button } from './parts/pieces';
import { Input } from './parts/text-field';

interface PinPadProps {
  readonly title: string;
  readonly about?: string;
  readonly problem: string | null;
  readonly disabled?: boolean;
  readonly onPin: (pin: string) => Promise<void>;
  readonly onEscape?: () => void;
}

/** Takes a PIN by touch or keyboard. Its digits are cleared, and keys count again, when `onPin` has resolved. */
function PinPad({ title, about, problem, disabled, onPin, onEscape }: PinPadProps) {
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
  useKeys(({ key, target, ctrlKey, altKey, metaKey }) => {
    if (ctrlKey || altKey || metaKey) return;
    if (key === 'Escape') onEscape?.();
    // On a button, Enter presses it.
    else if (key === 'Enter' && !(target instanceof HTMLButtonElement)) void enter();
    // A digit is typed into the field, whatever had the focus.
    else if (/^\d$|^Backspace$|^Delete$/.test(key)) field.current?.focus();
  });

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
      <Keyboard className="a-pin-keys" use="pin" language={strings.language} onPress={press} />
    </fieldset>
  );
}

/** The PIN pad; it shows nothing of the kiosk. */
export function LockedView({ view }: { view: Extract<OverlayView, { view: 'locked' }> }) {
  const { call, strings } = useTools();
  const until = useMemo(() => performance.now() + view.waitMs, [view]);
  const now = useTick(250);
  const [problem, setProblem] = useState<string | null>(null);
  const leave = () => void call('close', null);

  const wait = view.waitMs > 0 ? until - now : 0;
  const onPin = async (pin: string) => {
    const reply = await call('unlock', { pin });
    if (!reply.ok) return setProblem(strings.refusalText(reply));
    const { output } = reply;
    setProblem(output.result === 'wrong' ? strings.wrongPin(output.attemptsLeft) : null);
  };
  const shown = wait > 0 ? strings.waitFor(strings.waitText(wait)) : problem;
  return (
    <div className="a-centre a-fill">
      <Button className="a-corner" kind="ghost" icon="close" aria-label={strings.close} onClick={leave} />
      <PinPad title={strings.enterPin} problem={shown} disabled={wait > 0} onPin={onPin} onEscape={leave} />
    </div>
  );
}

/**
 * Asks for a new PIN twice; a weak one is refused at the first entry. `onChosen` resolves with whether main rejected
 * the chosen PIN as weak.
 */
export function ChoosePin({ onChosen }: { onChosen: (pin: string) => Promise<boolean> }) {
  const { call, strings } = useTools();
  const [first, setFirst] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const onFirst = async (pin: string) => {
    const judged = await call('judgePin', { pin });
    if (!judged.ok) return setProblem(strings.refusalText(judged));
    setProblem(judged.output ? strings.pinRules : null);
    if (!judged.output) setFirst(pin);
  };
  const onRepeated = async (pin: string) => {
    const isSame = pin === first;
    if (isSame && !(await onChosen(pin))) return;
    setFirst(null);
    setProblem(isSame ? strings.pinRules : strings.pinsDiffer);
  };
  return (
    <PinPad
      title={first === null ? strings.newPin : strings.repeatPin}
      about={strings.pinRules}
      problem={problem}
      onPin={first === null ? onFirst : onRepeated}
    />
  );
}
